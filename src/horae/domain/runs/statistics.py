"""Statistics of a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Summary:
    """Totals; `ended` are the all-time counters, by status and `retries`, `timed_out`, `duration_ms`. `stuck` are
    running runs whose lease has expired."""

    at: datetime
    jobs: int
    enabled: int
    paused: int
    queued: int
    running: int
    stuck: int
    dead_letters: int
    ended: Mapping[str, int]

    @property
    def total(self) -> int:
        """All runs ever; skipped occurrences do not count."""
        return self.queued + self.running + sum(self.ended[status] for status in ("succeeded", "failed", "cancelled"))

    @property
    def success_rate(self) -> float | None:
        """In percent."""
        decided = self.ended["succeeded"] + self.ended["failed"]
        return round(100 * self.ended["succeeded"] / decided, 2) if decided else None

    @property
    def average_ms(self) -> float | None:
        decided = self.ended["succeeded"] + self.ended["failed"]
        return round(self.ended["duration_ms"] / decided, 1) if decided else None


@dataclass(frozen=True, slots=True)
class Hour:
    """Runs that ended within one hour, by status; `duration_ms` is their total."""

    at: datetime
    ended: Mapping[str, int]
    duration_ms: int


@dataclass(frozen=True, slots=True)
class JobStats:
    """Counts by status: in total, `since` a time, and live. `reasons` are those of occurrences skipped since then, from
    the newest rows of the history."""

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
        """For runs that ended on their own."""
        ended = self.total["succeeded"] + self.total["failed"]
        return round(self.duration_ms / ended) if ended else None

    @property
    def success_rate(self) -> float | None:
        """In percent, as everywhere."""
        ended = self.total["succeeded"] + self.total["failed"]
        return round(100 * self.total["succeeded"] / ended, 2) if ended else None


class ChosenJob(NamedTuple):
    """A job with its own metrics: its ended runs by status, its last success, when its next run is due, and the
    seconds it is overdue."""

    project: str
    name: str
    ended: Mapping[str, int]
    last_success_at: datetime | None
    next_run_at: datetime | None
    overdue: float


class Backlog(NamedTuple):
    """Due runs of a queue that wait for a worker, and the seconds the oldest one has waited."""

    queue: str
    due: int
    oldest: float
