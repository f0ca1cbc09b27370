"""Helpers for tests of explanations: who is alive, what is explained, and which gate alone is closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from horae.domain.cluster.process import Beat, WorkerSign
from horae.domain.explain.explanation import Explanation, Gate
from horae.domain.jobs.job_record import JobRecord
from horae.lifecycle import explain
from horae.ports import Transaction
from horae.store.dialects.base import Connection
from tests.contract.world import World, scheduler_sign, worker_sign

HOURLY: dict[str, Any] = {"every": "1h"}


async def alive(world: World, *, worker: bool = True, scheduler: bool = True, **sign: Any) -> WorkerSign:
    """A scheduler that owns all shards, and a worker."""
    signs, made = scheduler_sign(), worker_sign(**sign)

    async def register(tx: Transaction) -> None:
        if scheduler:
            await tx.processes.register_scheduler(signs)
            await tx.processes.take_shards(signs.id, 600.0, 64)
        if worker:
            await tx.processes.register_worker(made)

    await world.store.transact(register)
    return made


async def beat(world: World, worker: WorkerSign, **fields: Any) -> None:
    beat = Beat(**{"status": "idle", "busy": 0, "runs_done": 0, **fields})
    await world.store.transact(lambda tx: tx.processes.beat_worker(worker.id, beat))


async def of_job(world: World, job: JobRecord) -> Explanation:
    return await world.store.read(explain.explain_job, project_id=world.project, ref=job.id)


async def of_run(world: World, run: Any) -> Explanation:
    run_id = run["id"] if isinstance(run, dict) else run.id
    return await world.store.read(explain.explain_run, project_id=world.project, run_id=run_id)


def alone(found: Explanation, name: str) -> Gate:
    """The one closed gate: it has this name, is in the summary, and has an `unblock`."""
    closed = [gate for gate in found.gates if gate.closed]
    assert [gate.name for gate in closed] == [name], found
    assert closed[0].detail in found.summary
    assert closed[0].unblock
    return closed[0]


def gate(found: Explanation, name: str) -> Gate:
    return next(one for one in found.gates if one.name == name)


def nothing_closed(found: Explanation) -> str:
    assert [one.name for one in found.gates if one.closed] == []
    return found.summary


async def renew_shards(world: World) -> None:
    async def take(tx: Transaction) -> None:
        sign = scheduler_sign()
        await tx.processes.register_scheduler(sign)
        await tx.processes.take_shards(sign.id, 600.0, 64)

    await world.store.transact(take)


class Counting:
    """A connection that counts its statements."""

    def __init__(self, db: Connection) -> None:
        self._db, self.statements = db, 0

    async def fetch(self, *args: Any) -> Any:
        self.statements += 1
        return await self._db.fetch(*args)


async def statements(world: World, verb: Callable[..., Awaitable[Any]], **which: str) -> int:
    async def count(tx: Any) -> int:
        counting = Counting(tx._db)
        tx._db = counting
        for group in (tx.jobs, tx.runs, tx.processes, tx.facts):
            group.db = counting
        await verb(tx, project_id=world.project, **which)
        return counting.statements

    return await world.store.read(count)
