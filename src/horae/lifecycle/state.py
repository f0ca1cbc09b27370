"""State: pause and resume, enable and disable. None of them touches what is queued already."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from horae.domain.errors import InvalidInput
from horae.domain.firing import first_occurrence, skipped_range
from horae.domain.records import JobRecord, JobState
from horae.domain.standing import calendar_for, due_job, fired_after
from horae.domain.states import SkipReason
from horae.lifecycle.find import found, locked
from horae.lifecycle.ledger import Ledger
from horae.ports import Transaction


async def pause(tx: Transaction, *, project_id: str, ref: str, until: datetime | None, actor: str) -> JobRecord:
    """Holds the schedule, until it is resumed or an instant comes; then the catch-up rule applies."""
    job = await locked(tx, project_id, ref)
    if until is not None and until <= await tx.now():
        raise InvalidInput("until", "must be in the future")
    return await _save(tx, job, replace(_state(job, actor), paused=True, paused_until=until))


async def resume(tx: Transaction, *, project_id: str, ref: str, actor: str) -> JobRecord:
    job = await locked(tx, project_id, ref)
    return await _save(tx, job, replace(_state(job, actor), paused=False, paused_until=None))


async def disable(tx: Transaction, *, project_id: str, ref: str, actor: str) -> JobRecord:
    job = await locked(tx, project_id, ref)
    return await _save(tx, job, replace(_state(job, actor), enabled=False, next_run_at=None))


async def enable(tx: Transaction, *, project_id: str, ref: str, actor: str) -> JobRecord:
    """Goes on from now; one skipped row stands for the time in which the job was off."""
    job = await locked(tx, project_id, ref)
    if job.enabled:
        return job
    now = await tx.now()
    through = await account_disabled(tx, job, now)
    next_run_at = first_occurrence(job.spec.schedule, job.anchor_at, max(through, now))
    if next_run_at is not None and next_run_at <= through:  # an `at` that was accounted for
        next_run_at = None
    return await _save(
        tx, job, replace(_state(job, actor), enabled=True, next_run_at=next_run_at, fired_through=through)
    )


async def account_disabled(tx: Transaction, job: JobRecord, now: datetime) -> datetime:
    """Leaves one row for what would have fired while the job was off; how far the schedule is accounted for."""
    after = fired_after(job)
    calendar = calendar_for(job)
    gap = None if calendar is None else skipped_range(calendar, SkipReason.DISABLED, after, now)
    if gap is None:
        return after
    ledger = Ledger(None, tx.new_id)
    ledger.skip(due_job(job), gap)
    await ledger.write(tx)
    return gap.last


def _state(job: JobRecord, actor: str) -> JobState:
    return JobState(job.id, job.enabled, job.paused, job.paused_until, job.next_run_at, job.fired_through, actor)


async def _save(tx: Transaction, job: JobRecord, state: JobState) -> JobRecord:
    await tx.jobs.set_state(state)
    tx.hint("jobs")
    return await found(tx, job.project_id, job.id)
