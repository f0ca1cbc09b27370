"""Quotas: how much of something a project may have. Pure: the verbs in accounts/quotas.py count and refuse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MOST = 10**15  # what a limit may be at most
WIDE = 10_000  # rows from which on they are not counted on every request
_A_MILLISECOND, _URGENT_A_MILLISECOND = 20, 200  # rows; a database reads some hundreds
WARN_AT, NEARLY_FULL = 0.8, 0.9  # shares of a limit


class Quota(StrEnum):
    JOBS = "jobs"
    LIVE_RUNS = "live_runs"  # queued, held, delayed or running: all that have not ended
    FIRES_PER_MINUTE = "fires_per_minute"  # of schedules; each job counts as many as its busiest hour has
    LOG_BYTES_PER_DAY = "log_bytes_per_day"  # per day in UTC
    SECRETS = "secrets"
    API_KEYS = "api_keys"


# The unit of a quota's places, if not one: fires are counted by the hour, so that none is a fraction.
PLACES: Mapping[Quota, int] = {Quota.FIRES_PER_MINUTE: 60}

Limits = Mapping[Quota, int | None]  # None: no limit


@dataclass(frozen=True, slots=True)
class QuotaRow:
    """A limit, locked by transactions that take from it. `room` is how many places are known to be free: it may be too
    low, never too high, because an end gives nothing back until they are counted again."""

    limit: int
    room: int
    seen: int = 0  # how many rows the last count looked at
    age: int | None = None  # how many milliseconds ago that was

    def may_count(self, *, urgent: bool) -> bool:
        """An expensive count is repeated so rarely that it takes a few per cent of the time. Urgent ones may take more:
        a skipped occurrence is lost."""
        if self.age is None or self.seen < WIDE:
            return True
        return self.age >= self.seen / (_URGENT_A_MILLISECOND if urgent else _A_MILLISECOND)


@dataclass(frozen=True, slots=True)
class Use:
    """A project's usage, in places; `seen` is how many rows were read to find out."""

    used: int
    seen: int


@dataclass(frozen=True, slots=True)
class Usage:
    """A quota as users see it."""

    limit: int | None
    used: int | float | None  # None: not counted without a limit
    refused_at: datetime | None = None  # when it last caused a refusal, to the minute


@dataclass(frozen=True, slots=True)
class Strained:
    """A quota that is nearly used up, or that recently caused a refusal."""

    project: str  # its slug
    quota: Quota
    usage: Usage


def places(quota: Quota, limit: int) -> int:
    return limit * PLACES.get(quota, 1)


def amount(quota: Quota, used: int) -> int | float:
    """Places in the units that users see."""
    unit = PLACES.get(quota, 1)
    return used // unit if used % unit == 0 else round(used / unit, 2)
