"""Blackouts: times at which a schedule's occurrences are skipped.

Two forms, in JSON:
    {"start": "2026-12-24T00:00:00+01:00", "end": "2026-12-27T00:00:00+01:00"}    once
    {"days": ["SAT", "SUN"], "start": "22:00", "end": "06:00"}    every week, by the schedule's time zone
`start` is inside, `end` is not. A window that ends before it begins ends on the next day, and belongs to the day it
begins on; without `days` it is every day's; "24:00" is the end of the day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from heapq import merge
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from horae.domain.text.refusal import refusal
from horae.domain.time.instants import FIRST_SECOND, LAST_SECOND, Instant, instant_of, seconds_of
from horae.domain.time.zones import segment_at

_FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True)
_DAY = 86_400
_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)|24:00", re.ASCII)
Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
WEEKDAYS: tuple[Weekday, ...] = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
Stretch: TypeAlias = tuple[datetime, datetime]


def _clock(text: str) -> str:
    if not _CLOCK.fullmatch(text):
        raise ValueError("must be a time of day such as 22:00")
    return text


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


ClockTime = Annotated[str, Field(max_length=5), AfterValidator(_clock)]


class BlackoutRange(BaseModel):
    """One time range."""

    model_config = _FROZEN

    start: Instant
    end: Instant

    @model_validator(mode="after")
    def _in_order(self) -> BlackoutRange:
        if self.end <= self.start:
            raise refusal("end", "must come after start")
        return self


class WeeklyWindow(BaseModel):
    """The same hours on the same days of each week."""

    model_config = _FROZEN

    days: Annotated[
        tuple[Annotated[Weekday, BeforeValidator(_upper)], ...], Field(min_length=1, max_length=7, strict=False)
    ] = WEEKDAYS
    start: ClockTime
    end: ClockTime

    @model_validator(mode="after")
    def _in_order(self) -> WeeklyWindow:
        if self.start in (self.end, "24:00"):
            raise refusal("end", "must differ from start; a whole day is 00:00 to 24:00")
        return self


@lru_cache(maxsize=1_024)
def _hours(window: WeeklyWindow) -> tuple[int, int, frozenset[int]]:
    """First and last second of the day, beyond 24 hours if it ends on the next day, and the weekdays, with Monday as
    0."""
    start, end = (int(clock[:2]) * 3_600 + int(clock[3:]) * 60 for clock in (window.start, window.end))
    return start, end if end > start else end + _DAY, frozenset(map(WEEKDAYS.index, window.days))


def _form(value: Any) -> str | None:
    if isinstance(value, BlackoutRange | WeeklyWindow):
        return "<range>" if isinstance(value, BlackoutRange) else "<weekly>"
    if not isinstance(value, dict):
        return None
    start = value.get("start")
    weekly = "days" in value or (isinstance(start, str) and len(start) <= 5)
    return "<weekly>" if weekly else "<range>"


Blackout = Annotated[
    Annotated[BlackoutRange, Tag("<range>")] | Annotated[WeeklyWindow, Tag("<weekly>")],
    Discriminator(
        _form,
        custom_error_type="blackout_form",
        custom_error_message="must be an object with start and end: two instants, or two times of day and the days",
    ),
]


def cover_the_week(blackouts: Iterable[BlackoutRange | WeeklyWindow]) -> bool:
    """Whether weekly windows leave no time at all."""
    hours = []
    for window in blackouts:
        if isinstance(window, WeeklyWindow):
            start, end, days = _hours(window)
            for day in days:
                begins = day * _DAY
                hours += [(begins + start + week, begins + end + week) for week in (-7 * _DAY, 0)]
    reached = 0
    for start, end in sorted(hours):
        if start > reached:
            return False
        reached = max(reached, end)
    return reached >= 7 * _DAY


def closures(
    blackouts: Iterable[BlackoutRange | WeeklyWindow], timezone: str, after: datetime, until: datetime
) -> list[Stretch]:
    """The blackout ranges that overlap (after, until], in order, merged where they meet."""
    ranges = sorted((range_.start, range_.end) for range_ in blackouts if isinstance(range_, BlackoutRange))
    weekly = [window for window in blackouts if isinstance(window, WeeklyWindow)]
    streams = [iter(ranges), *(_weekly(window, timezone, after, until) for window in weekly)]
    merged: list[Stretch] = []
    for start, end in merge(*streams):
        if end <= after or start > until:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _weekly(window: WeeklyWindow, timezone: str, after: datetime, until: datetime) -> Iterator[Stretch]:
    """A window's ranges, by the wall clock: in a repeated hour it closes twice, across a gap it is shorter."""
    start, end, days = _hours(window)
    second = max(seconds_of(after) - 2 * _DAY, FIRST_SECOND)
    last = min(seconds_of(until), LAST_SECOND)
    while second <= last:
        segment = segment_at(timezone, second)
        low, high = segment.start + segment.offset, segment.end + segment.offset
        # From the day before: its window may reach into this segment.
        for day in range((second + segment.offset) // _DAY - 1, (min(high, last + segment.offset + 1)) // _DAY + 1):
            if (day + 3) % 7 in days:  # 1970-01-01 was a Thursday
                begins = max(day * _DAY + start, low)
                ends = min(day * _DAY + end, high)
                if begins < ends:
                    yield instant_of(begins - segment.offset), instant_of(ends - segment.offset)
        second = segment.end


def closed_until(
    blackouts: Iterable[BlackoutRange | WeeklyWindow], timezone: str, instant: datetime
) -> datetime | None:
    """The end of the blackout that contains `instant`; another one may follow immediately."""
    segment, today, second = None, 0, 0
    for blackout in blackouts:
        if isinstance(blackout, BlackoutRange):
            if blackout.start <= instant < blackout.end:
                return blackout.end
            continue
        if segment is None:
            segment = segment_at(timezone, seconds_of(instant))
            today, second = divmod(seconds_of(instant) + segment.offset, _DAY)
        start, end, days = _hours(blackout)
        for day, passed in ((today, second), (today - 1, second + _DAY)):
            if start <= passed < end and (day + 3) % 7 in days:
                return instant_of(min(day * _DAY + end - segment.offset, segment.end))
    return None
