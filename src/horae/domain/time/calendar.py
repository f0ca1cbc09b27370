"""The occurrences of a schedule, as instants in UTC. The same code fires, counts, previews and backfills.

Nothing here walks over occurrences to count or to find one: a calendar over a hundred years of seconds answers as fast
as one over a day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Protocol

from horae.domain.time.instants import FIRST_SECOND, LAST_SECOND, LATEST, TICK, instant_of, seconds_of
from horae.domain.time.pattern import pattern_of
from horae.domain.time.schedule import AtSchedule, CronSchedule, EverySchedule, Schedule
from horae.domain.time.zones import Segment, segment_at


class Calendar(Protocol):
    """`after` is always exclusive, `until` inclusive."""

    def next_after(self, instant: datetime) -> datetime | None: ...

    def last_at_or_before(self, instant: datetime) -> datetime | None: ...

    def count(self, after: datetime, until: datetime) -> int: ...

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]: ...

    def gaps(self, after: datetime, until: datetime) -> Iterator[datetime]:
        """Where `dst_gap: skip` dropped something: the ends of those gaps, none of them an occurrence."""
        ...

    def moved(self, instant: datetime) -> bool:
        """Whether this occurrence exists only because its own time did not exist that day."""
        ...


class _Calendar:
    """A calendar without occurrences, and what the others share."""

    def next_after(self, instant: datetime) -> datetime | None:
        return None

    def last_at_or_before(self, instant: datetime) -> datetime | None:
        return None

    def count(self, after: datetime, until: datetime) -> int:
        return 0

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        found = self.next_after(after)
        while found is not None and found <= until:
            yield found
            found = self.next_after(found)

    def gaps(self, after: datetime, until: datetime) -> Iterator[datetime]:
        return iter(())

    def moved(self, instant: datetime) -> bool:
        return False


class CronCalendar(_Calendar):
    """Wall clock times mapped to instants, segment by segment of the time zone (see zones.py). A wildcard schedule
    takes each segment as it comes. A fixed-time one treats a repeated time as `dst_fold` says, and times in a gap
    become one occurrence at its end, or none (`dst_gap`)."""

    def __init__(self, schedule: CronSchedule) -> None:
        self._pattern = pattern_of(schedule.expression)
        self._zone = schedule.timezone
        fixed = self._pattern.cron.fixed
        self._first_only = fixed and schedule.dst_fold == "first"
        self._second_only = fixed and schedule.dst_fold == "second"
        self._after_gaps = fixed and schedule.dst_gap == "run_after"
        self._skips_gaps = fixed and schedule.dst_gap == "skip"
        start, end = schedule.start_at, schedule.end_at
        self._start = FIRST_SECOND if start is None else seconds_of(start - TICK) + 1
        self._end = LAST_SECOND if end is None else seconds_of(end)

    def next_after(self, instant: datetime) -> datetime | None:
        return _next_after(self, instant)

    def find_next(self, second: int) -> int | None:
        """The first occurrence at or after this second."""
        second = max(second, self._start)
        found, searched = -1, 0  # no match lies in [searched, found)
        while second <= self._end:
            segment = self._segment(second)
            if self._after_gaps and segment.start == second and self._gap_hit(segment):
                return second
            low, high = self._bounds(segment)
            low = max(low, second + segment.offset)
            if not searched <= low <= found:
                match = self._pattern.next_from(low)
                if match is None:
                    return None
                found, searched = match, low
            if found < high:
                at = found - segment.offset
                return at if at <= self._end else None
            second = segment.end
        return None

    def last_at_or_before(self, instant: datetime) -> datetime | None:
        second = min(seconds_of(instant), self._end)
        found, searched = 0, -1  # no match lies in (found, searched)
        while second >= self._start:
            segment = self._segment(second)
            low, high = self._bounds(segment)
            high = min(high, second + 1 + segment.offset)
            if not found < high <= searched:
                match = self._pattern.last_before(high)
                if match is None:
                    return None
                found, searched = match, high
            if found >= low:
                at = found - segment.offset
                return instant_of(at) if at >= self._start else None
            if self._after_gaps and segment.start >= self._start and self._gap_hit(segment):
                return instant_of(segment.start)
            second = segment.start - 1
        return None

    def count(self, after: datetime, until: datetime) -> int:
        first, last = self._clip(after, until)
        total = 0
        second = first
        while second <= last:
            segment = self._segment(second)
            if self._after_gaps and segment.start >= first and self._gap_hit(segment):
                total += 1
            low, high = self._bounds(segment)
            low = max(low, second + segment.offset)
            high = min(high, last + 1 + segment.offset)
            total += self._pattern.count(low, high)
            second = segment.end
        return total

    def gaps(self, after: datetime, until: datetime) -> Iterator[datetime]:
        if not self._skips_gaps:
            return
        first, last = self._clip(after, until)
        second = first
        while second <= last:
            segment = self._segment(second)
            if segment.start >= first and self._gap_hit(segment):
                yield instant_of(segment.start)
            second = segment.end

    def moved(self, instant: datetime) -> bool:
        if not self._after_gaps:
            return False
        second = seconds_of(instant)
        segment = self._segment(second)
        return segment.start == second and self._gap_hit(segment)

    def _clip(self, after: datetime, until: datetime) -> tuple[int, int]:
        return max(seconds_of(after) + 1, self._start), min(seconds_of(until), self._end)

    def _segment(self, second: int) -> Segment:
        return segment_at(self._zone, second)

    def _bounds(self, segment: Segment) -> tuple[int, int]:
        """The wall clock times of the segment that count, the end exclusive."""
        low, high = segment.start + segment.offset, segment.end + segment.offset
        if self._first_only:
            low = max(low, segment.seen)
        elif self._second_only:
            high = min(high, segment.again)
        return low, high

    def _gap_hit(self, segment: Segment) -> bool:
        """Whether a match fell into the gap before this segment, and the instant after it is free."""
        if not segment.gap:
            return False
        end = segment.start + segment.offset
        found = self._pattern.next_from(end - segment.gap)
        return found is not None and found < end and not self._pattern.matches(end)


class EveryCalendar(_Calendar):
    """A fixed grid in real time: first the anchor itself, then anchor + n × interval, without drift."""

    def __init__(self, anchor: datetime, interval: timedelta, end: datetime | None) -> None:
        self._anchor = anchor
        self._interval = interval
        self._end = LATEST if end is None else end

    def next_after(self, instant: datetime) -> datetime | None:
        if instant < self._anchor:
            found = self._anchor
        elif instant >= self._end:
            return None
        else:
            found = self._anchor + ((instant - self._anchor) // self._interval + 1) * self._interval
        return found if found <= self._end else None

    def last_at_or_before(self, instant: datetime) -> datetime | None:
        number = self._number(instant)
        return None if number < 0 else self._anchor + number * self._interval

    def count(self, after: datetime, until: datetime) -> int:
        return max(0, self._number(until) - self._number(after))

    def _number(self, instant: datetime) -> int:
        """The index of the last occurrence at or before the instant; -1 for none."""
        return max(-1, (min(instant, self._end) - self._anchor) // self._interval)


class AtCalendar(_Calendar):
    """One instant."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def next_after(self, instant: datetime) -> datetime | None:
        return self._at if instant < self._at else None

    def last_at_or_before(self, instant: datetime) -> datetime | None:
        return self._at if self._at <= instant else None

    def count(self, after: datetime, until: datetime) -> int:
        return int(after < self._at <= until)


_NEVER = _Calendar()


def calendar_of(schedule: Schedule, anchor: datetime) -> Calendar:
    """The calendar of a schedule, shared by all jobs with an equal one. `anchor` is when the job was created: the start
    of the grid of an interval without `start_at`."""
    if isinstance(schedule, CronSchedule):
        return _cron_calendar(schedule)
    if isinstance(schedule, EverySchedule):
        return EveryCalendar(schedule.start_at or anchor, schedule.interval, schedule.end_at)
    return AtCalendar(schedule.at) if isinstance(schedule, AtSchedule) else _NEVER


@lru_cache(maxsize=4_096)
def _cron_calendar(schedule: CronSchedule) -> CronCalendar:
    return CronCalendar(schedule)


@lru_cache(maxsize=32_768)
def _next_after(calendar: CronCalendar, instant: datetime) -> datetime | None:
    """Cached: thousands of jobs share a schedule, and come due at the same instant."""
    found = calendar.find_next(seconds_of(instant) + 1)
    return None if found is None else instant_of(found)
