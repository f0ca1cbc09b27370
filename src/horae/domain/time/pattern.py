"""The wall clock times that a cron expression matches, in exact integer arithmetic: the next one, the last one and how
many, without walking over those in between. Time zones are handled in calendar.py.

A wall clock time is the number of seconds since 1970-01-01 00:00 on that same clock."""

from __future__ import annotations

from bisect import bisect_left
from calendar import monthrange
from datetime import date
from functools import lru_cache
from itertools import pairwise

from horae.domain.time.cron import LAST_DAY, LAST_WEEKDAY, Cron, parse_cron

_DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
_LAST_YEAR = 2_101
_FIRST_YEAR = 1_969


class Pattern:
    """Each matching day has the same times, numbered from 0; each kind of month has the same days."""

    def __init__(self, cron: Cron) -> None:
        self.cron = cron
        self._per_minute = len(cron.seconds)
        self._per_hour = self._per_minute * len(cron.minutes)
        self.per_day = self._per_hour * len(cron.hours)
        # A month is identified by its number, first weekday and length: there are only 91 kinds.
        self._masks: dict[tuple[int, int, int], int] = {}

    def next_from(self, time: int) -> int | None:
        """The first match at or after `time`."""
        day, second = divmod(time, _DAY)
        found = self._next_day(day + _EPOCH)
        if found is None:
            return None
        if found == day + _EPOCH:
            before = self._times_before(second)
            if before < self.per_day:
                return day * _DAY + self._time(before)
            found = self._next_day(found + 1)
            if found is None:
                return None
        return (found - _EPOCH) * _DAY + self._time(0)

    def last_before(self, time: int) -> int | None:
        """The last match before `time`."""
        day, second = divmod(time, _DAY)
        found = self._last_day(day + _EPOCH)
        if found is None:
            return None
        if found == day + _EPOCH:
            before = self._times_before(second)
            if before > 0:
                return day * _DAY + self._time(before - 1)
            found = self._last_day(found - 1)
            if found is None:
                return None
        return (found - _EPOCH) * _DAY + self._time(self.per_day - 1)

    def matches(self, time: int) -> bool:
        return self.next_from(time) == time

    def count(self, start: int, end: int) -> int:
        """How many matches lie in [start, end)."""
        if start >= end:
            return 0
        first, last = start // _DAY + _EPOCH, end // _DAY + _EPOCH
        total = self._days_between(first, last) * self.per_day
        if self._mask_at(first) & 1:
            total -= self._times_before(start % _DAY)
        if self._mask_at(last) & 1:
            total += self._times_before(end % _DAY)
        return total

    def shortest_step(self) -> int:
        """The smallest number of seconds between two matches, if every day matched."""
        cron = self.cron
        shortest, spread = _DAY, 0
        for values, unit in ((cron.seconds, 1), (cron.minutes, 60), (cron.hours, 3_600)):
            steps = [after - before for before, after in pairwise(values)]
            if steps:
                shortest = min(shortest, min(steps) * unit - spread)
            spread += (values[-1] - values[0]) * unit
        return min(shortest, _DAY - spread)

    # Times of a day

    def _times_before(self, second: int) -> int:
        cron = self.cron
        hour, rest = divmod(second, 3_600)
        at = bisect_left(cron.hours, hour)
        total = at * self._per_hour
        if at < len(cron.hours) and cron.hours[at] == hour:
            minute, rest = divmod(rest, 60)
            at = bisect_left(cron.minutes, minute)
            total += at * self._per_minute
            if at < len(cron.minutes) and cron.minutes[at] == minute:
                total += bisect_left(cron.seconds, rest)
        return total

    def _time(self, number: int) -> int:
        cron = self.cron
        hour, number = divmod(number, self._per_hour)
        minute, second = divmod(number, self._per_minute)
        return cron.hours[hour] * 3_600 + cron.minutes[minute] * 60 + cron.seconds[second]

    # Days (as ordinals of datetime.date)

    def _next_day(self, ordinal: int) -> int | None:
        mask = self._mask_at(ordinal)
        if mask:
            return ordinal + _lowest_bit(mask)
        day = date.fromordinal(ordinal)
        year, month = _shifted(day.year, day.month, 1)
        while year <= _LAST_YEAR:
            mask = self._mask(year, month)
            if mask:
                return date(year, month, 1).toordinal() + _lowest_bit(mask)
            year, month = _shifted(year, month, 1)
        return None

    def _last_day(self, ordinal: int) -> int | None:
        day = date.fromordinal(ordinal)
        year, month = day.year, day.month
        mask = self._mask(year, month) & ((1 << day.day) - 1)
        while year >= _FIRST_YEAR:
            if mask:
                return date(year, month, 1).toordinal() + mask.bit_length() - 1
            year, month = _shifted(year, month, -1)
            mask = self._mask(year, month)
        return None

    def _days_between(self, first: int, last: int) -> int:
        """How many days match in [first, last)."""
        total = 0
        while first < last:
            day = date.fromordinal(first)
            mask = self._mask(day.year, day.month) >> (day.day - 1)
            left = _month(day.year, day.month)[1] - day.day + 1
            if first + left > last:
                mask &= (1 << (last - first)) - 1
            total += mask.bit_count()
            first += left
        return total

    def _mask_at(self, ordinal: int) -> int:
        """The matching days of the month from this day on, the day itself as the lowest bit."""
        day = date.fromordinal(ordinal)
        return self._mask(day.year, day.month) >> (day.day - 1)

    def _mask(self, year: int, month: int) -> int:
        """The matching days of a month, the first one as the lowest bit."""
        if month not in self.cron.months:
            return 0
        first, length = _month(year, month)
        kind = (month, first, length)
        mask = self._masks.get(kind)
        if mask is None:
            mask = self._masks[kind] = _mask_of(self.cron, (first + 1) % 7, length)
        return mask


