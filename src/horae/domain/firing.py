"""What `fire` decides for one due job: which occurrences become runs, which are skipped and why, and
where its schedule goes on. Pure: the verb in lifecycle/fire.py writes what is decided here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from horae.domain.calendar import calendar_of
from horae.domain.job import JobSpec
from horae.domain.policy import CatchUp, Overlap
from horae.domain.schedule import AtSchedule, Schedule
from horae.domain.states import SkipReason


@dataclass(frozen=True, slots=True)
class Plan:
    """The part of a job's definition that firing needs. Stored as text beside the job, so that jobs with
    equal plans share one parsed object (see `parse_plan`) and its computed occurrences."""

    schedule: Schedule
    catch_up: CatchUp
    catch_up_window: int
    overlap: Overlap
    max_instances: int | None
    queue: str
    priority: int
    needs: str
    start_within: float | None


@dataclass(frozen=True, slots=True)
class DueJob:
    """A job whose `next_run_at` has come, its row locked by the verb."""

    id: str
    project_id: str
    version: int
    plan: Plan
    anchor_at: datetime
    next_run_at: datetime
    fired_through: datetime | None
    fired_count: int


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One nominal instant that becomes a run; `due_at` differs from `at` by the jitter alone."""

    at: datetime
    due_at: datetime
    in_order: bool = False  # caught up: waits for the one before it


@dataclass(frozen=True, slots=True)
class SkippedRange:
    """`count` occurrences from `first` to `last` (both inclusive) that do not run."""

    reason: SkipReason
    first: datetime
    last: datetime
    count: int


@dataclass(frozen=True, slots=True)
class Firing:
    """The decision. Rows for `occurrences` and `skipped` account for everything in
    (fired_through before, fired_through after]."""

    occurrences: tuple[Occurrence, ...]
    skipped: tuple[SkippedRange, ...]
    next_run_at: datetime | None
    fired_through: datetime


_SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
_TICK = timedelta(microseconds=1)


def plan_of(spec: JobSpec) -> Plan:
    return Plan(
        schedule=spec.schedule,
        catch_up=spec.catch_up,
        catch_up_window=spec.catch_up_window,
        overlap=spec.overlap,
        max_instances=spec.gate,
        queue=spec.queue,
        priority=spec.priority,
        needs=spec.target.needs,
        start_within=spec.start_within,
    )


def plan_text(spec: JobSpec) -> str:
    """The plan as stable, compact JSON: equal plans have equal texts."""
    plan = plan_of(spec)
    fields: dict[str, Any] = {name: getattr(plan, name) for name in Plan.__slots__}
    fields["schedule"] = _SCHEDULE.dump_python(plan.schedule, mode="json")
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=16_384)
def parse_plan(text: str) -> Plan:
    fields = json.loads(text)
    fields["schedule"] = _SCHEDULE.validate_python(fields["schedule"])
    return Plan(**fields)


def first_occurrence(schedule: Schedule, anchor: datetime, after: datetime | None = None) -> datetime | None:
    """The first occurrence strictly after `after`; for a job that is just made (None) the first at or
    after `anchor`. An `at` in the past is due at once: `decide` then applies the catch-up rule."""
    if isinstance(schedule, AtSchedule):
        after = datetime.min.replace(tzinfo=UTC)
    return calendar_of(schedule, anchor).next_after(anchor - _TICK if after is None else after)


def decide(job: DueJob, now: datetime) -> Firing:
    calendar = calendar_of(job.plan.schedule, job.anchor_at)
    after = job.next_run_at - _TICK
    if job.fired_through is not None:
        after = max(after, job.fired_through)
    due = list(calendar.between(after, now))
    occurrences = tuple(Occurrence(at, at) for at in due[-1:])
    skipped: tuple[SkippedRange, ...] = ()
    if len(due) > 1:
        skipped = (SkippedRange(SkipReason.MISSED, due[0], due[-2], len(due) - 1),)
    return Firing(occurrences, skipped, calendar.next_after(now), due[-1] if due else after)
