"""What `fire` decides for one due job: which occurrences become runs, which are skipped and why, and where its schedule
continues. Pure: the verb in lifecycle/fire.py writes the decision."""

from __future__ import annotations

import dataclasses
import json
from bisect import bisect
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from horae.domain.errors import Unreadable
from horae.domain.jobs.fault import LeftOut
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.policy import CatchUp, Overlap
from horae.domain.jobs.stored import FIRST_PLAN, fields_of, unreadable
from horae.domain.runs.states import SkipReason
from horae.domain.time.blackouts import Stretch, closures
from horae.domain.time.calendar import Calendar, calendar_of
from horae.domain.time.instants import TICK, seconds_of
from horae.domain.time.openings import Timed, backward, forward, next_open
from horae.domain.time.schedule import AfterSchedule, AtSchedule, ManualSchedule, Schedule


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

    def start_by(self, due_at: datetime | None) -> datetime | None:
        """The deadline by which a run that is due then must have started; None: no deadline."""
        if self.start_within is None or due_at is None:
            return None
        return due_at + timedelta(seconds=self.start_within)


class DueJob(NamedTuple):
    """A job whose `next_run_at` has come, its row locked by the verb."""

    id: str
    project_id: str
    version: int
    plan: Plan
    anchor_at: datetime
    next_run_at: datetime
    fired_through: datetime | None
    fired_count: int
    bounded: bool = False  # whether its project has a quota of live runs
    function_off: bool = False  # whether the function that it calls is disabled


@dataclass(frozen=True, slots=True)
class DueJobs:
    """What is due: the jobs, those that cannot be read, whether there may be more, and the time by which they are."""

    jobs: list[DueJob]
    left_out: list[LeftOut]
    more: bool
    at: datetime | None  # None if there are none


class ToWake(NamedTuple):
    """Whether there are jobs whose pause has ended, and runs requested for later whose time has come."""

    paused: bool
    delayed: bool


class Occurrence(NamedTuple):
    """One nominal instant that becomes a run; `due_at` differs from `at` only by the jitter."""

    at: datetime
    due_at: datetime
    in_order: bool = False  # caught up: waits for the previous one


@dataclass(frozen=True, slots=True)
class SkippedRange:
    """`count` occurrences from `first` to `last` (both inclusive) that do not run."""

    reason: SkipReason
    first: datetime
    last: datetime
    count: int


class Firing(NamedTuple):
    """The decision. Rows for `occurrences` and `skipped` account for everything in
    (fired_through before, fired_through after]."""

    occurrences: tuple[Occurrence, ...]
    skipped: tuple[SkippedRange, ...]
    next_run_at: datetime | None
    fired_through: datetime
    whole: Firing | None = None  # without `max_runs`, which these would reach: some of them may still be skipped


_SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
_PLAN = TypeAdapter(Plan)

MERELY_LATE = timedelta(seconds=60)
MOST_CAUGHT_UP = 1_000
_LOOK_BACK = timedelta(days=100)
_MOST_CLOSURES = 250


def plan_of(spec: JobSpec) -> Plan:
    return Plan(
        schedule=spec.schedule,
        catch_up=spec.catch_up,
        catch_up_window=spec.catch_up_window,
        overlap=spec.overlap,
        max_instances=spec.gate_limit,
        queue=spec.queue,
        priority=spec.priority,
        needs=spec.target.needs,
        start_within=spec.start_within,
    )


def plan_text(spec: JobSpec) -> str:
    """The plan as stable, compact JSON: equal plans have equal texts."""
    plan = plan_of(spec)
    # Unknown fields may belong to a newer version's plan, which reads them here.
    fields: dict[str, Any] = dict(spec.model_extra or {})
    for field in dataclasses.fields(Plan):
        value = getattr(plan, field.name)
        if field.name in FIRST_PLAN or value != field.default:
            fields[field.name] = value
    # Without defaults: there are as many plans as jobs, and few use the options.
    schedule = _SCHEDULE.dump_python(plan.schedule, mode="json", exclude_defaults=True)
    fields["schedule"] = fields_of(plan.schedule, schedule)
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=16_384)
def parse_plan(text: str) -> Plan:
    """Raises Unreadable if this version cannot parse it; unknown fields are ignored."""
    try:
        return _PLAN.validate_json(text, extra="ignore")
    except ValidationError as error:
        raise unreadable(error) from None
    except (ValueError, RecursionError):
        raise Unreadable("it is not valid JSON") from None


