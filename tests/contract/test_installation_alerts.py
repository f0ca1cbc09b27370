"""Alert rules of the installation, broken for real: each opens its alert, and clears it once all is well."""

from datetime import datetime
from typing import Any

import asyncpg
import pytest

from horae.domain.alerts.facts import Disk
from horae.domain.alerts.thresholds import Thresholds
from horae.domain.cluster.process import Beat
from horae.domain.errors import StoreUnavailable
from horae.lifecycle.watching.watch import Eyes, watch_schedulers
from horae.ports import Transaction
from horae.processes.alerting import Alerting
from tests.contract.watching import beat, evaluate, only, rules, well_again, worker
from tests.contract.world import World, scheduler_sign

EYES = Eyes(Thresholds(), 180.0, 6.0)


async def test_no_worker_online(world: World):
    await worker(world)
    soon = await world.later(minutes=4)
    await evaluate(soon)
    assert await rules(soon) == []
    later = await world.later(minutes=9)
    await evaluate(later)
    assert (await only(later, "no_worker")).severity == "critical"
    await worker(later)
    await well_again(later, "no_worker")


async def test_nothing_fired_although_due(world: World):
    await worker(world)
    await world.job(every="1h")
    later = await world.later(hours=1, minutes=2)
    await worker(later)
    await evaluate(later)
    alert = await only(later, "not_fired")
    assert alert.project_id is None
    assert "was due" in alert.why
    await later.fire()
    await well_again(later, "not_fired")


async def test_a_paused_or_unreadable_job_is_not_overdue(world: World):
    await worker(world)
    paused, unread = await world.job(every="1h"), await world.job(every="1h")
    await world.pause(paused)
    later = await world.later(hours=2)
    note = "INSERT INTO unreadable (job_id, version, process_id, reason, found_at, seen_at) VALUES (:job, 1, :me, 'r', "
    await later.execute(f"{note}:now, :now)", job=unread.id, me=world.ids.new(), now=await later.now())
    await worker(later)
    await evaluate(later)
    assert await rules(later) == []


@pytest.mark.parametrize(
    ("trouble", "rule"),
    [
        ("claim: ConnectionLost: the server closed the connection", "database"),
        ("claim: RuntimeError: it broke", "claims_failing"),
        ("upkeep: RuntimeError: it broke", "loop_failing"),
    ],
)
async def test_processes_that_keep_failing(world: World, trouble: str, rule: str):
    sign = await worker(world)
    await world.store.transact(_beat, sign.id, trouble)
    later = await world.later(minutes=2)
    await later.store.transact(_beat, sign.id, trouble)
    await evaluate(later)
    assert await rules(later) == [rule]
    assert trouble.split(": ")[2] in (await only(later, rule)).why
    await later.store.transact(_beat, sign.id, None)
    await well_again(later, rule)


async def _beat(tx: Transaction, worker_id: str, trouble: str | None) -> None:
    await tx.processes.beat_worker(worker_id, Beat("idle", 0, 0, trouble))


@pytest.mark.parametrize("world", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True)
async def test_a_locked_table_does_not_hide_that_processes_fail(world: World):
    """Most facts cannot be read then, but this is the very moment for the alert."""
    sign, locked = await worker(world), "claim: TryAgain: canceling statement due to lock timeout"
    await world.store.transact(_beat, sign.id, locked)
    later = await world.later(minutes=2)
    await later.store.transact(_beat, sign.id, locked)
    other = await asyncpg.connect(world.url)
    await other.execute("BEGIN; LOCK TABLE runs IN ACCESS EXCLUSIVE MODE")
    with pytest.raises(StoreUnavailable):
        await evaluate(later)
    await other.close()
    alert = await only(later, "database")
    assert alert.title == "1 process keeps failing to use the database"
    assert alert.why.endswith("now: canceling statement due to lock timeout")


async def test_a_disk_that_fills(world: World):
    await worker(world)
    await evaluate(world, disk=lambda: Disk(free=5 << 30, total=100 << 30))
    assert "5.0 GiB (5 %)" in (await only(world, "disk")).why
    await evaluate(tight := await world.later(minutes=2), disk=lambda: Disk(free=4 << 20, total=64 << 20))
    assert "4 MiB (6 %)" in (await only(tight, "disk")).why, "and not 0.0 GiB"
    plenty = await tight.later(seconds=1)
    await evaluate(plenty, disk=lambda: Disk(free=50 << 30, total=100 << 30))
    await well_again(plenty, "disk")


@pytest.mark.parametrize("world", [pytest.param("postgresql", marks=pytest.mark.postgresql)], indirect=True)
async def test_partitions_that_are_missing(world: World):
    await worker(world)
    await evaluate(world)
    assert await rules(world) == []
    later = await world.later(days=150)  # whose months no one has prepared
    await worker(later)
    await evaluate(later)
    assert "run_history_" in (await only(later, "partitions")).why
    await later.partition()
    await well_again(later, "partitions")


async def test_no_scheduler(world: World):
    """A scheduler cannot see it: `serve` does."""

    absent_since: datetime | None = None

    async def look(at: World) -> None:
        nonlocal absent_since
        changes, absent_since = await at.store.read(watch_schedulers, shard_lease=6.0, absent_since=absent_since)
        await Alerting(at.store, EYES).apply(changes)

    await world.store.transact(_register, scheduler_sign())
    await look(world)
    assert await rules(world) == []
    later = await world.later(minutes=2)
    for _ in range(2):
        await look(later)
    assert "schedules do not fire" in (await only(later, "no_scheduler")).why
    await beat(later)
    await look(later)
    after = await later.later(seconds=61)
    await beat(after)
    await look(after)
    assert await rules(after) == []


async def test_restarting_all_schedulers_opens_no_alert(world: World):
    """One that stops in an orderly way leaves no row, and the next takes some seconds."""

    async def look(at: World, seen: datetime | None) -> datetime | None:
        changes, absent_since = await at.store.read(watch_schedulers, shard_lease=6.0, absent_since=seen)
        await Alerting(at.store, EYES).apply(changes)
        return absent_since

    old = await world.later(days=1)  # the database is no news
    sight = await look(old, None)
    assert sight is not None
    assert await rules(old) == []
    sight = await look(await old.later(seconds=50), sight)
    assert await rules(old) == []
    late = await old.later(seconds=61)
    await look(late, sight)
    found = await only(late, "no_scheduler")
    assert found.since == sight
    doubts, _ = await late.store.read(watch_schedulers, shard_lease=6.0, absent_since=None)
    assert doubts.quiet == doubts.clearing == []  # a `serve` that has just started cannot know


async def _register(tx: Transaction, sign: Any) -> None:
    await tx.processes.register_scheduler(sign)


@pytest.mark.parametrize("world", [pytest.param("sqlite", marks=pytest.mark.sqlite)], indirect=True)
async def test_starting_everything_after_an_outage_opens_no_alert_at_once(world: World):
    await worker(world)
    await world.job(every="1h")
    later = await world.later(hours=9)
    await evaluate(later, settling=60.0)  # the worker has not registered yet, and nothing has been fired
    assert await rules(later) == []
    await evaluate(later)
    assert await rules(later) == ["late", "no_worker", "not_fired"]
