"""How a job did, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class JobStats:
    """Counts by status: of all time, of the time `since`, and of what is live. `reasons` are those of the occurrences
    skipped since then, as far as the newest rows of the history tell."""

    total: Mapping[str, int]
    recent: Mapping[str, int]
    live: Mapping[str, int]
    reasons: Mapping[str, int]
    since: datetime
    retries: int
    timed_out: int
    duration_ms: int
    last_run_id: str | None
    last_run_at: datetime | None
    last_status: str | None

    @property
    def average_ms(self) -> int | None:
        """Of the runs that came to an end by themselves."""
        ended = self.total["succeeded"] + self.total["failed"]
        return round(self.duration_ms / ended) if ended else None

    @property
    def success_rate(self) -> float | None:
        ended = self.total["succeeded"] + self.total["failed"]
        return round(self.total["succeeded"] / ended, 4) if ended else None
