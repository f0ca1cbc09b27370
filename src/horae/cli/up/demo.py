"""The example jobs of `horae up --demo`."""

from __future__ import annotations

from typing import Any

from horae.domain.errors import Conflict


def examples(url: str) -> list[dict[str, Any]]:
    """A few jobs that show the features; `url` is the API's own."""
    return [
        {
            "name": "demo-hello",
            "description": "A script, every ten seconds.",
            "target": {"kind": "script", "source": 'echo "hello from run $HORAE_RUN_ID"'},
            "schedule": {"every": "10s"},
            "tags": ["demo"],
        },
        {
            "name": "demo-health",
            "description": "An HTTP call, twice a minute: a health check of the API.",
            "target": {"kind": "http", "method": "GET", "url": f"{url}/health"},
            "schedule": {"every": "30s"},
            "tags": ["demo"],
        },
        {
            "name": "demo-morning",
            "description": "Cron in a time zone: at nine on weekdays in Berlin.",
            "target": {"kind": "script", "source": "date"},
            "schedule": {"cron": "0 9 * * MON-FRI", "timezone": "Europe/Berlin"},
            "tags": ["demo"],
        },
        {
            "name": "demo-flaky",
            "description": "Fails now and then, and is retried.",
            "target": {"kind": "script", "source": 'test $((RANDOM % 2)) = 0 || { echo "not today"; exit 1; }'},
            "schedule": {"every": "20s"},
            "retry": {"max_attempts": 5, "backoff": "fixed", "delay": 2},
            "tags": ["demo"],
        },
    ]


def add_examples(url: str, token: str) -> int:
    """Adds the missing ones."""
    from horae.sdk.client import Client

    with Client(url, token, client="cli") as client:
        for job in examples(url):
            try:
                client.jobs.create(**job)
            except Conflict:
                continue
            print(f"created the example job {job['name']}")
    return 0
