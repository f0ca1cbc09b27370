"""A queue as people see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class QueueRecord:
    """`queued` and `running` are of one project; whether it is paused, and for which projects it is reserved (none: it
    is open to all), is of all."""

    name: str
    paused_at: datetime | None
    paused_by: str | None
    queued: int
    running: int
    projects: tuple[str, ...] = ()
