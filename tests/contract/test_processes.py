"""Registration and heartbeats of processes, and the leases of schedulers on shards."""

import asyncio
from collections import Counter
from dataclasses import fields

import pytest

from horae.domain.cluster.process import (
    Beat,
    Host,
    SchedulerSign,
    SchedulerStanding,
    ShardView,
    WorkerRecord,
    WorkerSign,
)
from horae.domain.cluster.trouble import Trouble
from horae.domain.runs.states import WorkerStatus
from horae.ports import Transaction
from horae.processes.duties.shards import share
from tests.contract.world import World, lost_reply, scheduler_sign, worker_sign

LEASE = 60.0  # long, so that a slow machine changes nothing
OFFLINE_AFTER = 180.0


async def register(world: World, sign: WorkerSign, *, reply_lost: bool = False) -> None:
    await world.store.transact(lost_reply(_register) if reply_lost else _register, sign)


async def _register(tx: Transaction, sign: WorkerSign) -> None:
    await tx.processes.register_worker(sign)


async def beat(world: World, sign: WorkerSign, status: str = "busy", busy: int = 1, done: int = 0) -> None:
    await world.store.transact(lambda tx: tx.processes.beat_worker(sign.id, Beat(status, busy, done)))


async def workers(world: World) -> list[WorkerRecord]:
    return await world.store.read(lambda tx: tx.processes.workers(OFFLINE_AFTER))


async def renewed(world: World, sign: SchedulerSign, lease: float = LEASE) -> SchedulerStanding:
    return await world.store.transact(lambda tx: tx.processes.renew_scheduler(sign.id, lease))


# ---- workers


async def test_a_worker_introduces_itself(world: World) -> None:
    sign = worker_sign(
        name="w-1",
        queues=("a", "ü"),
        offers=("http", "python:x"),
        slots=7,
        projects=("p",),
        host=Host("h", "linux", "h:b", 42, 43),
    )
    await register(world, sign)
    (found,) = await workers(world)
    for field in fields(WorkerSign):
        assert getattr(found, field.name) == getattr(sign, field.name)
    assert (found.status, found.busy, found.runs_done) == (WorkerStatus.IDLE, 0, 0)
    assert (await world.now() - found.heartbeat_at).total_seconds() < OFFLINE_AFTER


async def test_an_introduction_whose_answer_was_lost_is_repeated(world: World) -> None:
    sign = worker_sign()
    await register(world, sign, reply_lost=True)
    assert [one.id for one in await workers(world)] == [sign.id]


async def test_a_heartbeat_reports_what_keeps_failing_and_since_when(world: World) -> None:
    sign, scheduler = worker_sign(), scheduler_sign()
    await register(world, sign)
    await world.store.transact(lambda tx: tx.processes.register_scheduler(scheduler))

    async def tell(at: World, trouble: str | None) -> tuple[Trouble | None, Trouble | None]:
        async def beats(tx: Transaction) -> None:
            await tx.processes.beat_worker(sign.id, Beat("idle", 0, 0, trouble))
            await share(tx, scheduler, LEASE, 64, trouble)

        await at.store.transact(beats)
        ((worker,), (other,)) = await workers(at), await at.store.read(lambda tx: tx.processes.schedulers(LEASE))
        return worker.trouble, other.trouble

    assert await tell(world, None) == (None, None)
    first, same = await tell(world, "claim: OperationalError: too many")
    assert first is not None
    assert same is not None
    assert (first.loop, first.reason) == ("claim", "OperationalError: too many")
    assert (await world.now() - first.since).total_seconds() < LEASE
    later = await world.later(seconds=100)
    for told in await tell(later, "claim: KeyError: …"):
        assert told is not None
        assert told.reason == "KeyError: …"
        assert told.since in (first.since, same.since), "since it began, whatever came on top of it"
    assert await tell(later, None) == (None, None)


async def test_a_beat_says_how_it_is(world: World) -> None:
    sign = worker_sign()
    await register(world, sign)
    later = await world.later(seconds=100)
    await beat(later, sign, "draining", 3, 17)
    (found,) = await workers(later)
    assert (found.status, found.busy, found.runs_done) == ("draining", 3, 17)
    assert found.heartbeat_at > found.started_at


async def test_without_a_beat_a_worker_is_offline(world: World) -> None:
    silent, alive, gone = worker_sign(), worker_sign(), worker_sign()
    for sign in (silent, alive, gone):
        await register(world, sign)
    await beat(await world.later(seconds=150), alive)
    await beat(world, gone, "offline", 0)
    later = await world.later(seconds=OFFLINE_AFTER + 5)
    assert {one.id: one.status for one in await workers(later)} == {
        silent.id: "offline",
        alive.id: "busy",
        gone.id: "offline",
    }


