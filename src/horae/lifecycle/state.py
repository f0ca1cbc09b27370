"""State: pause and resume, enable and disable. None of them affects queued runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from horae.accounts.audit import about_switch
from horae.accounts.quotas import take
from horae.domain.errors import InvalidInput
from horae.domain.jobs.job_record import JobRecord, JobState
from horae.domain.jobs.standing import fired_after, runs_left
from horae.domain.people.quota import Quota
from horae.domain.runs.firing import MERELY_LATE, first_occurrence
from horae.domain.time.rate import per_hour
from horae.lifecycle.find import found, locked, readable
from horae.lifecycle.settle_schedule import account_disabled, settle_due
from horae.ports import Transaction


async def pause(tx: Transaction, *, project_id: str, ref: str, until: datetime | None, actor: str) -> JobRecord:
    """Pauses the schedule until it is resumed or the given time; then the catch-up rule applies."""
    job = await locked(tx, project_id, ref)
    if until is not None and until <= await tx.now():
        raise InvalidInput("until", "must be in the future")
    return await _save(tx, "job.pause", job, replace(_state(job, actor), paused=True, paused_until=until))


async def resume(tx: Transaction, *, project_id: str, ref: str, actor: str) -> JobRecord:
    job = await locked(tx, project_id, ref)
    return await _save(tx, "job.resume", job, replace(_state(job, actor), paused=False, paused_until=None))


async def disable(tx: Transaction, *, project_id: str, ref: str, actor: str) -> JobRecord:
    """Stops the schedule. Occurrences missed before that keep their own reason; those that are merely late would have
    fired, and count as skipped because the job is disabled."""
    job = await locked(tx, project_id, ref)
    now = await tx.now()
    if job.next_run_at is not None and not timedelta(0) <= now - job.next_run_at <= MERELY_LATE:
        job = await settle_due(tx, job, now, run=False)
    return await _save(tx, "job.disable", job, replace(_state(job, actor), enabled=False, next_run_at=None))


async def enable(tx: Transaction, *, project_id: str, ref: str, actor: str) -> JobRecord:
    """Continues from now; one skipped row covers the time in which the job was disabled."""
    job = await readable(tx, project_id, ref, lock=True)  # its next occurrence cannot be computed
    if job.enabled:
        return job
    await take(tx, project_id, {Quota.FIRES_PER_MINUTE: per_hour(job.spec.schedule)})
    now = await tx.now()
    job = await account_disabled(tx, job, now)
    schedule, next_run_at = job.spec.schedule, None
    if runs_left(schedule, job.fired_count):
        next_run_at = first_occurrence(schedule, job.anchor_at, now)
    if next_run_at is not None and next_run_at <= fired_after(job):  # an `at` that was accounted for
        next_run_at = None
    return await _save(tx, "job.enable", job, replace(_state(job, actor), enabled=True, next_run_at=next_run_at))


def _state(job: JobRecord, actor: str) -> JobState:
    return JobState(job.id, job.enabled, job.paused, job.paused_until, job.next_run_at, job.fired_through, actor)


async def _save(tx: Transaction, action: str, job: JobRecord, state: JobState) -> JobRecord:
    await tx.jobs.set_state(state)
    await about_switch(tx, action, job, state)
    tx.hint("jobs")
    return await found(tx, job.project_id, job.id)
