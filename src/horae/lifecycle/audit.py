"""Audit: what every verb that people call writes down about what it did, in its own transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from horae.domain.audit import AuditFilter, AuditRecord, differing
from horae.domain.difference import Change
from horae.domain.records import JobRecord, JobState, Page
from horae.ports import Transaction

_SWITCHES = ("enabled", "paused", "paused_until")


async def about_job(tx: Transaction, action: str, job: JobRecord, actor: str, changes: Sequence[Change] = ()) -> None:
    await tx.audit.add(action, actor=actor, project_id=job.project_id, id=job.id, name=job.spec.name, changes=changes)


async def about_switch(tx: Transaction, action: str, job: JobRecord, state: JobState) -> None:
    """A job that was as it is to be already has not been changed by anybody."""
    old, new = ({name: getattr(one, name) for name in _SWITCHES} for one in (job, state))
    if changes := differing(old, new):
        await about_job(tx, action, job, state.actor, changes)


async def read_audit(
    tx: Transaction, projects: Collection[str | None] | None, where: AuditFilter, limit: int, after: str | None
) -> Page[AuditRecord]:
    return await tx.audit.page(projects, where, limit=limit, after=after)