async def test_a_worker_that_said_goodbye_is_stopped_and_not_offline(world: World) -> None:
    stopped, back, dead = worker_sign(), worker_sign(), worker_sign()
    for sign in (stopped, back, dead):
        await register(world, sign)
    await world.store.transact(lambda tx: tx.processes.stop_worker(stopped.id, 7))
    await world.store.transact(lambda tx: tx.processes.stop_worker(back.id, 0))
    await register(world, back)
    later = await world.later(seconds=OFFLINE_AFTER + 5)
    await beat(later, back, "idle", 0)
    found = {one.id: (one.status, one.there, one.runs_done) for one in await workers(later)}
    assert found == {
        stopped.id: ("stopped", False, 7),
        back.id: ("idle", True, 0),
        dead.id: ("offline", False, 0),
    }


async def test_neighbours_are_those_of_the_same_host_that_did_not_say_goodbye(world: World) -> None:
    here, gone = worker_sign(), worker_sign()
    elsewhere = worker_sign(host=Host("other", "linux", "other:boot", 1, 2))
    for sign in (here, gone, elsewhere):
        await register(world, sign)
    await beat(world, gone, "offline", 0)
    found = await world.store.read(lambda tx: tx.processes.neighbours("host:boot"))
    assert found == [(here.id, here.host)]


async def test_a_worker_that_is_surely_dead_is_marked(world: World) -> None:
    dead, alive = worker_sign(), worker_sign()
    for sign in (dead, alive):
        await register(world, sign)
        await beat(world, sign, busy=3)
    await world.store.transact(lambda tx: tx.processes.mark_offline([dead.id]))
    await world.store.transact(lambda tx: tx.processes.mark_offline([]))
    found = {one.id: (one.status, one.busy) for one in await workers(world)}
    assert found == {dead.id: ("offline", 0), alive.id: ("busy", 3)}


# ---- schedulers and their shards


async def lead(world: World, *signs: SchedulerSign) -> dict[str, list[int]]:
    """Each scheduler renews and evens out its share, in turn."""
    return {sign.id: await world.store.transact(share, sign, LEASE, 64) for sign in signs}


async def shards(world: World) -> list[ShardView]:
    return await world.store.read(lambda tx: tx.processes.shards())


async def owners(world: World) -> Counter[str | None]:
    return Counter(shard.owner_id for shard in await shards(world))


async def schedulers(world: World, count: int) -> list[SchedulerSign]:
    signs = [scheduler_sign() for _ in range(count)]
    for sign in signs:
        await world.store.transact(_register_scheduler, sign)
    return signs


async def _register_scheduler(tx: Transaction, sign: SchedulerSign) -> None:
    await tx.processes.register_scheduler(sign)


async def test_a_scheduler_introduces_itself_beats_and_leaves(world: World) -> None:
    (sign,) = await schedulers(world, 1)
    (found,) = await world.store.read(lambda tx: tx.processes.schedulers(LEASE))
    assert (found.id, found.host, found.version, found.shards) == (sign.id, sign.host, "1", [])
    assert found.status == "standby"
    await lead(world, sign)
    (found,) = await world.store.read(lambda tx: tx.processes.schedulers(LEASE))
    assert (found.shards, found.status) == (list(range(64)), "active")
    assert {lease.epoch for lease in found.leases} == {1}
    await world.store.transact(lambda tx: tx.processes.forget_scheduler(sign.id))
    assert await world.store.read(lambda tx: tx.processes.schedulers(LEASE)) == []
    assert await owners(world) == {None: 64}
    assert not (await renewed(world, sign)).registered


async def test_a_scheduler_that_died_is_offline_and_owns_nothing(world: World) -> None:
    (sign,) = await schedulers(world, 1)
    await lead(world, sign)
    later = await world.later(seconds=LEASE + 1)
    (found,) = await later.store.read(lambda tx: tx.processes.schedulers(LEASE))
    assert (found.status, found.shards, found.leases) == ("offline", [], ())


async def test_a_scheduler_that_was_forgotten_introduces_itself_again(world: World) -> None:
    sign = scheduler_sign()
    assert len((await lead(world, sign))[sign.id]) == 64
    assert [one.id for one in await world.store.read(lambda tx: tx.processes.schedulers(LEASE))] == [sign.id]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 10])
