"""Submit: what people request. Jobs are created and deleted, runs are triggered."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from horae.accounts.audit import about_job, did
from horae.accounts.channels import check_notify
from horae.accounts.projects import hold_project
from horae.accounts.quotas import take
from horae.accounts.secrets import check_definition
from horae.domain.errors import Conflict, DuplicateKey, InvalidInput, NeedsTransaction, StaleVersion, Unreadable
from horae.domain.jobs.deletion import Deletion
from horae.domain.jobs.difference import Change, made
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobHead, JobRecord, NewJob
from horae.domain.jobs.unreadable import missing_spec
from horae.domain.people.quota import Quota
from horae.domain.runs.firing import Plan, first_occurrence, parse_plan, plan_of, plan_text
from horae.domain.runs.gate import NO_GATE, JobGate
from horae.domain.runs.run import NewRun
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import Trigger
from horae.domain.time.rate import per_hour
from horae.lifecycle.deletion import portion
from horae.lifecycle.ended import cancel_live
from horae.lifecycle.find import found, locked, no_job, unreadable_job
from horae.lifecycle.follow import set_upstream
from horae.lifecycle.functions import check_function, check_inputs
from horae.lifecycle.reservations import check_queue
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class TriggerRequest:
    """One requested run. The caller generates its id, so that a repeated request creates no second run."""

    run_id: str
    input: str | None = None
    run_at: datetime | None = None
    priority: int | None = None
    rerun_of: str | None = None
    scheduled_for: datetime | None = None  # that of the first run, for reruns
    traceparent: str | None = None


class _Turns(NamedTuple):
    """Which requested runs pass their job's gate; others are held. `now` where it matters."""

    placed: Collection[str]
    delayed: Collection[str]  # for later: they take no place until then
    contested: bool
    now: datetime | None


class AdmittedRuns(NamedTuple):
    """Runs that may be queued."""

    runs: list[NewRun]
    delayed: bool  # some are for later
    contested: bool


async def create_job(
    tx: Transaction, *, job_id: str, project_id: str, spec: JobSpec, enabled: bool, actor: str
) -> JobRecord:
    existing = await tx.jobs.find(project_id, spec.name)
    if existing is not None:
        if existing.id == job_id:  # a repeated request
            return existing
        raise Conflict(f"a job named {spec.name!r} exists already", field="name")
    await hold_project(tx, project_id)
    await check_definition(tx, project_id, spec)
    await check_notify(tx, project_id, spec)
    await check_function(tx, project_id, spec)
    await take(tx, project_id, {Quota.JOBS: 1, Quota.FIRES_PER_MINUTE: per_hour(spec.schedule) if enabled else 0})
    now = await tx.now()
    next_run_at = first_occurrence(spec.schedule, now) if enabled else None
    job = NewJob(job_id, project_id, spec, plan_text(spec), enabled, now, next_run_at, actor, now)
    try:
        await tx.jobs.insert(job)
    except DuplicateKey:
        raise Conflict(f"a job named {spec.name!r} exists already", field="name") from None
    await check_queue(tx, project_id, spec.queue)
    await set_upstream(tx, project_id, job_id, spec)
    tx.hint("jobs")
    record = await found(tx, project_id, job_id)
    off = [] if enabled else [Change("enabled", None, False)]
    await about_job(tx, "job.create", record, actor, [*made(spec), *off])
    return record


async def delete_job(
    tx: Transaction, *, project_id: str, ref: str, actor: str, expected_version: int | None = None
) -> None:
    """Cancels what is queued, asks what runs to cancel, and keeps the history. The job is gone at once and its name
    free; of very many runs the first are cancelled here and the others in portions, by schedulers."""
    gone = tx.repeated and await tx.jobs.find(project_id, ref) is None
    if gone and await did(tx, "job.delete", project_id, ref, actor):
        return
    job = await locked(tx, project_id, ref)
    if expected_version not in (None, job.version):
        raise StaleVersion(f"the job is at version {job.version}, not {expected_version}")
    await tx.dependencies.lock()
    if waiting := await tx.dependencies.names_downstream(job.id):
        raise Conflict(f"other jobs wait for it: {', '.join(waiting[:5])}")
    # Its operations first: the end of one of their runs would queue the next.
    for operation_id in await tx.operations.running_of(job.id):
        await tx.operations.finish(operation_id, "cancelled", "the job was deleted")
    deletion = Deletion(job.id, project_id, actor)
    live, more = await portion(tx, deletion)  # transactions that end runs lock them first, then their gate
    await tx.jobs.delete(job.id)
    await cancel_live(tx, live, actor)
    if more:
        await tx.deletions.add(deletion)
    await tx.unreadable.forget(job.id)
    await tx.badges.delete_of(project_id, "job", job.id)
    await about_job(tx, "job.delete", job, actor, [Change("version", job.version, None)])


