"""Asking a worker to take nothing more."""

import pytest

from horae.accounts.audit import read_audit
from horae.domain.cluster.process import Beat, Host, WorkerRecord, WorkerSign
from horae.domain.errors import Conflict, NotFound
from horae.domain.people.audit import AuditFilter
from horae.lifecycle.drain import drain
from tests.contract.world import World

HOST = Host("host", "linux", "key", 1, 1)


async def worker(world: World, status: str = "idle") -> str:
    sign = WorkerSign(world.ids.new(), "w", HOST, "1", (), (), 4)
    await world.store.transact(lambda tx: tx.processes.register_worker(sign))
    await world.store.transact(lambda tx: tx.processes.beat_worker(sign.id, Beat(status, 0, 0)))
    return sign.id


async def ask(world: World, worker_id: str) -> WorkerRecord:
    return await world.store.transact(drain, worker_id=worker_id, actor="admin", offline_after=180.0)


async def is_to_drain(world: World, worker_id: str) -> bool | None:
    return await world.store.autocommit(lambda tx: tx.processes.beat_worker(worker_id, Beat("idle", 0, 0)))


async def test_the_worker_finds_out_and_the_others_do_not(world: World):
    one, two = await worker(world), await worker(world)
    assert (await ask(world, one)).drain_requested_by == "admin"
    assert (await is_to_drain(world, one), await is_to_drain(world, two)) == (True, False)
    await ask(world, one)
    trail = await world.store.read(read_audit, [None], AuditFilter(kind="worker"), 10, None)
    assert [(entry.action, entry.subject_id) for entry in trail.items] == [("worker.drain", one)]


async def test_an_unknown_or_offline_worker_cannot_be_drained(world: World):
    with pytest.raises(NotFound):
        await ask(world, world.ids.new())
    with pytest.raises(Conflict, match="offline"):
        await ask(world, await worker(world, "offline"))
