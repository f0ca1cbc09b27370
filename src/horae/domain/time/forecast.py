"""Forecast: how many occurrences of all jobs fall into each minute or hour, without walking over the occurrences.

A calendar counts a range as fast as it finds one instant, so a job costs at most two steps for each minute or hour,
however many occurrences it has there; jobs with equal schedules are counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from operator import add

from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.standing import upcoming_after
from horae.domain.time.blackouts import closed_until, closures
from horae.domain.time.calendar import Calendar, CronCalendar, calendar_of
from horae.domain.time.instants import TICK, instant_of, seconds_of
from horae.domain.time.openings import Timed, next_open
from horae.domain.time.schedule import AfterSchedule, EverySchedule, ManualSchedule

# What one minute or hour of a stream costs, relative to plain arithmetic.
_WALKED, _ASKED = 50, 250


@dataclass(frozen=True, slots=True)
class Forecast:
    """Complete up to `complete_until`; later occurrences were not counted."""

    counts: list[tuple[datetime, int]]
    complete_until: datetime


@dataclass(frozen=True, slots=True)
class _Stream:
    """The occurrences of `jobs` jobs with an equal schedule, from `first` on."""

    schedule: Timed
    calendar: Calendar
    first: datetime
    left: int | None
    jobs: int = 1

    @property
    def grid(self) -> timedelta | None:
        """The interval, for schedules that plain arithmetic can count."""
        plain = isinstance(self.schedule, EverySchedule) and self.left is None and not self.schedule.blackouts
        return self.schedule.interval if plain and isinstance(self.schedule, EverySchedule) else None

    def walks(self, until: datetime, places: int) -> CronCalendar | None:
        """Its calendar, if walking from one occurrence to the next is cheaper than counting by the minute or hour."""
        plain = self.left is None and not self.schedule.blackouts and self.count(until) <= 2 * places
        return self.calendar if plain and isinstance(self.calendar, CronCalendar) else None

    def count(self, until: datetime) -> int:
        """Before `until`, including those in blackouts."""
        return self.calendar.count(self.first - TICK, until - TICK)


def forecast(
    jobs: Sequence[JobRecord], now: datetime, start: datetime, until: datetime, step: timedelta, budget: int
) -> Forecast:
    """The occurrences of enabled jobs from `start` on and before `until`, without those in blackouts. If counting them
    all takes more than `budget` steps, only the beginning of that range is counted, for all jobs."""
    begins = max(start, now)
    seconds = int(step.total_seconds())
    streams = _streams(jobs, now, begins, until)
    while until > begins and sum(_cost(stream, until, seconds) for stream in streams) > budget:
        until = max(begins, instant_of(seconds_of(begins + (until - begins) / 2) // seconds * seconds))
    tally = _Tally(seconds, begins, until)
    for stream in streams:
        if stream.first < until:
            _count(stream, until, tally)
    return Forecast(tally.result(), until)


class _Tally:
    """A count for each minute or hour, by its index."""

    def __init__(self, seconds: int, begins: datetime, until: datetime) -> None:
        self.seconds = seconds
        self.base = seconds_of(begins) // seconds
        size = max(0, seconds_of(until - TICK) // seconds - self.base + 1)
        self.counts = [0] * size
        self._rises = [0] * (size + 1)  # by how much all from here on exceed those before

    def add_to_all(self, first: int, last: int, many: int) -> None:
        self._rises[first] += many
        self._rises[last + 1] -= many

    def result(self) -> list[tuple[datetime, int]]:
        totals = map(add, self.counts, accumulate(self._rises))
        return [(instant_of((self.base + place) * self.seconds), many) for place, many in enumerate(totals) if many]


def _streams(jobs: Iterable[JobRecord], now: datetime, begins: datetime, until: datetime) -> list[_Stream]:
    found: dict[Hashable, _Stream] = {}
    shared: Counter[Hashable] = Counter()
    for job in jobs:
        schedule = job.spec.schedule
        if isinstance(schedule, ManualSchedule | AfterSchedule):
            continue
        left = None if schedule.max_runs is None else schedule.max_runs - job.fired_count
        if left is not None and left <= 0:
            continue
        calendar = calendar_of(schedule, job.anchor_at)
        first = next_open(schedule, calendar, max(upcoming_after(job, now), begins - TICK))
        if first is None or first >= until or closed_until(schedule.blackouts, schedule.timezone, first) is not None:
            continue
        key = (schedule, first, left)
        found.setdefault(key, _Stream(schedule, calendar, first, left))
        shared[key] += 1
    return [_Stream(one.schedule, one.calendar, one.first, one.left, shared[key]) for key, one in found.items()]


def _cost(stream: _Stream, until: datetime, seconds: int) -> int:
    if stream.first >= until:
        return 0
    places = seconds_of(until - TICK) // seconds - seconds_of(stream.first) // seconds + 1
    if stream.grid is not None:
        even = timedelta(seconds=seconds) % stream.grid == timedelta(0)
        return 1 if even else min(places, stream.count(until))
    if stream.walks(until, places):
        return _WALKED * stream.count(until)
    return _ASKED * min(places, stream.count(until) if stream.left is None else stream.left)


def _count(stream: _Stream, until: datetime, tally: _Tally) -> None:
    if stream.grid is not None:
        _count_grid(stream, stream.grid, until, tally)
    elif cron := stream.walks(until, len(tally.counts)):
        _walk(stream, cron, until, tally)
    else:
        _ask(stream, until, tally)


def _count_grid(stream: _Stream, interval: timedelta, until: datetime, tally: _Tally) -> None:
    """An interval, in whole microseconds."""
    size = tally.seconds * 1_000_000
    wide = interval // TICK
    first = (seconds_of(stream.first) - tally.base * tally.seconds) * 1_000_000 + stream.first.microsecond
    end = first + stream.count(until) * wide  # the one after the last
    counts, jobs = tally.counts, stream.jobs
    if wide >= size:
        for at in range(first, end, wide):
            counts[at // size] += jobs
        return
    places = range(first // size, (end - wide) // size + 1)
    if size % wide == 0 and len(places) > 2:  # all except the first and the last have the same number
        tally.add_to_all(places[1], places[-2], size // wide * jobs)
        places = places[:: len(places) - 1]
    for place in places:
        before, after = place * size, (place + 1) * size
        counts[place] += jobs * (_up_to(first, end, wide, after) - _up_to(first, end, wide, before))


def _up_to(first: int, end: int, wide: int, at: int) -> int:
    """How many of a grid come before `at`."""
    return max(0, -((first - min(at, end)) // wide))


def _walk(stream: _Stream, cron: CronCalendar, until: datetime, tally: _Tally) -> None:
    end = seconds_of(until - TICK)
    at: int | None = seconds_of(stream.first)
    while at is not None and at <= end:
        tally.counts[at // tally.seconds - tally.base] += stream.jobs
        at = cron.find_next(at + 1)


def _ask(stream: _Stream, until: datetime, tally: _Tally) -> None:
    schedule, calendar, left = stream.schedule, stream.calendar, stream.left
    at: datetime | None = stream.first
    while at is not None and at < until and (left is None or left > 0):
        if closed_until(schedule.blackouts, schedule.timezone, at) is not None:
            return  # none is outside of blackouts: see next_open
        place = seconds_of(at) // tally.seconds
        ends = min(instant_of((place + 1) * tally.seconds), until)
        found = _open(schedule, calendar, at - TICK, ends - TICK)
        if left is not None:
            found = min(found, left)
            left -= found
        tally.counts[place - tally.base] += found * stream.jobs
        at = next_open(schedule, calendar, ends - TICK)


def _open(schedule: Timed, calendar: Calendar, after: datetime, until: datetime) -> int:
    """How many lie in (after, until], outside of blackouts."""
    total = calendar.count(after, until)
    if schedule.blackouts:
        for start, end in closures(schedule.blackouts, schedule.timezone, after, until):
            total -= calendar.count(max(start - TICK, after), min(end - TICK, until))
    return total
