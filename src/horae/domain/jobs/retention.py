"""Retention of ended runs and other records, in seconds. None: kept forever."""

from __future__ import annotations

from dataclasses import dataclass

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Retention:
    runs: float = 30 * DAY  # and their attempts, and ended operations
    logs: float = 30 * DAY  # if shorter
    audit: float | None = None
    hours: float = 90 * DAY  # hourly counters, which are then summed by day
    days: float = 1_095 * DAY
    versions: float = 365 * DAY  # of jobs, except the newest ones and those that runs use
    versions_kept: int = 100  # of each job, however old they are
    deliveries: float = 30 * DAY  # of messages to channels
    finished_jobs: float | None = None  # one-time jobs; None: until the last of their runs is deleted
