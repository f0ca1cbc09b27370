"""Accounts for a schedule before it changes or stops: what was due gets its rows, so that an edit or a switch neither
loses nor duplicates an occurrence."""

from __future__ import annotations

from datetime import datetime

from horae.accounts.quotas import places_for
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.standing import calendar_for, due_job, fired_after, runs_left
from horae.domain.runs.firing import skipped_range
from horae.domain.runs.gate import NO_GATE
from horae.domain.runs.states import SkipReason
from horae.lifecycle.find import found
from horae.lifecycle.functions import function_is_off
from horae.lifecycle.ledger import Ledger
from horae.ports import Transaction


async def settle_due(tx: Transaction, job: JobRecord, now: datetime, *, run: bool) -> JobRecord:
    """Fires what is due of a locked job, as a scheduler would; or, if it may not run, records it as missed. Returns the
    job as it is then."""
    # Even if `next_run_at` is in the future: it skips blackouts, and some of those may be over.
    if not job.enabled or job.next_run_at is None:
        return job
    ledger = Ledger(None, tx.new_id)
    if run:
        due = due_job(job)._replace(function_off=await function_is_off(tx, job.spec))
        gates = await tx.gates.lock([job.id]) if job.spec.gate_limit is not None else {}
        ledger.places = await places_for(tx, [due], now)
        ledger.fire(due, now, gates.get(job.id, NO_GATE))
    else:
        ledger.decline(due_job(job), now)
    if not ledger.runs and not ledger.skipped:
        return job
    await ledger.write(tx)
    return await found(tx, job.project_id, job.id)


async def account_disabled(tx: Transaction, job: JobRecord, now: datetime) -> JobRecord:
    """Writes one row for what would have fired up to now, had the job not been disabled. Returns the job as it is
    then."""
    calendar, after = calendar_for(job), fired_after(job)
    gap = None if calendar is None else skipped_range(calendar, SkipReason.DISABLED, after, now)
    if gap is None or not runs_left(job.spec.schedule, job.fired_count):
        return job
    ledger = Ledger(None, tx.new_id)
    ledger.skip(due_job(job), gap)
    ledger.go_on(due_job(job), None, gap.last)
    await ledger.write(tx)
    return await found(tx, job.project_id, job.id)
