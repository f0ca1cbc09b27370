"""Runs as the suite hands them out, and what it was told about each."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class HandedRun:
    """A run of a job of its own."""

    target: Mapping[str, Any]
    timeout: float = 60.0
    grace: float | None = 1.0
    input: str | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    fault: Mapping[str, Any] | None = None
    callback_url: str | None = None
    scheduled_for: str | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    job_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    token: str | None = None  # of the claim that took it
    lease_until: float = 0.0  # by the suite's clock; what an agent may believe at most
    cancelled: bool = False  # what the next renewals say about it
    lost: bool = False
    outcome: dict[str, Any] | None = None  # the one that was accepted
    sent_outcomes: list[dict[str, Any]] = field(default_factory=list)
    chunks: dict[int, dict[str, Any]] = field(default_factory=dict)
    progress: list[dict[str, Any]] = field(default_factory=list)
    released: dict[str, Any] | None = None
    taken: int = 0  # by claims that were not repeated ones

    @property
    def name(self) -> str:
        return f"conformance-{self.id[:8]}"

    @property
    def over(self) -> bool:
        return self.outcome is not None or self.released is not None

    def text(self, stream: str = "stdout") -> str:
        """Its output so far."""
        return "".join(chunk["text"] for _, chunk in sorted(self.chunks.items()) if chunk["stream"] == stream)

    def as_run(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "job_id": self.job_id,
            "project_id": str(uuid.UUID(int=7)),
            "version": 1,
            "attempt": 1,
            "trigger": "manual",
            "scheduled_for": self.scheduled_for,
            "input": self.input,
            "traceparent": None,
            "ahead": False,
            "callback_url": self.callback_url,
        }

    def as_job(self) -> dict[str, Any]:
        return {
            "job_id": self.job_id,
            "version": 1,
            "definition": {
                "name": self.name,
                "description": "",
                "tags": [],
                "target": dict(self.target),
                "timeout": self.timeout,
                "grace": self.grace,
                "retry": {"max_attempts": 3, "backoff": "fixed", "delay": 1.0},
                "queue": "default",
                "priority": 5,
            },
            "secrets": dict(self.secrets),
            "fault": self.fault,
        }


def script(source: str, **fields: Any) -> HandedRun:
    env = fields.pop("env", {})
    return HandedRun({"kind": "script", "interpreter": "bash", "source": source, "env": env}, **fields)


def call(url: str, *, method: str = "GET", **fields: Any) -> HandedRun:
    own: dict[str, Any] = {name: fields.pop(name) for name in ("headers", "auth", "callback", "body") if name in fields}
    return HandedRun({"kind": "http", "method": method, "url": url, **own}, **fields)


def result_of(run: HandedRun) -> Any:
    """Its result, which is JSON text."""
    assert run.outcome is not None
    return None if run.outcome.get("result") is None else json.loads(run.outcome["result"])
