"""Audit trail: every verb that a person calls records what it did, in its own transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta

from horae.domain.jobs.difference import Change
from horae.domain.jobs.job_record import JobRecord, JobState
from horae.domain.pages import Page
from horae.domain.people.audit import AuditFilter, AuditRecord, differing
from horae.ports import Transaction

_JUST_NOW = timedelta(minutes=5)  # longer than any verb is retried
_SWITCHES = ("enabled", "paused", "paused_until")


async def about_job(tx: Transaction, action: str, job: JobRecord, actor: str, changes: Sequence[Change] = ()) -> None:
    await tx.audit.add(action, actor=actor, project_id=job.project_id, id=job.id, name=job.spec.name, changes=changes)


async def about_switch(tx: Transaction, action: str, job: JobRecord, state: JobState) -> None:
    """None if the job was already in the requested state."""
    old, new = ({name: getattr(one, name) for name in _SWITCHES} for one in (job, state))
    if changes := differing(old, new):
        await about_job(tx, action, job, state.actor, changes)


async def did(tx: Transaction, action: str, project_id: str | None, subject: str, actor: str) -> bool:
    """Whether this was done just now: for a verb that is retried and finds nothing left to do."""
    asked = AuditFilter(actor=actor[:200], action=action, subject=subject, since=await tx.now() - _JUST_NOW)
    return bool((await tx.audit.page([project_id], asked, limit=1, after=None)).items)


async def read_audit(
    tx: Transaction, projects: Collection[str | None] | None, where: AuditFilter, limit: int, after: str | None
) -> Page[AuditRecord]:
    return await tx.audit.page(projects, where, limit=limit, after=after)
