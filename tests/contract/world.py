"""Its own migrated database, and short words for what tests do to it: `world.job(…)`, `world.trigger(job)`,
`world.claim()`, `world.finish(run)`. Time moves by looking at the same database later: `world.later(hours=3)`."""

from __future__ import annotations

from typing import Any

from horae.domain.cluster.process import Beat
from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import RunStatus
from tests.contract.people import People
from tests.contract.schedulers import Schedulers
from tests.contract.sight import Sight
from tests.contract.values import (
    ALL_SHARDS,
    CANCELLED,
    FAILED,
    IDS,
    INTERRUPTED,
    LEASE,
    OFFERS,
    PERMANENT,
    START,
    TIMED_OUT,
    WORK,
    Row,
    counts,
    ids,
    lost_reply,
    middle,
    scheduler_sign,
    spec,
    worker_sign,
)
from tests.contract.workers import Workers


class World(People, Schedulers, Workers, Sight):
    """One process's view of a database, and short ways into states."""

    async def running(self, job: JobRecord | None = None, **how: Any) -> Claimed:
        """A run that a worker has just claimed."""
        job = job or await self.job()
        (triggered,) = await self.trigger(job)
        claimed = await self.claim(**how)
        (run,) = [one for one in claimed if one.id == triggered.id]
        return run

    async def ended(self, job: JobRecord | None = None, outcome: Outcome = SUCCEEDED) -> RunRecord:
        run = await self.running(job)
        await self.finish(run, outcome=outcome)
        return await self.find(run)


__all__ = [
    "ALL_SHARDS",
    "CANCELLED",
    "FAILED",
    "IDS",
    "INTERRUPTED",
    "LEASE",
    "OFFERS",
    "PERMANENT",
    "START",
    "SUCCEEDED",
    "TIMED_OUT",
    "WORK",
    "Beat",
    "Row",
    "RunStatus",
    "World",
    "counts",
    "ids",
    "lost_reply",
    "middle",
    "scheduler_sign",
    "spec",
    "worker_sign",
]
