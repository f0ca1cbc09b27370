"""Daily deadlines: a time of day, in the schedule's zone, by which something should be done."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from horae.domain.time.zones import zone


class Day(NamedTuple):
    """From midnight to the deadline."""

    midnight: datetime
    deadline: datetime


class Today(NamedTuple):
    midnight: datetime
    time: str  # of the day


def today(now: datetime, timezone: str) -> Today | None:
    """How far the present day has come there; None if the zone is not known to this version."""
    try:
        here = now.astimezone(zone(timezone))
    except ValueError:
        return None
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
    return Today(midnight.astimezone(UTC), f"{here:%H:%M}")


def day_of(now: datetime, time: str, timezone: str) -> Day | None:
    """The current day there; None if this version does not know the time or the zone."""
    try:
        here = now.astimezone(zone(timezone))
        hour, minute = map(int, time.split(":"))
        midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
        deadline = here.replace(hour=hour, minute=minute, second=0, microsecond=0)
    except ValueError:
        return None
    return Day(midnight.astimezone(UTC), deadline.astimezone(UTC))
