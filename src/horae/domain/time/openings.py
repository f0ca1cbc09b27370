"""Occurrences outside of blackouts: iterating over the ranges between them, and finding the next one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from horae.domain.time.blackouts import Stretch, closed_until
from horae.domain.time.calendar import Calendar
from horae.domain.time.instants import LATEST, TICK
from horae.domain.time.schedule import AtSchedule, CronSchedule, EverySchedule

Timed = CronSchedule | EverySchedule | AtSchedule

_PATIENCE = 400  # a schedule that always falls into blackouts must not be searched forever


def forward(calendar: Calendar, stretches: list[Stretch]) -> Iterator[datetime]:
    for after, until in stretches:
        yield from calendar.between(after, until)


def backward(calendar: Calendar, stretches: list[Stretch]) -> Iterator[datetime]:
    for after, until in reversed(stretches):
        found = calendar.last_at_or_before(until)
        while found is not None and found > after:
            yield found
            found = calendar.last_at_or_before(found - TICK)


def next_open(schedule: Timed, calendar: Calendar, after: datetime) -> datetime | None:
    """The next occurrence outside of blackouts, so that a long blackout leaves one row and not one per occurrence. If
    there is none, or none in sight, one inside: firing it writes that row."""
    found = calendar.next_after(after)
    if not schedule.blackouts:
        return found
    for _ in range(_PATIENCE):
        if found is None:
            last = calendar.last_at_or_before(LATEST)
            return last if last is not None and last > after else None
        end = closed_until(schedule.blackouts, schedule.timezone, found)
        if end is None:
            return found
        found = calendar.next_after(end - TICK)
    return found
