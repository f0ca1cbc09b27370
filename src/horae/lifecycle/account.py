"""Accounting for a schedule before it changes: what was due under the old definition gets its rows, by the same rule as
after an outage, so that an edit loses nothing and doubles nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from horae.domain.records import JobRecord
from horae.domain.standing import due_job
from horae.lifecycle.ledger import Ledger
from horae.ports import Transaction


async def settle_due(tx: Transaction, job: JobRecord, now: datetime) -> None:
    """Fires what is due of a job whose row is locked, as a scheduler would. A pause holds what came in it back from
    running, so there the rule `none` applies: the schedule that the pause was about goes away."""
    if not job.enabled or job.next_run_at is None or job.next_run_at > now:
        return
    due = due_job(job)
    if job.paused:
        due = replace(due, plan=replace(due.plan, catch_up="none"))
    gate = (await tx.gates.lock([job.id])).get(job.id) if due.plan.max_instances is not None else None
    ledger = Ledger(None, tx.new_id)
    ledger.fire(due, now, gate)
    await ledger.write(tx)
