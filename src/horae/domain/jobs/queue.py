"""A queue as people see it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class QueueRecord:
    """`queued` and `running` are of one project; whether it is paused, and for which projects it is reserved (none:
    open to all), applies to all."""

    name: str
    paused_at: datetime | None
    paused_by: str | None
    queued: int
    running: int
    projects: tuple[str, ...] = ()
    engine: str | None = None  # chosen for it; None: as the settings say


@dataclass(frozen=True, slots=True)
class QueueUse:
    """A project's use of queues: those that its jobs and its live runs name, and the number of live runs by queue and
    status."""

    named: Collection[str]
    counts: Mapping[tuple[str, str], int] = field(default_factory=dict)