async def trigger(
    tx: Transaction, *, project_id: str, ref: str, runs: Sequence[TriggerRequest], trigger: Trigger, actor: str
) -> list[RunRecord]:
    """Queues runs of a job now or at their time; at the job's limit they wait for their turn. Not audited: each run
    records who requested it and when, and this is the busiest call of all."""
    if tx.repeated and (made := await _triggered(tx, project_id, runs)):
        return made
    job = await (tx.jobs.recent_head if tx.alone else tx.jobs.head)(project_id, ref)
    if job is None:
        raise await no_job(tx, project_id, ref)
    try:
        plan = await plan_for(tx, job)
        await _check_inputs(tx, job, plan, runs)
    except (Conflict, InvalidInput):
        if tx.alone:  # perhaps only because the head is stale
            raise NeedsTransaction from None
        raise
    if tx.alone and gated(job, plan):
        raise NeedsTransaction
    admitted = await admit(tx, job, plan, runs, trigger=trigger, actor=actor)
    queued = await _add(tx, admitted.runs, job)
    if not await settled(tx, job, admitted):
        return queued
    return await tx.runs.live(project_id, [run.id for run in admitted.runs])


def gated(job: JobHead, plan: Plan) -> bool:
    """Whether queueing its runs locks its gate, or its project's quota."""
    return plan.max_instances is not None or job.bounded


async def admit(
    tx: Transaction, job: JobHead, plan: Plan, runs: Sequence[TriggerRequest], *, trigger: Trigger, actor: str
) -> AdmittedRuns:
    """The runs to insert: within the project's quota, and held if they have to wait at the job's gate."""
    gates = await tx.gates.lock([job.id]) if plan.max_instances is not None else {}
    if job.bounded:
        await take(tx, job.project_id, {Quota.LIVE_RUNS: len(runs)})
    turns = await _turns(tx, gates.get(job.id, NO_GATE), plan, runs)
    new = [_run(job, plan, request, turns, trigger=trigger, triggered_by=actor) for request in runs]
    return AdmittedRuns(new, bool(turns.delayed), turns.contested)


async def settled(tx: Transaction, job: JobHead, admitted: AdmittedRuns) -> bool:
    """After the insert: whether others may have passed the gate than those that were placed."""
    if admitted.delayed:
        tx.hint("jobs")  # a scheduler admits them when their time has come
    if admitted.contested:
        await tx.gates.open([job.id])  # admits those that wait, up to the limit
    return admitted.contested


async def plan_for(tx: Transaction, job: JobHead) -> Plan:
    try:
        return parse_plan(job.plan)
    except Unreadable:  # if only this text is damaged, it can be derived again
        pair = (job.id, job.version)
        spec = (await tx.jobs.definitions([pair])).get(pair) or missing_spec(job.version)
        if spec.fault:
            raise unreadable_job(spec.fault) from None
        return plan_of(spec)


async def _check_inputs(tx: Transaction, job: JobHead, plan: Plan, runs: Sequence[TriggerRequest]) -> None:
    fields = ["input"] if len(runs) == 1 else [f"runs.{place}.input" for place in range(len(runs))]
    inputs = {field: request.input for field, request in zip(fields, runs, strict=True)}
    await check_inputs(tx, job, plan.needs, inputs)


async def _turns(tx: Transaction, gate: JobGate, plan: Plan, runs: Sequence[TriggerRequest]) -> _Turns:
    gated = gate.limit is not None
    timed = plan.start_within is not None or (gated and any(request.run_at for request in runs))
    now = await tx.now() if timed else None
    delayed = {r.run_id for r in runs if gated and now is not None and r.run_at is not None and r.run_at > now}
    at_once = [request.run_id for request in runs if request.run_id not in delayed]
    places = gate.admit(len(at_once), "in_turn")
    return _Turns({*at_once[: places.placed]}, delayed, places.contested, now)


def _run(job: JobHead, plan: Plan, request: TriggerRequest, turns: _Turns, **whose: Any) -> NewRun:
    return NewRun.of(
        job,
        plan,
        id=request.run_id,
        priority=request.priority,
        due_at=request.run_at,
        start_by=plan.start_by(request.run_at or turns.now),
        held=request.run_id not in turns.placed,
        wake_at=request.run_at if request.run_id in turns.delayed else None,
        input=request.input,
        rerun_of=request.rerun_of,
        scheduled_for=request.scheduled_for,
        traceparent=request.traceparent,
        **whose,
    )


async def _add(tx: Transaction, new: Sequence[NewRun], job: JobHead) -> list[RunRecord]:
    try:
        queued = await tx.runs.add(new, still=job if tx.alone else None)
    except DuplicateKey:
        queued = []
    if len(queued) < len(new):
        if tx.alone:
            raise NeedsTransaction
        raise Conflict("a run with this id exists already")
    return queued


async def _triggered(tx: Transaction, project_id: str, runs: Sequence[TriggerRequest]) -> list[RunRecord]:
    found = [await tx.runs.find(project_id, request.run_id) for request in runs]
    return [run for run in found if run is not None]
