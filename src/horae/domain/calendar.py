"""The occurrences of a schedule, as instants in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Protocol

from cronsim import CronSim

from horae.domain.schedule import AtSchedule, CronSchedule, EverySchedule, Schedule
from horae.domain.zones import zone


class Calendar(Protocol):
    def next_after(self, instant: datetime) -> datetime | None: ...

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]: ...

    def count(self, after: datetime, until: datetime) -> int: ...


class _Stepping:
    def next_after(self, instant: datetime) -> datetime | None:
        return None

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        found = self.next_after(after)
        while found is not None and found <= until:
            yield found
            found = self.next_after(found)

    def count(self, after: datetime, until: datetime) -> int:
        return sum(1 for _ in self.between(after, until))


class _Cron(_Stepping):
    def __init__(self, schedule: CronSchedule) -> None:
        self._text = schedule.cron
        self._zone = zone(schedule.timezone)
        self._start = schedule.start_at
        self._end = schedule.end_at

    def next_after(self, instant: datetime) -> datetime | None:
        if self._start is not None:
            instant = max(instant, self._start - timedelta(microseconds=1))
        found = next(CronSim(self._text, instant.astimezone(self._zone)), None)
        if found is None:
            return None
        found = found.astimezone(UTC)
        return None if self._end is not None and found > self._end else found


class _Every(_Stepping):
    def __init__(self, schedule: EverySchedule, anchor: datetime) -> None:
        self._from = schedule.start_at or anchor
        self._step = timedelta(seconds=schedule.seconds)
        self._end = schedule.end_at

    def next_after(self, instant: datetime) -> datetime | None:
        if instant < self._from:
            found = self._from
        else:
            found = self._from + ((instant - self._from) // self._step + 1) * self._step
        return None if self._end is not None and found > self._end else found


class _At(_Stepping):
    def __init__(self, schedule: AtSchedule) -> None:
        self._at = schedule.at

    def next_after(self, instant: datetime) -> datetime | None:
        return self._at if instant < self._at else None


@lru_cache(maxsize=16_384)
def calendar_of(schedule: Schedule, anchor: datetime) -> Calendar:
    if isinstance(schedule, CronSchedule):
        return _Cron(schedule)
    if isinstance(schedule, EverySchedule):
        return _Every(schedule, anchor)
    if isinstance(schedule, AtSchedule):
        return _At(schedule)
    return _Stepping()
