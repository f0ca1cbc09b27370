"""The agenda: upcoming occurrences of all jobs in a time range, in order."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.standing import upcoming_after
from horae.domain.time.blackouts import closed_until
from horae.domain.time.calendar import calendar_of
from horae.domain.time.instants import TICK
from horae.domain.time.openings import next_open
from horae.domain.time.schedule import AfterSchedule, ManualSchedule


class AgendaEntry(NamedTuple):
    at: datetime
    job_id: str
    job_name: str


@dataclass(frozen=True, slots=True)
class Agenda:
    """Nothing is missing before `complete_until`."""

    entries: list[AgendaEntry]
    complete_until: datetime


def agenda(jobs: Sequence[JobRecord], now: datetime, start: datetime, until: datetime, most: int) -> Agenda:
    """The occurrences of enabled jobs from `start` on and before `until`, without those in blackouts. The past is not
    included: the history has it."""
    found = heapq.merge(*(_occurrences(job, now, max(start, now), until) for job in jobs))
    entries = list(islice(found, most))
    # The first one that does not fit may be at the same instant as the last one that does.
    more = next(found, None)
    return Agenda(entries, until if more is None else more.at)


def _occurrences(job: JobRecord, now: datetime, start: datetime, until: datetime) -> Iterator[AgendaEntry]:
    schedule = job.spec.schedule
    if isinstance(schedule, ManualSchedule | AfterSchedule):
        return
    calendar = calendar_of(schedule, job.anchor_at)
    after = max(upcoming_after(job, now), start - TICK)
    left = None if schedule.max_runs is None else schedule.max_runs - job.fired_count
    while left is None or left > 0:
        at = next_open(schedule, calendar, after)
        if at is None or at >= until or closed_until(schedule.blackouts, schedule.timezone, at) is not None:
            return
        yield AgendaEntry(at, job.id, job.spec.name)
        after, left = at, None if left is None else left - 1