def first_occurrence(schedule: Schedule, anchor: datetime, after: datetime | None = None) -> datetime | None:
    """When a schedule first comes due strictly after `after`; for a new job (None), at or after its `anchor`. An `at`
    in the past is due at once: `decide` then applies the catch-up rule to it."""
    if isinstance(schedule, ManualSchedule | AfterSchedule):
        return None
    if isinstance(schedule, AtSchedule):
        return schedule.at
    return next_open(schedule, calendar_of(schedule, anchor), anchor - TICK if after is None else after)


def decide(job: DueJob, now: datetime) -> Firing:
    """Accounts for every occurrence that is due at `now`, and says when the next one is. Nothing at or before
    `fired_through` is touched again, regardless of `next_run_at`."""
    schedule, first, through = job.plan.schedule, job.next_run_at, job.fired_through
    if isinstance(schedule, ManualSchedule | AfterSchedule):
        return Firing((), (), None, first - TICK if through is None else through)
    calendar = calendar_of(schedule, job.anchor_at)
    if _plain(schedule) and now - first <= MERELY_LATE and (through is None or through < first):
        # By far the most common: one occurrence, on time. Zone rules may have changed since it was computed.
        following = calendar.next_after(first)
        if (following is None or following > now) and calendar.next_after(first - TICK) == first <= now:
            return Firing((Occurrence(first, _due_at(job, first)),), (), following, first)
    return _Decision(job, schedule, calendar, now).make()


def decline(job: DueJob, now: datetime, reason: SkipReason = SkipReason.MISSED) -> Firing:
    """Accounts for the same occurrences, but none of them runs: the schedule is paused or disabled, or its function
    is."""
    schedule = job.plan.schedule
    if isinstance(schedule, ManualSchedule | AfterSchedule):
        return decide(job, now)
    return _Decision(job, schedule, calendar_of(schedule, job.anchor_at), now, declined=reason).make()


def _plain(schedule: Timed) -> bool:
    return not schedule.blackouts and schedule.max_runs is None and schedule.dst_gap == "run_after"


