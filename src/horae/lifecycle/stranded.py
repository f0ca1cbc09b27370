"""Stranded runs, which no live worker can execute. Read-only; the cost grows with their number, so frequent callers
cache the answer for a while."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from horae.domain.cluster.process import WorkerRecord
from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.engine_choice import DATABASE_ONLY, EngineChoice
from horae.domain.runs.stranded import PATIENCE, Stranded, unserved
from horae.lifecycle.queues import current_engines
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class StrandedRuns:
    """Of all projects, longest wait first, and the workers and engines at that time."""

    at: datetime
    stranded: tuple[Stranded, ...]
    workers: tuple[WorkerRecord, ...]
    engines: EngineChoice = DATABASE_ONLY


async def find_stranded(
    tx: Transaction, *, offline_after: float, patience: float = PATIENCE, engines: EngineChoice = DATABASE_ONLY
) -> StrandedRuns:
    """`engines` are those of the settings."""
    workers, engines = await tx.processes.workers(offline_after), await current_engines(tx, engines)
    wanted = unserved(await tx.queues.wants(), workers, engines)
    return StrandedRuns(await tx.now(), tuple(await tx.queues.stranded(wanted, patience)), tuple(workers), engines)


async def stranded_jobs(tx: Transaction, jobs: Iterable[JobRecord], found: StrandedRuns) -> set[str]:
    """The ids of jobs with stranded runs. Only jobs with unmet needs are looked up: usually none."""
    missing = {(one.project_id, one.queue, one.needs) for one in found.stranded}
    wanting = [job.id for job in jobs if (job.project_id, job.spec.queue, job.spec.target.needs) in missing]
    return await tx.queues.waiting_jobs(wanting, PATIENCE)
