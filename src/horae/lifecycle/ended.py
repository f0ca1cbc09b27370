"""What the end of a run brings about, in the transaction that ends it: counters, dead letters, the next one's turn."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from horae.domain.records import Dead, Tally
from horae.domain.run import Ended
from horae.domain.states import RunStatus, Trigger
from horae.lifecycle.backfill import continue_backfills
from horae.lifecycle.follow import start_followers
from horae.ports import Transaction


async def after_ends(tx: Transaction, ended: Sequence[Ended]) -> None:
    if not ended:
        return
    await tx.runs.bury(
        [
            Dead(run.id, run.job_id, run.project_id, fingerprint(run.error))
            for run in ended
            if run.status is RunStatus.FAILED
        ]
    )
    await tx.stats.add(tally(ended))
    jobs = {run.job_id for run in ended}
    followers = await tx.dependencies.followers(jobs)
    if followers:
        await tx.gates.lock(jobs | {follower.id for follower in followers})  # all at once, and so in id order
        await start_followers(tx, ended, followers)
    # Of every job: it may have got a limit since this run's version.
    for queue in await tx.gates.open(jobs):
        tx.hint(f"runs:{queue}")
    await continue_backfills(tx, [run.id for run in ended if run.trigger == Trigger.BACKFILL])


def tally(ended: Sequence[Ended]) -> list[Tally]:
    sums: dict[tuple[str, str, RunStatus], list[int]] = {}
    last: dict[tuple[str, str, RunStatus], str] = {}
    for run in ended:
        key = (run.job_id, run.project_id, run.status)
        entry = sums.setdefault(key, [0, 0, 0])
        entry[0] += 1
        entry[1] += run.duration_ms
        entry[2] += run.timed_out
        last[key] = run.id
    return [
        Tally(*key, count, duration_ms=duration, timed_out=timed_out, run_id=last[key])
        for key, (count, duration, timed_out) in sums.items()
    ]


_VARYING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|0x[0-9a-f]+|\d+", re.IGNORECASE)


def fingerprint(error: str | None) -> str:
    """Equal for errors that differ only in numbers and ids, so that dead letters group by cause."""
    return hashlib.sha256(_VARYING.sub("#", error or "").encode()).hexdigest()[:16]
