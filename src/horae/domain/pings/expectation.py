"""When a ping is next expected."""

from __future__ import annotations

from datetime import datetime, timedelta

from horae.domain.time.blackouts import closed_until
from horae.domain.time.calendar import calendar_of
from horae.domain.time.openings import Timed, next_open
from horae.domain.time.schedule import AfterSchedule, ManualSchedule, Schedule

_EARLY = timedelta(seconds=60)


def next_expected(schedule: Schedule, after: datetime, *, started: datetime | None = None) -> datetime | None:
    """The next occurrence that a report at `after` does not cover; None if there is none. `every` counts from that
    report unless it has a `start_at`. `started` is when the run that ended at `after` began, if it reported that.

    Clocks differ between machines: a run that seems to begin shortly before its occurrence covers it."""
    if isinstance(schedule, ManualSchedule | AfterSchedule):
        return None
    beyond = max(after, (started or after) + early(schedule))
    found = next_open(schedule, calendar_of(schedule, after), beyond)
    if found is None or closed_until(schedule.blackouts, schedule.timezone, found) is not None:
        return None
    return found


def first_expected(schedule: Schedule, since: datetime) -> datetime | None:
    """Before anything was reported: the first occurrence after `since`, even if it is only seconds away."""
    if isinstance(schedule, ManualSchedule | AfterSchedule):
        return None
    found = next_open(schedule, calendar_of(schedule, since), since)
    if found is None or closed_until(schedule.blackouts, schedule.timezone, found) is not None:
        return None
    return found


def early(schedule: Timed) -> timedelta:
    """How long before an occurrence a report may arrive and still cover it."""
    shortest = schedule.shortest_interval()
    return _EARLY if shortest is None else min(_EARLY, shortest / 10)