# Plain arithmetic, but on the path of every occurrence.
_month = lru_cache(maxsize=2_048)(monthrange)


def _mask_of(cron: Cron, first: int, length: int) -> int:
    """`first` is the weekday of the first day, counted from Sunday."""
    mask = 0
    last_weekday = max(day for day in range(length - 2, length + 1) if (first + day - 1) % 7 in range(1, 6))
    for day in range(1, length + 1):
        weekday = (first + day - 1) % 7
        by_date = (
            day in cron.days
            or (LAST_DAY in cron.days and day == length)
            or (LAST_WEEKDAY in cron.days and day == last_weekday)
        )
        by_weekday = (
            weekday in cron.weekdays
            or (weekday, (day + 6) // 7) in cron.nth
            or ((weekday, 0) in cron.nth and day + 7 > length)
        )
        if (by_date and by_weekday) if cron.both_days else (by_date or by_weekday):
            mask |= 1 << (day - 1)
    return mask


def _lowest_bit(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _shifted(year: int, month: int, by: int) -> tuple[int, int]:
    return divmod(year * 12 + month - 1 + by, 12)[0], (month - 1 + by) % 12 + 1


def recurs(pattern: Pattern, years: int = 5) -> bool:
    """Whether there is a match within any `years` years. Decided from the 28-year cycle of the calendar, so that the
    answer never depends on today."""
    if _recurs_yearly(pattern.cron):
        return True
    span = range(2_000, 2_028 + years)
    matching = [year for year in span if pattern.count(_seconds_to(year), _seconds_to(year + 1))]
    return bool(matching) and all(
        later - earlier <= years for earlier, later in pairwise([span.start - 1, *matching, span.stop])
    )


def _recurs_yearly(cron: Cron) -> bool:
    """Decided without looking at dates, which works for nearly all expressions: schedulers parse many."""
    dates = any(day <= 28 for day in cron.days)  # the last day and weekday are negative
    weekdays = bool(cron.weekdays) or any(which <= 4 for _, which in cron.nth)
    if not cron.both_days:
        return dates or weekdays
    return (dates and len(cron.weekdays) == 7) or (len(cron.days) == 31 and weekdays)


def _seconds_to(year: int) -> int:
    return (date(year, 1, 1).toordinal() - _EPOCH) * _DAY


@lru_cache(maxsize=4_096)
def pattern_of(text: str) -> Pattern:
    """The pattern of a valid expression, shared by all users of the same text."""
    return Pattern(parse_cron(text))
