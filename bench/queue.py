"""Fills the queue: one manual job and many runs of it, put there in bulk by the store's own insert."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.firing import plan_of
from horae.domain.runs.run import NewRun
from horae.domain.runs.states import Trigger
from horae.domain.targets import PythonTarget
from horae.lifecycle.submit import TriggerRequest, create_job
from horae.lifecycle.submit import trigger as submit
from horae.ports import Transaction
from horae.sdk.task import Task
from horae.store.store import SqlStore
from horae.wiring import IDS

BATCH = 1000


@dataclass(frozen=True, slots=True)
class Job:
    record: JobRecord
    project_id: str


async def manual_job(store: SqlStore, function: str, queue: str = "default") -> Job:
    """A job that only starts by hand, so without a limit on its instances."""
    return await job(store, JobSpec(name=f"bench {function}", target=PythonTarget(function=function), queue=queue))


async def job(store: SqlStore, spec: JobSpec) -> Job:
    return await store.transact(_create, spec)


async def _create(tx: Transaction, spec: JobSpec) -> Job:
    project = await tx.access.default_project()
    if isinstance(spec.target, PythonTarget):  # no worker has started yet
        from bench import tasks

        function: Task[..., object] = getattr(tasks, spec.target.function)
        await tx.functions.register([FunctionSign.of(function.function)])
    record = await create_job(tx, job_id=IDS.new(), project_id=project.id, spec=spec, enabled=True, actor="bench")
    return Job(record, project.id)


async def trigger(store: SqlStore, job: Job, count: int = 1) -> list[str]:
    """Asks for runs as a client does; their ids."""
    asked = [TriggerRequest(IDS.new()) for _ in range(count)]
    await store.autocommit(
        submit, project_id=job.project_id, ref=job.record.id, runs=asked, trigger=Trigger.API, actor="bench"
    )
    return [request.run_id for request in asked]


async def fill(store: SqlStore, job: Job, count: int) -> float:
    """Queues runs in batches; runs per second."""
    began = time.perf_counter()
    for start in range(0, count, BATCH):
        await store.transact(_insert, job, min(BATCH, count - start))
    return count / (time.perf_counter() - began)


async def _insert(tx: Transaction, job: Job, count: int) -> None:
    plan = plan_of(job.record.spec)
    of_bench = partial(NewRun.of, job.record, plan, trigger=Trigger.API, triggered_by="bench")
    await tx.runs.insert([of_bench(id=IDS.new()) for _ in range(count)])
    tx.hint(f"runs:{plan.queue}")
