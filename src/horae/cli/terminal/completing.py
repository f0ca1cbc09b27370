"""Shell completion: names of existing objects, from the server if it answers quickly. Errors are swallowed: pressing
Tab must never print one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from horae.cli.connection import connect
from horae.domain.jobs.kinds import SCHEDULE_KINDS

if TYPE_CHECKING:
    from horae.sdk.client import Client

Complete = Callable[[str], list[str]]
_SHOWN = 200


def words(*choices: str) -> Complete:
    """Completes one of a few words."""

    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return complete


def kinds(incomplete: str) -> list[str]:
    from horae.domain.targets import TARGET_KINDS

    return words(*TARGET_KINDS)(incomplete)


def _asked(names: Callable[[Client], Iterable[str]]) -> Complete:
    def complete(incomplete: str) -> list[str]:
        try:
            with connect(quick=True) as client:
                return [name for name in names(client) if name.startswith(incomplete)]
        except Exception:  # on any error: no completions
            return []

    return complete


def _field(items: Iterable[dict[str, Any]], name: str) -> list[str]:
    return [str(item[name]) for item in items]


jobs = _asked(lambda client: _field(client.jobs.list(limit=_SHOWN), "name"))
runs = _asked(lambda client: _field(client.runs.list(limit=50), "id"))
live_runs = _asked(
    lambda client: [
        run for state in ("running", "queued") for run in _field(client.runs.list(limit=50, status=state), "id")
    ]
)
dead = _asked(lambda client: _field(client.dead_letters.list(limit=50), "id"))
causes = _asked(lambda client: _field(client.dead_letters.groups(limit=50), "fingerprint"))
operations = _asked(lambda client: _field(client.operations.list(limit=50), "id"))
queues = _asked(lambda client: _field(client.queues.list(), "name"))
pings = _asked(lambda client: _field(client.pings.list(limit=_SHOWN), "name"))
functions = _asked(lambda client: _field(client.functions.list(), "name"))
tasks = _asked(
    lambda client: [
        one["name"].partition(":")[2] for one in client.functions.list() if one.get("handler_type") == "celery_task"
    ]
)
secrets = _asked(lambda client: _field(client.secrets.list(), "name"))
channels = _asked(lambda client: _field(client.channels.list(), "name"))
sinks = _asked(lambda client: _field(client.sinks.list(), "name"))
keys = _asked(lambda client: _field(client.keys.list(), "name"))
users = _asked(lambda client: _field(client.users.list(), "username"))
projects = _asked(lambda client: _field(client.projects.list(), "slug"))
workers = _asked(lambda client: _field(client.workers(), "id"))
tags = _asked(lambda client: sorted({tag for job in client.jobs.list(limit=_SHOWN) for tag in job["tags"]}))

schedules = words(*SCHEDULE_KINDS)
job_states = words("scheduled", "running", "paused", "disabled", "finished")
ping_states = words("new", "up", "started", "late", "down", "paused")
last_states = words("succeeded", "failed", "cancelled")
run_states = words("queued", "running", "succeeded", "failed", "cancelled", "skipped")
outcomes = words("succeeded", "failed", "timed_out", "lost", "interrupted", "cancelled")
triggers = words("schedule", "manual", "api", "retry", "backfill", "after")
roles = words("viewer", "operator", "editor", "owner", "admin")
member_roles = words("viewer", "operator", "editor", "owner")