async def test_schedulers_share_fairly(world: World, count: int) -> None:
    """As soon as each had its turn twice no two differ by more than one shard, and then nothing changes hands."""
    signs = await schedulers(world, count)
    for _ in range(2):
        await lead(world, *signs)
    settled = await shards(world)
    owned = await lead(world, *signs)
    sizes = sorted(map(len, owned.values()))
    assert sorted(shard for part in owned.values() for shard in part) == list(range(64))
    assert sizes[-1] - sizes[0] <= 1
    for _ in range(3):
        await lead(world, *reversed(signs))
    assert [(s.owner_id, s.epoch) for s in await shards(world)] == [(s.owner_id, s.epoch) for s in settled]
    assert {sign: size for sign, size in (await owners(world)).items() if sign} == {
        sign: len(part) for sign, part in owned.items()
    }


async def test_one_who_joins_gets_its_share_and_others_give(world: World) -> None:
    first, second = await schedulers(world, 2)
    await world.execute("DELETE FROM schedulers WHERE id = :id", id=second.id)
    assert len((await lead(world, first))[first.id]) == 64
    await lead(world, second)
    owned = await lead(world, first, second)
    assert [len(part) for part in owned.values()] == [32, 32]


async def test_schedulers_at_once_take_each_shard_once(world: World) -> None:
    signs = await schedulers(world, 5)
    crowd = await world.crowd(5)
    every: list[int] = []
    for _ in range(4):
        taken = await asyncio.gather(*(lead(one, sign) for one, sign in zip(crowd, signs, strict=True)))
        every = [shard for part in taken for owned in part.values() for shard in owned]
        assert len(every) == len(set(every))
    assert sorted(every) == list(range(64))


async def test_one_who_leaves_hands_over_at_once(world: World) -> None:
    first, second = await schedulers(world, 2)
    for _ in range(2):
        await lead(world, first, second)
    await world.store.transact(lambda tx: tx.processes.forget_scheduler(first.id))
    assert len((await lead(world, second))[second.id]) == 64


async def test_the_shards_of_a_dead_one_are_taken_when_its_lease_is_over(world: World) -> None:
    dead, alive = await schedulers(world, 2)
    for _ in range(2):
        await lead(world, dead, alive)
    before = {shard.shard: shard for shard in await shards(world)}
    soon = await world.later(seconds=LEASE - 30)
    assert len((await lead(soon, alive))[alive.id]) == 32
    later = await world.later(seconds=LEASE + 2)
    assert len((await lead(later, alive))[alive.id]) == 64
    for shard in await shards(world):
        taken = before[shard.shard].owner_id == dead.id
        assert shard.epoch == before[shard.shard].epoch + taken, "a new owner, a new epoch"
        assert shard.owner_id == alive.id


async def test_a_stale_owner_cannot_renew(world: World) -> None:
    (stale,) = await schedulers(world, 1)
    await lead(world, stale)
    later = await world.later(seconds=LEASE + 2)
    assert (await renewed(later, stale)).shards == []
    (other,) = await schedulers(later, 1)
    taken = await later.store.transact(lambda tx: tx.processes.take_shards(other.id, LEASE, 64))
    assert len(taken) == 64
    assert (await renewed(later, stale)).shards == []
    await later.store.transact(lambda tx: tx.processes.release_shards(stale.id))
    assert await owners(world) == {other.id: 64}


async def test_shards_with_a_valid_lease_are_not_taken(world: World) -> None:
    first, second = await schedulers(world, 2)
    await world.store.transact(lambda tx: tx.processes.take_shards(first.id, LEASE, 40))
    taken = await world.store.transact(lambda tx: tx.processes.take_shards(second.id, LEASE, 64))
    assert len(taken) == 24
    assert await owners(world) == {first.id: 40, second.id: 24}


async def test_a_free_shard_is_noticed(world: World) -> None:
    (first,) = await schedulers(world, 1)
    assert await world.store.read(lambda tx: tx.processes.any_shard_free())
    await lead(world, first)
    assert not await world.store.read(lambda tx: tx.processes.any_shard_free())
    await world.store.transact(lambda tx: tx.processes.release_shards(first.id, keep=63))
    assert await world.store.read(lambda tx: tx.processes.any_shard_free())


async def test_only_schedulers_that_beat_count(world: World) -> None:
    first, _ = await schedulers(world, 2)
    later = await world.later(seconds=20)
    await renewed(later, first)
    assert (await renewed(later, first, lease=10)).live == [first.id]
    assert len((await renewed(later, first, lease=60)).live) == 2
