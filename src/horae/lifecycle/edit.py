"""Edit: a new version of a job by compare-and-set, atomic with its scheduling. The job's row stays locked from reading
to writing, so no firing comes between."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from horae.accounts.audit import about_job
from horae.accounts.channels import check_notify
from horae.accounts.quotas import take
from horae.accounts.secrets import check_definition
from horae.domain.errors import Conflict, DuplicateKey, InvalidInput, NotFound, StaleVersion, Unreadable
from horae.domain.jobs.difference import Change, changes
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobChange, JobRecord
from horae.domain.jobs.standing import TICK, paused_at, runs_left
from horae.domain.jobs.stored import spec_fields
from horae.domain.jobs.unreadable import UnreadableSpec
from horae.domain.people.quota import Quota
from horae.domain.runs.firing import first_occurrence, plan_text
from horae.domain.time.rate import per_hour
from horae.domain.time.schedule import AtSchedule
from horae.lifecycle.find import found, locked
from horae.lifecycle.follow import set_upstream
from horae.lifecycle.functions import check_function
from horae.lifecycle.reservations import check_queue
from horae.lifecycle.settle_schedule import account_disabled, settle_due
from horae.ports import Transaction


async def edit_job(
    tx: Transaction,
    *,
    project_id: str,
    ref: str,
    change: Callable[[JobSpec], JobSpec],
    expected_version: int | None,
    actor: str,
    note: str | None = None,
    action: str = "job.edit",
) -> JobRecord:
    job = await locked(tx, project_id, ref)
    old, spec = job.spec, change(job.spec)
    if not old.fault and _same(spec, old) and expected_version in (None, job.version, job.version - 1):
        return job  # nothing to change, or a repeated request
    if expected_version is not None and expected_version != job.version:
        raise StaleVersion(f"the job is at version {job.version}, not {expected_version}")
    await check_definition(tx, project_id, spec)
    await check_notify(tx, project_id, spec)
    await check_function(tx, project_id, spec)
    if job.enabled:
        await take(tx, project_id, {Quota.FIRES_PER_MINUTE: per_hour(spec.schedule) - per_hour(old.schedule)})
    now = await tx.now()
    anchor_at = job.anchor_at
    if _reschedules(spec, old):
        # What was due under the old schedule is accounted for by that schedule's rule; while paused, nothing may run.
        run = not paused_at(job, now)
        job = await (settle_due(tx, job, now, run=run) if job.enabled else account_disabled(tx, job, now))
        anchor_at = now
    next_run_at = _next_run_at(spec, job, now)
    edit = JobChange(job.id, job.version, spec, plan_text(spec), anchor_at, next_run_at, actor, now, note)
    await _save(tx, job, edit)
    await tx.unreadable.forget(job.id)
    tx.hint("jobs")
    saved = await found(tx, project_id, job.id)
    await about_job(tx, action, saved, actor, [Change("version", job.version, saved.version), *changes(old, spec)])
    return saved


async def rollback(
    tx: Transaction, *, project_id: str, ref: str, version: int, expected_version: int | None, actor: str
) -> JobRecord:
    """Saves an earlier version as a new one."""
    job = await locked(tx, project_id, ref)
    spec = (await tx.jobs.definitions([(job.id, version)])).get((job.id, version))
    if spec is None:
        raise NotFound(f"the job has no version {version}")
    if spec.fault:
        raise Unreadable(f"this version of Horae cannot read version {version} of the job: {spec.fault}")
    return await edit_job(
        tx,
        project_id=project_id,
        ref=job.id,
        change=lambda _: spec,
        expected_version=expected_version,
        actor=actor,
        note=f"rollback to version {version}",
        action="job.rollback",
    )


def _reschedules(spec: JobSpec, old: JobSpec) -> bool:
    """Also if unknown: the placeholder for an unreadable schedule looks like one that never fires."""
    return spec.schedule != old.schedule or (isinstance(old, UnreadableSpec) and "schedule" in old.missing)


def _same(one: JobSpec, other: JobSpec) -> bool:
    """By their text: to Python 1 and true are equal, but not to a function that gets them."""
    return json.dumps(spec_fields(one)) == json.dumps(spec_fields(other))


def _next_run_at(spec: JobSpec, job: JobRecord, now: datetime) -> datetime | None:
    """An edit that does not change the schedule does not change the next occurrence. A new schedule continues from now,
    and never at or before the last fired occurrence."""
    if not _reschedules(spec, job.spec) or not job.enabled:
        return job.next_run_at
    if not runs_left(spec.schedule, job.fired_count):
        return None
    fired_through = job.fired_through or now - TICK
    found = first_occurrence(spec.schedule, now, max(now - TICK, fired_through))
    if found is not None and job.fired_through is not None and found <= job.fired_through:
        # Only an `at` lies in the past.
        if isinstance(job.spec.schedule, AtSchedule) and job.spec.schedule.at == found:
            return None  # the same one that was fired
        # Everything up to there is accounted for: it would neither run nor leave a row.
        through = job.fired_through.isoformat(timespec="seconds")
        raise InvalidInput("schedule.at", f"must be later than {through}, up to where this job has already run")
    return found


async def _save(tx: Transaction, job: JobRecord, edit: JobChange) -> None:
    spec = edit.spec
    if _reschedules(spec, job.spec):
        await set_upstream(tx, job.project_id, job.id, spec, job.spec)
    before, limit = job.spec.gate_limit, spec.gate_limit
    if limit is not None and (before is None or limit < before):
        # Runs first, then their gate. A run that is just ending found no gate to open: it must be gone before the
        # count.
        await tx.runs.live(job.project_id, [run_id for run_id, _ in await tx.runs.under_way([job.id])], lock=True)
    try:
        saved = await tx.jobs.change(edit)
    except DuplicateKey:
        raise Conflict(f"a job named {spec.name!r} exists already", field="name") from None
    if not saved:
        raise StaleVersion()
    await check_queue(tx, job.project_id, spec.queue)
    if before is None and limit is not None:
        await tx.gates.put_off(job.id)
    # A lower limit holds back what is queued beyond it; a higher one, or none, may let held runs start.
    await tx.gates.fit([job.id])
    await (tx.gates.release(job.id) if limit is None else tx.gates.open([job.id]))
