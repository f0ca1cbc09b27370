"""Quotas: a verb reserves places in a project before it adds something, and is refused if there are none.

A quota's row holds the number of places known to be free. A transaction that takes some locks the row until it commits,
so the last place is given out once. Ends give nothing back, so that they need not know about quotas. When the known
places are used up, the actual rows are counted: they are always the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from horae.domain.errors import QuotaContended, QuotaReached, Unreadable
from horae.domain.jobs.follower import Follower
from horae.domain.people.quota import WIDE, Quota, QuotaRow, Use, amount, places
from horae.domain.runs.ending import Ended
from horae.domain.runs.firing import DueJob, decide, parse_plan
from horae.domain.runs.run import NewRun, Skipped
from horae.domain.runs.states import SkipReason, Trigger
from horae.domain.time.rate import per_hour
from horae.ports import Transaction

_PORTION = 500  # jobs whose rates are computed at a time
_LIVE = Quota.LIVE_RUNS


async def take(tx: Transaction, project_id: str, wanted: Mapping[Quota, int]) -> None:
    """Raises QuotaReached if there are not enough places."""
    wanted = {quota: count for quota, count in sorted(wanted.items()) if count > 0}
    if not wanted:
        return
    rows = await tx.quotas.lock([project_id], wanted)
    for (_, quota), row in rows.items():
        free = await _free(tx, project_id, quota, row, wanted[quota])
        if free < wanted[quota]:
            raise _refusal(project_id, quota, row.limit, places(quota, row.limit) - free, wanted[quota])
    await tx.quotas.take({key: wanted[key[1]] for key in rows})


async def places_for(tx: Transaction, jobs: Sequence[DueJob], now: datetime, *, wait: bool = True) -> dict[str, int]:
    """How many due occurrences may become runs, for each project with a quota. If it is close, live runs are counted
    exactly before anything is skipped, since a skipped occurrence does not come again. Without `wait`, projects whose
    quota another transaction has locked are left out."""
    if not jobs:
        return {}
    due: Counter[str] = Counter()
    for job in jobs:
        due[job.project_id] += 0
        with suppress(Exception):  # reported when it fires
            firing = decide(job, now)
            due[job.project_id] += len((firing.whole or firing).occurrences)
    rows = await tx.quotas.lock(due, [_LIVE], wait=wait)
    return {
        project_id: max(await _free(tx, project_id, _LIVE, row, due[project_id], urgent=True), 0)
        for (project_id, _), row in rows.items()
    }


async def places_after(
    tx: Transaction, ended: Sequence[Ended], followers: Sequence[Follower], *, wait: bool = True
) -> dict[str, int]:
    """The same for jobs that follow these ends. Each run leaves its place to one of them, so a chain is never broken;
    additional runs need their own places. Without `wait`, raises QuotaContended if another transaction has locked a
    quota."""
    bounded = [follower for follower in followers if follower.bounded]
    if not bounded:
        return {}
    left = _left_by(ended)
    ends = Counter(run.job_id for run in ended)
    wanted: Counter[str] = Counter()
    for follower in bounded:
        wanted[follower.project_id] += ends[follower.upstream_id]
    found = {project_id: left[project_id] for project_id in wanted}
    short = {project_id: count - found[project_id] for project_id, count in wanted.items() if count > found[project_id]}
    if short:
        ended_in = Counter(run.project_id for run in ended)
        rows = await tx.quotas.lock(short, [_LIVE], wait=wait)
        if not wait and (contended := short.keys() - {project_id for project_id, _ in rows}):
            raise QuotaContended(contended)
        for (project_id, _), row in rows.items():
            free = await _free(tx, project_id, _LIVE, row, short[project_id], left=ended_in[project_id])
            found[project_id] += max(free, 0)
    return found


async def spend(
    tx: Transaction,
    runs: Iterable[NewRun],
    bounded: Collection[str],
    skipped: Iterable[Skipped] = (),
    left_by: Sequence[Ended] = (),
) -> None:
    """Takes the places of runs that the two functions above admitted; records if others were refused."""
    if not bounded:
        return
    taken = Counter(run.project_id for run in runs if run.project_id in bounded)
    taken.subtract({project_id: min(count, taken[project_id]) for project_id, count in _left_by(left_by).items()})
    await tx.quotas.take({(project_id, _LIVE): count for project_id, count in taken.items() if count > 0})
    if refused := {row.project_id for row in skipped if row.reason == SkipReason.QUOTA}:
        await tx.quotas.refused(refused, _LIVE)


def _left_by(ended: Iterable[Ended]) -> Counter[str]:
    """The places that these ends leave. Those of a backfill are for its next runs."""
    return Counter(run.project_id for run in ended if run.trigger != Trigger.BACKFILL)


async def note_refusal(tx: Transaction, *, project_id: str, quota: Quota) -> None:
    """In a separate transaction: the refused one was rolled back, including its count."""
    for row in (await tx.quotas.lock([project_id], [quota])).values():
        await _free(tx, project_id, quota, row, places(quota, row.limit))
    await tx.quotas.refused([project_id], quota)


async def _free(
    tx: Transaction,
    project_id: str,
    quota: Quota,
    row: QuotaRow,
    wanted: int,
    *,
    left: int = 0,
    urgent: bool = False,
) -> int:
    """How many places are certainly free: those known, or after an exact count if these are too few, minus those that
    ended runs of this transaction have `left` to others."""
    if row.room >= wanted or not row.may_count(urgent=urgent):
        return row.room
    most = places(quota, row.limit)
    use = await use_of(tx, project_id, quota, max(most, WIDE))
    free = most - use.used - left
    await tx.quotas.counted(project_id, quota, free, use.seen)
    return free


async def use_of(tx: Transaction, project_id: str, quota: Quota, most: int) -> Use:
    """A lower bound, if there are more than `most`."""
    if quota is not Quota.FIRES_PER_MINUTE:
        return await tx.quotas.count(project_id, quota, most)
    use, after = await tx.quotas.rate(project_id), None
    while jobs := await tx.quotas.unrated(project_id, _PORTION, after):  # hardly ever any: see `rate_jobs`
        use = Use(use.used + sum(rate_of(plan) for _, _, plan in jobs), use.seen + len(jobs))
        after = jobs[-1][0]
    return use


def rate_of(plan: str) -> int:
    """How often a stored plan fires in its busiest hour; never if it cannot be read."""
    try:
        return per_hour(parse_plan(plan).schedule)
    except Unreadable:
        return 0


def _refusal(project_id: str, quota: Quota, limit: int, used: int, wanted: int) -> QuotaReached:
    has, needs = amount(quota, used), amount(quota, wanted)
    return QuotaReached(
        f"the project's quota {quota.value} is {limit}: {has:,} in use, and this needs {needs:,} more",
        quota=quota.value,
        limit=limit,
        used=has,
        project_id=project_id,
    )
