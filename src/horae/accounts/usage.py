"""Usage: how much of each quota a project uses, and the limits that admins set."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from horae.accounts.projects import find_project
from horae.accounts.quotas import rate_of, use_of
from horae.domain.jobs.difference import Change
from horae.domain.people.quota import NEARLY_FULL, Limits, Quota, Strained, Usage, amount
from horae.ports import Transaction

_PORTION = 500  # jobs whose rates are computed at a time
_LATELY = timedelta(hours=1)
_MOST_STRAINED = 100
_NO_BOUND = 2**31


async def set_quotas(tx: Transaction, *, project_id: str, limits: Limits, actor: str) -> dict[Quota, Usage]:
    """Sets the given quotas; None removes one. What already exists stays, even above the limit."""
    project = await find_project(tx, project_id, lock=True)
    before = {quota: most for quota, (most, _) in (await tx.quotas.limits(project_id)).items()}
    changes = []
    for quota, limit in sorted(limits.items()):
        if limit == before.get(quota):
            continue
        if limit is None:
            await tx.quotas.clear(project_id, quota)
        else:
            await tx.quotas.set(project_id, quota, limit, actor)
        changes.append(Change(quota.value, before.get(quota), limit))
    if changes:
        await tx.audit.add(
            "project.quotas", actor=actor, project_id=project_id, id=project_id, name=project.slug, changes=changes
        )
    return await usage(tx, project_id)


async def rate_jobs(tx: Transaction, *, project_id: str) -> int:
    """Computes how often the schedules of some jobs fire that an older Horae saved; returns how many jobs."""
    found = await tx.quotas.unrated(project_id, _PORTION)
    await tx.quotas.set_rates([(job_id, version, rate_of(plan)) for job_id, version, plan in found])
    return len(found)


async def usage(tx: Transaction, project_id: str, of: Collection[Quota] = tuple(Quota)) -> dict[Quota, Usage]:
    """Counted exactly, now."""
    limits = await tx.quotas.limits(project_id)
    found: dict[Quota, Usage] = {}
    for quota in of:
        most, refused_at = limits.get(quota, (None, None))
        if quota is not Quota.LOG_BYTES_PER_DAY:
            used = amount(quota, (await use_of(tx, project_id, quota, _NO_BOUND)).used)
            found[quota] = Usage(most, used, refused_at)
            continue
        room = (await tx.quotas.log_room(_day(await tx.now()), project_id)).get(project_id)
        spent = None if room is None or most is None else max(most - room, 0)
        found[quota] = Usage(most, spent, refused_at)
    return found


async def live_quota(tx: Transaction, project_id: str) -> Usage | None:
    """The quota of live runs, if there is one; usage beyond the limit need not be exact."""
    most, refused_at = (await tx.quotas.limits(project_id)).get(Quota.LIVE_RUNS, (None, None))
    if most is None:
        return None
    return Usage(most, (await use_of(tx, project_id, Quota.LIVE_RUNS, most)).used, refused_at)


async def strained(tx: Transaction) -> list[Strained]:
    """Quotas that are nearly used up, or that caused a refusal within the hour."""
    since = await tx.now() - _LATELY
    found = []
    for project_id, slug, quota in await tx.quotas.strained(since, _MOST_STRAINED):
        one = (await usage(tx, project_id, [quota]))[quota]
        lately = one.refused_at is not None and one.refused_at > since
        if lately or (one.limit and (one.used or 0) >= NEARLY_FULL * one.limit):
            found.append(Strained(slug, quota, one))
    return found


async def spend_log(tx: Transaction, *, spent: Mapping[str, int]) -> dict[str, int]:
    """Records how much output of runs a worker stored, by project; returns what is left today for each project with a
    quota. Zero: some output was refused."""
    day = _day(await tx.now())
    for project_id, count in sorted(spent.items()):
        await tx.quotas.spend_log(project_id, count, day)
    left = await tx.quotas.log_room(day)
    if refused := [project_id for project_id in spent if left.get(project_id, 1) <= 0]:
        await tx.quotas.refused(refused, Quota.LOG_BYTES_PER_DAY)
    return left


def _day(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