class _Decision:
    """The general case: lateness, catch-up, blackouts, gaps, `max_runs`."""

    def __init__(
        self,
        job: DueJob,
        schedule: Timed,
        calendar: Calendar,
        now: datetime,
        *,
        declined: SkipReason | None = None,
    ) -> None:
        self._declined = declined
        self._job = job
        self._schedule = schedule
        self._calendar = calendar
        self._now = now
        # `next_run_at` skips blackouts and gaps: those count from the start of the job or of its schedule.
        self._after = min(job.anchor_at, job.next_run_at) - TICK
        if job.fired_through is not None:
            self._after = max(self._after, job.fired_through)
        self._known_since = self._after  # from when blackouts are listed individually

    def make(self) -> Firing:
        job, now, schedule = self._job, self._now, self._schedule
        left = None if schedule.max_runs is None else schedule.max_runs - job.fired_count
        if left is not None and left <= 0:
            return Firing((), (), None, self._after)
        closed, opened = self._stretches()
        chosen, in_order = self._choose(opened)
        skipped = self._skipped(closed, opened, chosen)
        through = max([self._after, *chosen[-1:], *(row.last for row in skipped)])
        whole = Firing(
            occurrences=tuple(Occurrence(at, _due_at(job, at), in_order) for at in chosen),
            skipped=skipped,
            next_run_at=next_open(schedule, self._calendar, max(now, through)),
            fired_through=through,
        )
        return whole if left is None or len(chosen) < left else finished(whole, left)._replace(whole=whole)

    def _stretches(self) -> tuple[list[Stretch], list[Stretch]]:
        """What is due, as (after, until] ranges inside and outside of blackouts."""
        schedule, now = self._schedule, self._now
        start = max(self._after, self._job.next_run_at - TICK)
        # Further back everything counts as missed, without regard to blackouts: this bounds work and rows.
        since = max(self._after, now - _LOOK_BACK)
        found = closures(schedule.blackouts, schedule.timezone, since, now) if schedule.blackouts else []
        if len(found) > _MOST_CLOSURES:
            found = found[-_MOST_CLOSURES:]
            since = found[0][0] - TICK
        self._known_since = since
        closed = [(max(begins - TICK, since), min(ends - TICK, now)) for begins, ends in found]
        if schedule.blackouts and self._after < min(start, since):
            closed.insert(0, (self._after, min(start, since)))  # `next_run_at` only skipped blackouts
        opened = []
        for after, until in closed:
            if after > start:
                opened.append((start, after))
            start = max(start, until)
        if now > start:
            opened.append((start, now))
        return closed, opened

    def _choose(self, opened: list[Stretch]) -> tuple[list[datetime], bool]:
        """What runs, and whether it is caught up (then it runs in order)."""
        calendar, now, plan = self._calendar, self._now, self._job.plan
        oldest = next(forward(calendar, opened), None)
        if oldest is None or self._declined is not None:
            return [], False
        if now - oldest <= MERELY_LATE:
            return list(forward(calendar, opened)), False
        since = now - timedelta(seconds=plan.catch_up_window) - TICK
        if self._schedule.blackouts:
            since = max(since, self._known_since)
        recent = [(max(after, since), until) for after, until in opened if until > since]
        if plan.catch_up == "none":
            return [], False
        if plan.catch_up == "first":
            return list(islice(forward(calendar, recent), 1)), True
        most = 1 if plan.catch_up == "last" else MOST_CAUGHT_UP
        return list(islice(backward(calendar, recent), most))[::-1], True

    def _skipped(
        self, closed: list[Stretch], opened: list[Stretch], chosen: list[datetime]
    ) -> tuple[SkippedRange, ...]:
        stretches = [(after, end, SkipReason.BLACKOUT) for after, end in closed]
        for after, end in opened:
            if not chosen:
                stretches.append((after, end, self._declined or SkipReason.MISSED))
                continue
            stretches.append((after, min(end, chosen[0] - TICK), SkipReason.MISSED))
            stretches.append((max(after, chosen[-1]), end, SkipReason.MISSED))
        rows: list[SkippedRange] = []
        for after, end, reason in sorted(stretches):
            row = skipped_range(self._calendar, reason, after, end)
            if row is None:
                continue
            last = rows[-1] if rows else None
            if last and last.reason is reason and bisect(chosen, last.last) == bisect(chosen, row.first):
                rows[-1] = replace(last, last=row.last, count=last.count + row.count)
            else:
                rows.append(row)
        gaps = self._calendar.gaps(self._after, self._now)
        rows += [SkippedRange(SkipReason.DST_GAP, at, at, 1) for at in gaps]
        return tuple(sorted(rows, key=lambda row: row.first))


def finished(firing: Firing, left: int) -> Firing:
    """The same if the schedule ends after `max_runs` runs: what would follow is not an occurrence."""
    occurrences = firing.occurrences[:left]
    last = occurrences[-1].at
    return Firing(occurrences, tuple(row for row in firing.skipped if row.first < last), None, last)


def skipped_range(calendar: Calendar, reason: SkipReason, after: datetime, until: datetime) -> SkippedRange | None:
    """One row for all occurrences in (after, until], or None if there is none."""
    if after >= until:
        return None
    first, last = calendar.next_after(after), calendar.last_at_or_before(until)
    if first is None or last is None or first > until:
        return None
    return SkippedRange(reason, first, last, calendar.count(after, until))


def _due_at(job: DueJob, at: datetime) -> datetime:
    schedule = job.plan.schedule
    return at if isinstance(schedule, ManualSchedule) else spread(job.id, schedule.jitter, at)


def spread(job_id: str, jitter: float, at: datetime) -> datetime:
    """Later by the jitter, the same in every process and at every attempt to fire."""
    if not jitter:
        return at
    digest = blake2b(f"{job_id} {seconds_of(at)}.{at.microsecond}".encode(), digest_size=4).digest()
    return at + timedelta(milliseconds=int(jitter * 1_000 * int.from_bytes(digest, "big") / 2**32))
