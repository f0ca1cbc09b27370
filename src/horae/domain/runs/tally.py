"""Counter increments from a batch of ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from horae.domain.runs.spread import Spread, read_text, written
from horae.domain.runs.states import RunStatus

_MILLISECOND = timedelta(milliseconds=1)


@dataclass(slots=True)
class Tally:
    """What one batch adds to a job's counters, and to the time series of its queue."""

    job_id: str
    project_id: str
    status: RunStatus
    count: int
    duration_ms: int = 0
    retries: int = 0
    timed_out: int = 0
    run_id: str | None = None
    reason: str | None = None  # of skipped occurrences
    queue: str | None = None
    late: list[timedelta] = field(default_factory=list)  # of each run that started
    took: list[int] = field(default_factory=list)  # in milliseconds

    @property
    def detail(self) -> str | None:
        """What only the time series need, as a short text: lateness, duration and queue."""
        if self.queue is None:
            return None
        if not self.late:
            return f"//{self.queue}"
        lateness = written([late // _MILLISECOND for late in self.late])
        return f"{lateness}/{written(self.took)}/{self.queue}"


class Detail(NamedTuple):
    lateness: Spread
    duration: Spread
    queue: str | None

    @classmethod
    def read(cls, text: str | None) -> Detail:
        """Empty if damaged, or written by an older Horae."""
        lateness, _, rest = (text or "").partition("/")
        duration, _, queue = rest.partition("/")
        return cls(read_text(lateness), read_text(duration), queue or None)
