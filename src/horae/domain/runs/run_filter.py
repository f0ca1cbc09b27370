"""Which runs a list shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RecentRun:
    """How one run ended, as a list of jobs shows it."""

    id: str
    status: str
    finished_at: datetime | None
    duration_ms: int | None


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs a list shows; None: any."""

    job_id: str | None = None
    status: str | None = None
    trigger: str | None = None
    worker_id: str | None = None
    queue: str | None = None
    since: datetime | None = None  # created at or after
    until: datetime | None = None  # created before
    outcome: str | None = None  # of the attempt that ended them
    ended_since: datetime | None = None
    ended_until: datetime | None = None

    @property
    def of_ended(self) -> bool:
        """Whether live runs are out of the question."""
        return any(value is not None for value in (self.outcome, self.ended_since, self.ended_until))
