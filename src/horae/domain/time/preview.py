"""Previews: the next occurrences of a schedule, from the calendars that fire."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from horae.domain.time.blackouts import closed_until
from horae.domain.time.calendar import Calendar, calendar_of
from horae.domain.time.cron import parse_cron
from horae.domain.time.instants import TICK
from horae.domain.time.schedule import AfterSchedule, AtSchedule, CronSchedule, ManualSchedule, Schedule
from horae.domain.time.schedule_words import amount_in_words
from horae.domain.time.zones import zone

_LEFT_OUT = (
    "the previous one is skipped: its local time does not exist on that day (clocks go forward; dst_gap is skip)"
)
_PAST = "in the past: it is due as soon as the job is saved, and catch_up decides whether it runs"


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A future occurrence: its instant in UTC, the same on the schedule's clock, and a note about anything unusual."""

    at: datetime
    local: datetime
    note: str | None


def preview(schedule: Schedule, anchor: datetime, after: datetime, count: int, fired: int = 0) -> list[Upcoming]:
    """The next `count` occurrences strictly after `after`. Those in a blackout are included, with a note; a job that
    has already `fired` gets no more than `max_runs` allows."""
    if isinstance(schedule, ManualSchedule | AfterSchedule):
        return []
    if schedule.max_runs is not None:
        count = min(count, schedule.max_runs - fired)
    calendar = calendar_of(schedule, anchor)
    place = zone(schedule.timezone)
    fixed = isinstance(schedule, CronSchedule) and parse_cron(schedule.expression).fixed
    before = calendar.last_at_or_before(after)
    offset = None if before is None or fixed else before.astimezone(place).utcoffset()
    found: list[Upcoming] = []
    at = calendar.next_after(after)
    while at is not None and len(found) < count:
        local = at.astimezone(place)
        note = _note(calendar, at, local, place, offset)
        if note is None and any(calendar.gaps(after, at)):
            note = _LEFT_OUT
        if closed_until(schedule.blackouts, schedule.timezone, at) is not None:
            note = "falls in a blackout and will be skipped"
        found.append(Upcoming(at, local, note))
        offset = None if fixed else local.utcoffset()
        after, at = at, calendar.next_after(at)
    return found


def first_preview(
    schedule: Schedule, now: datetime, count: int, through: datetime | None = None, fired: int = 0
) -> list[Upcoming]:
    """What a schedule would do if it were saved now: an `at` in the past is due at once. For a job that has fired
    `through` an instant, nothing up to there is repeated."""
    begins = min(now, schedule.at) if isinstance(schedule, AtSchedule) else now
    after = begins - TICK if through is None else max(begins - TICK, through)
    found = preview(schedule, now, after, count, fired)
    return [replace(one, note=_PAST) if one.at < now else one for one in found]


def _note(calendar: Calendar, at: datetime, local: datetime, place: ZoneInfo, before: timedelta | None) -> str | None:
    """`before` is the offset of the previous occurrence, if that matters."""
    if calendar.moved(at):
        return "its local time does not exist on this day (clocks go forward): it runs right after the gap"
    offset = local.utcoffset()
    if offset != local.replace(fold=1 - local.fold).utcoffset():
        which = "second" if local.fold else "first"
        return f"this local time occurs twice on this day (clocks go back): this is the {which} time"
    if before is not None and offset is not None and offset != before:
        way, change = ("forward", offset - before) if offset > before else ("back", before - offset)
        return f"the clocks went {way} by {amount_in_words(change)} since the previous one"
    return None
