"""Forget: deletes a secret. Jobs that still name it get their alert with it, not after their next run has failed."""

from __future__ import annotations

from horae.accounts.secrets import delete_secret
from horae.domain.alerts.facts import UnknownSecret
from horae.domain.alerts.job_rules import lacking
from horae.lifecycle.watching.alerts import open_alerts
from horae.ports import Transaction

_MOST = 500  # jobs that get their alert at once; the others with a failed run


async def forget_secret(tx: Transaction, *, project_id: str, name: str, force: bool, actor: str) -> None:
    await delete_secret(tx, project_id=project_id, name=name, force=force, actor=actor)
    if not force:  # then no job names it
        return
    now = await tx.now()
    users = await tx.secrets.named_by(project_id, name, _MOST)
    await open_alerts(
        tx, [lacking(UnknownSecret(project_id, job.job_id, job.name, name), now) for job in users if job.active]
    )
