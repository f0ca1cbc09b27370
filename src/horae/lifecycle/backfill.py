"""Backfill: runs the occurrences of a past range, a limited number at a time. The operation's row holds its progress;
when one of its runs ends, the same transaction queues the next, so it continues on its own and survives any crash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any

from horae.accounts.audit import about_job
from horae.accounts.quotas import take
from horae.domain.errors import Conflict, DuplicateKey, InvalidInput, Unreadable
from horae.domain.jobs.function import NEEDS, switched_off
from horae.domain.jobs.job_record import JobHead, JobRecord
from horae.domain.jobs.standing import TICK
from horae.domain.people.audit import differing
from horae.domain.people.quota import Quota
from horae.domain.runs.firing import parse_plan, plan_text
from horae.domain.runs.operation import NewOperation, Operation
from horae.domain.runs.run import NewRun
from horae.domain.runs.states import Trigger
from horae.domain.time.calendar import Calendar, calendar_of
from horae.domain.time.schedule import AfterSchedule, EverySchedule, ManualSchedule, Schedule
from horae.lifecycle.find import found_operation, readable
from horae.lifecycle.functions import function_is_off
from horae.ports import Transaction

MOST = 100_000
KIND = "backfill"


@dataclass(frozen=True, slots=True)
class Backfill:
    """The request: a range, both ends inclusive."""

    start: datetime
    end: datetime
    parallelism: int = 1
    again: bool = False  # even if the same occurrences were backfilled before


@dataclass(frozen=True, slots=True)
class BackfillPlan:
    """What a backfill would do."""

    total: int
    first: datetime | None
    last: datetime | None
    existing: str | None = None  # the operation that runs the same occurrences, or ran them


async def plan_backfill(tx: Transaction, *, project_id: str, ref: str, start: datetime, end: datetime) -> BackfillPlan:
    job = await readable(tx, project_id, ref)
    plan = await _plan(tx, job, start, end)
    same = await _same(tx, job, plan)
    return replace(plan, existing=same.id) if same else plan


async def start_backfill(
    tx: Transaction,
    *,
    operation_id: str,
    project_id: str,
    ref: str,
    wanted: Backfill,
    actor: str,
) -> Operation:
    """Starts a backfill; repeated with the same id it is the same operation. The same occurrences under the same
    definition are backfilled once, unless they are `wanted` again: a second request gets the operation that runs or ran
    them."""
    known = await tx.operations.find(project_id, operation_id)
    if known is not None:
        return known
    start, end = wanted.start, wanted.end
    # Locked: a request for the same, or to delete the job, finds this operation, or comes first.
    job = await readable(tx, project_id, ref, lock=True)
    if await function_is_off(tx, job.spec):
        raise Conflict(switched_off(job.spec.target.needs.removeprefix(NEEDS)))
    plan = await _plan(tx, job, start, end)
    if plan.total > MOST:
        raise InvalidInput("end", f"the range has {plan.total} occurrences; at most {MOST} go into one backfill")
    if not wanted.again and (same := await _same(tx, job, plan)):
        return same
    # As many as run concurrently. Each end of one of them queues the next in its place, which is never refused.
    await take(tx, project_id, {Quota.LIVE_RUNS: min(plan.total, wanted.parallelism)})
    details = {
        "start": start.isoformat(),
        "end": end.isoformat(),
        "after": (start - TICK).isoformat(),
        "parallelism": wanted.parallelism,
        "version": job.version,
        "anchor": job.anchor_at.isoformat(),  # an edit moves the job's own
        "queued": 0,
    }
    operation = NewOperation(
        operation_id, project_id, KIND, job.id, details, plan.total, actor, _fingerprint(job, plan)
    )
    try:
        await tx.operations.insert(operation)
    except DuplicateKey:
        raise Conflict("an operation with this id exists already") from None
    asked = {"operation": operation_id, "start": start, "end": end, "parallelism": wanted.parallelism}
    await about_job(tx, "job.backfill", job, actor, differing({}, asked))
    return await _refill(tx, operation_id, ended=0)


async def continue_backfills(tx: Transaction, ended: Collection[str]) -> None:
    """Queues what the end of these runs makes room for. Operations are processed in id order, to avoid deadlocks."""
    counts = Counter(await tx.operations.of_ended(ended))
    for operation_id in sorted(counts):
        await _refill(tx, operation_id, ended=counts[operation_id])


async def _refill(tx: Transaction, operation_id: str, *, ended: int) -> Operation:
    operation = await tx.operations.find(None, operation_id, lock=True)
    if operation is None or operation.state != "running" or operation.job_id is None:
        return await found_operation(tx, None, operation_id)
    details, done = operation.details, operation.done + ended
    live = len(await tx.operations.unfinished(operation_id))
    try:
        runs = await _next_runs(tx, operation, max(details["parallelism"] - live, 0))
    except (KeyError, TypeError, ValueError):  # its runs must be able to end nevertheless
        await tx.operations.finish(operation_id, "failed", "its record in the database cannot be read")
        return await found_operation(tx, None, operation_id)
    except Unreadable as error:
        await tx.operations.finish(operation_id, "failed", f"the definition cannot be read: {error}")
        return await found_operation(tx, None, operation_id)
    await tx.runs.insert(runs)
    if runs:
        details = {**details, "after": _iso(runs[-1].scheduled_for), "queued": details.get("queued", 0) + len(runs)}
    await tx.operations.progress(operation_id, done=done, details=details)
    if not runs and not live:
        await tx.operations.finish(operation_id, "done")
    return await found_operation(tx, None, operation_id)


async def _next_runs(tx: Transaction, operation: Operation, places: int) -> Sequence[NewRun]:
    job_id, details = operation.job_id or "", operation.details
    spec = (await tx.jobs.definitions([(job_id, details["version"])])).get((job_id, details["version"]))
    if spec is None or not places:
        return []
    if spec.fault:
        raise Unreadable(spec.fault)
    calendar = _calendar_from(spec.schedule, _at(details["anchor"]), _at(details["start"]))
    if calendar is None:
        return []
    due = list(islice(calendar.between(_at(details["after"]), _at(details["end"])), places))
    job = JobHead(job_id, operation.project_id, details["version"], plan_text(spec))
    plan = parse_plan(job.plan)
    return [
        NewRun.of(
            job,
            plan,
            id=tx.new_id(),
            trigger=Trigger.BACKFILL,
            scheduled_for=at,
            operation_id=operation.id,
            triggered_by=operation.created_by,
        )
        for at in due
    ]


async def _calendar(tx: Transaction, job: JobRecord, start: datetime, end: datetime) -> Calendar:
    if end < start:
        raise InvalidInput("end", "must not be before start")
    if end > await tx.now():
        raise InvalidInput("end", "must not be in the future")
    calendar = _calendar_from(job.spec.schedule, job.anchor_at, start)
    if calendar is None:
        raise InvalidInput("job", "has no schedule to backfill: it is started manually or by another job")
    return calendar


def _calendar_from(schedule: Schedule, anchor: datetime, start: datetime) -> Calendar | None:
    """Extends the grid of `every` back to the start of the backfill, in whole intervals."""
    if isinstance(schedule, ManualSchedule | AfterSchedule):
        return None
    if isinstance(schedule, EverySchedule) and start < anchor:
        anchor -= -(-(anchor - start) // schedule.interval) * schedule.interval
    return calendar_of(schedule, anchor)


async def _plan(tx: Transaction, job: JobRecord, start: datetime, end: datetime) -> BackfillPlan:
    calendar = await _calendar(tx, job, start, end)
    after = start - TICK
    total = calendar.count(after, end)
    if not total:
        return BackfillPlan(0, None, None)
    return BackfillPlan(total, calendar.next_after(after), calendar.last_at_or_before(end))


async def _same(tx: Transaction, job: JobRecord, plan: BackfillPlan) -> Operation | None:
    return await tx.operations.same(job.id, _fingerprint(job, plan)) if plan.total else None


def _fingerprint(job: JobRecord, plan: BackfillPlan) -> str:
    """Two ranges with the same occurrences are one backfill; after an edit of the job it is another."""
    return sha256(f"{job.version} {plan.total} {_iso(plan.first)} {_iso(plan.last)}".encode()).hexdigest()


def _at(text: Any) -> datetime:
    return datetime.fromisoformat(text)


def _iso(at: datetime | None) -> str:
    return at.isoformat() if at is not None else ""
