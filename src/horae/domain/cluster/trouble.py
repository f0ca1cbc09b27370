"""A step of a process that fails repeatedly, as reported with its heartbeat."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

LONGEST = 300  # characters of a text
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_DOES = {
    "claim": "claim runs",
    "heartbeat": "reach the database with its heartbeat",
    "report": "report results",
    "report aside": "report results that wait for a quota",
    "deadlines": "enforce timeouts",
    "neighbours": "detect dead workers",
    "functions": "register its functions",
    "quotas": "look up quotas",
    "fire": "fire schedules",
    "fire apart": "fire schedules that wait for a quota",
    "sweep": "recover runs",
    "upkeep": "delete expired data",
    "alerts": "evaluate alerts",
    "shards": "renew its shards",
    "deliver": "send notifications",
    "events": "send events to sinks",
    "pings": "notice missing pings",
    "series": "record time series",
    "send tasks": "send tasks to Celery",
    "look up tasks": "look up the results of Celery tasks",
    "revoke tasks": "revoke Celery tasks",
    "publish": "publish runs to the broker",
    "wake-ups": "receive wake-ups",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """Which loop keeps failing, in one line why, and since when by the database's clock."""

    loop: str
    reason: str
    since: datetime

    @property
    def task(self) -> str:
        """What it fails to do: follows "fails to"."""
        return trouble_task(self.loop)


def trouble_text(loop: str, error: BaseException) -> str:
    """One line, to be stored. Quoted values are left out: they may be a project's data, and everyone who can see the
    worker sees this line. The log has the full message."""
    lines = str(error).strip().splitlines() or [""]
    said = _QUOTED.sub("…", lines[0])
    name = type(error).__name__
    return f"{loop}: {name}{': ' if said else ''}{said}"[:LONGEST]


def trouble_task(text: str) -> str:
    """The task that such a line names: follows "fails to"."""
    loop = text.partition(": ")[0]
    return _DOES.get(loop, loop)


def trouble_of(text: str | None, since: datetime | None) -> Trouble | None:
    if not text or since is None:
        return None
    loop, _, reason = text.partition(": ")
    return Trouble(loop, reason, since)
