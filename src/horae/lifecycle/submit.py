"""Submit: what people ask for. Jobs are saved, edited and deleted; runs are triggered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from horae.domain.errors import Conflict, DuplicateKey, NotFound, StaleVersion
from horae.domain.firing import Plan, first_occurrence, parse_plan, plan_text
from horae.domain.job import JobSpec
from horae.domain.records import JobChange, JobRecord, NewJob
from horae.domain.run import NewRun, RunRecord
from horae.domain.states import Trigger
from horae.lifecycle.cancel import cancel_all_of
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class TriggerRequest:
    """One run asked for. Its id is made by the caller, so that a repeated request makes no second run."""

    run_id: str
    input: str | None = None
    run_at: datetime | None = None
    priority: int | None = None


async def create_job(
    tx: Transaction, *, job_id: str, project_id: str, spec: JobSpec, enabled: bool, actor: str
) -> JobRecord:
    existing = await tx.jobs.find(project_id, spec.name)
    if existing is not None:
        if existing.id == job_id:  # a repetition of a request that was carried out
            return existing
        raise Conflict(f"a job named {spec.name!r} exists already")
    now = await tx.now()
    next_run_at = first_occurrence(spec.schedule, now, _just_before(now)) if enabled else None
    job = NewJob(job_id, project_id, spec, plan_text(spec), enabled, now, next_run_at, actor, now)
    try:
        await tx.jobs.insert(job)
    except DuplicateKey:
        raise Conflict(f"a job named {spec.name!r} exists already") from None
    tx.hint("jobs")
    return await found(tx, project_id, job_id)


async def edit_job(
    tx: Transaction,
    *,
    project_id: str,
    ref: str,
    change: Callable[[JobSpec], JobSpec],
    expected_version: int | None,
    actor: str,
) -> JobRecord:
    """Saves a new version. The job's row stays locked from reading to writing, so no firing comes between."""
    job = await tx.jobs.find(project_id, ref, lock=True)
    if job is None:
        raise NotFound(f"there is no job {ref!r}")
    spec = change(job.spec)
    if spec == job.spec and expected_version in (None, job.version, job.version - 1):
        return job  # nothing to change, or a repetition of a request that was carried out
    if expected_version is not None and expected_version != job.version:
        raise StaleVersion(f"the job is at version {job.version}, not {expected_version}")
    now = await tx.now()
    anchor_at, next_run_at = job.anchor_at, job.next_run_at
    if spec.schedule != job.spec.schedule:
        anchor_at = now
        next_run_at = _next_after_edit(spec, job, now) if job.enabled else None
    edit = JobChange(job.id, job.version, spec, plan_text(spec), anchor_at, next_run_at, actor, now)
    if job.spec.gate is None and spec.gate is not None:
        # A run that is just ending found no gate to open: it must be gone before one counts it as under way.
        await tx.runs.live(project_id, [run_id for run_id, _ in await tx.runs.live_of([job.id])], lock=True)
    try:
        saved = await tx.jobs.change(edit)
    except DuplicateKey:
        raise Conflict(f"a job named {spec.name!r} exists already") from None
    if not saved:
        raise StaleVersion()
    # A higher limit, or none, may let held runs start.
    for queue in await (tx.gates.release(job.id) if spec.gate is None else tx.gates.open([job.id])):
        tx.hint(f"runs:{queue}")
    tx.hint("jobs")
    return await found(tx, project_id, job.id)


def _next_after_edit(spec: JobSpec, job: JobRecord, now: datetime) -> datetime | None:
    """The new schedule goes on from now, and never again at or before what was fired."""
    after = _just_before(now)
    if job.fired_through is not None and job.fired_through > after:
        after = job.fired_through
    return first_occurrence(spec.schedule, now, after)


def _just_before(now: datetime) -> datetime:
    return now - timedelta(microseconds=1)


async def delete_job(tx: Transaction, *, project_id: str, ref: str, actor: str) -> None:
    """Cancels what is queued, asks what runs to cancel, and keeps the history."""
    job = await tx.jobs.find(project_id, ref, lock=True)
    if job is None:
        raise NotFound(f"there is no job {ref!r}")
    await cancel_all_of(tx, job.id, project_id)
    await tx.jobs.delete(job.id)


async def trigger(
    tx: Transaction,
    *,
    project_id: str,
    ref: str,
    runs: Sequence[TriggerRequest],
    trigger: Trigger,
    actor: str,
) -> list[RunRecord]:
    """Queues runs of a job now or at their time; at the job's limit they wait for their turn."""
    if tx.repeated and (made := await _triggered(tx, project_id, runs)):
        return made
    job = await tx.jobs.head(project_id, ref)
    if job is None:
        raise NotFound(f"there is no job {ref!r}")
    plan = parse_plan(job.plan)
    now = await tx.now() if plan.start_within is not None else None
    places = len(runs)
    if plan.max_instances is not None:
        gate = (await tx.gates.lock([job.id])).get(job.id)
        if gate is not None:
            limit, under_way, waiting = gate
            places = 0 if waiting else max(limit - under_way, 0)
    new = [
        NewRun(
            id=request.run_id,
            job_id=job.id,
            version=job.version,
            project_id=project_id,
            trigger=trigger,
            queue=plan.queue,
            priority=plan.priority if request.priority is None else request.priority,
            needs=plan.needs,
            due_at=request.run_at,
            start_by=_start_by(plan, request.run_at or now),
            held=place >= places,
            input=request.input,
            triggered_by=actor,
        )
        for place, request in enumerate(runs)
    ]
    try:
        await tx.runs.insert(new)
    except DuplicateKey:
        raise Conflict("a run with this id exists already") from None
    tx.hint(f"runs:{plan.queue}")
    return await tx.runs.live(project_id, [run.id for run in new])


def _start_by(plan: Plan, due_at: datetime | None) -> datetime | None:
    if plan.start_within is None or due_at is None:
        return None
    return due_at + timedelta(seconds=plan.start_within)


async def _triggered(tx: Transaction, project_id: str, runs: Sequence[TriggerRequest]) -> list[RunRecord]:
    found = [await tx.runs.find(project_id, request.run_id) for request in runs]
    return [run for run in found if run is not None]


async def found(tx: Transaction, project_id: str, ref: str) -> JobRecord:
    job = await tx.jobs.find(project_id, ref)
    if job is None:
        raise NotFound(f"there is no job {ref!r}")
    return job
