"""Prune: what is older than its retention goes, a little at a time; what somebody still needs stays."""

import asyncio
from datetime import datetime, timedelta
from uuid import UUID

from horae.domain.records import Beat
from horae.domain.run import Claimed
from horae.domain.states import WorkerStatus
from horae.lifecycle.drain import drain
from horae.lifecycle.prune import tidy
from horae.processes.heartbeat import renew
from horae.store.dialects.months import months, smallest_id
from tests.contract.kinds import on_postgresql
from tests.contract.world import FAILED, PERMANENT, World, ids, scheduler_sign, worker_sign


async def test_ended_runs_go_with_their_attempts_and_output(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2, "delay": 0})
    run = await world.running(job)
    await world.finish(run, outcome=FAILED, logs=[await world.line(run, "hello")])
    await world.finish(*await world.claim())
    assert await (await world.later(days=9)).prune(days=10) == 0
    assert len(await world.history()) == 1
    assert await (await world.later(days=11)).prune(days=10) == 1
    for table in ("run_history", "attempts", "run_logs"):
        assert await world.rows(f"SELECT * FROM {table}") == [], table


async def test_live_runs_stay_however_old(world: World) -> None:
    job = await world.job(retry={"max_attempts": 2, "delay": 0})
    await world.trigger(await world.job(queue="slow"))
    run = await world.running(job)
    await world.finish(run, outcome=FAILED, logs=[await world.line(run, "hello")])
    assert await (await world.later(days=99)).prune(days=10, log_days=20) == 0
    assert len(await world.live()) == 2
    assert len(await world.rows("SELECT * FROM attempts")) == 1


async def test_a_run_counts_from_when_it_ended(world: World) -> None:
    """Not from when it was made: its id may be months older."""
    run = await world.running(lease=86_400 * 99)
    ended = await world.later(days=30)
    await ended.finish(run)
    assert await (await world.later(days=35)).prune(days=10) == 0
    assert await (await world.later(days=41)).prune(days=10) == 1


async def test_dead_letters_that_nobody_resolved_are_spared(world: World) -> None:
    dead = await world.ended(outcome=PERMANENT)
    await world.ended()
    later = await world.later(days=99)
    assert await later.prune(days=10) == 1
    assert ids(await world.history()) == {dead["id"]}
    await world.execute("DELETE FROM dead_letters")
    assert await later.prune(days=10) == 1


async def test_skipped_rows_go_too(world: World) -> None:
    await world.job(every="1h", catch_up="none")
    await (await world.later(hours=5)).fire()
    assert await (await world.later(days=20)).prune(days=10) == 1
    assert await world.history() == []


async def test_a_portion_is_bounded_and_the_oldest_go_first(world: World) -> None:
    job = await world.job()
    runs = [(await world.ended(job))["id"] for _ in range(5)]
    later = await world.later(days=11)
    assert await later.prune(days=10, limit=2) == 2
    assert ids(await world.history()) == set(runs[2:])
    assert [await later.prune(days=10, limit=2) for _ in range(3)] == [2, 1, 0]


async def test_prunes_at_once_do_not_disturb_each_other(world: World) -> None:
    await world.trigger(await world.job(), 40)
    await world.finish(*await world.claim())
    crowd = [await world.later(days=11) for _ in range(3)]

    async def prune(one: World) -> None:
        while await one.prune(days=10, limit=15):
            pass

    await asyncio.gather(*map(prune, crowd))
    assert await world.history() == []


async def test_counters_outlive_what_they_counted(world: World) -> None:
    await world.ended()
    await world.roll_up()
    await (await world.later(days=11)).prune(days=10)
    assert (await world.totals())["succeeded"] == 1


# ---- output, which may go earlier


async def say_and_end(world: World, run: Claimed) -> None:
    await world.finish(run, logs=[await world.line(run, "hello")])


async def test_output_goes_before_its_run_does(world: World) -> None:
    run = await world.running()
    await say_and_end(world, run)
    later = await world.later(days=4)
    assert await later.prune(days=10, log_days=5) == 0
    later = await world.later(days=6)
    assert await later.prune(days=10, log_days=5) == 1
    assert await world.log_of(run) == []
    assert len(await world.history()) == 1
    assert await later.prune(days=10, log_days=5) == 0


async def test_output_counts_from_when_it_was_written(world: World) -> None:
    """A run that was asked for a month ahead has an old id and fresh output."""
    job = await world.job()
    await world.trigger(job, run_at=await world.now() + timedelta(days=30))
    later = await world.later(days=30, seconds=1)
    (run,) = await later.claim()
    await say_and_end(later, run)
    assert await later.prune(days=90, log_days=5) == 0
    assert len(await world.log_of(run)) == 1
    assert await (await world.later(days=36)).prune(days=90, log_days=5) == 1


# ---- processes


async def test_processes_that_are_long_gone_are_forgotten(world: World) -> None:
    worker, scheduler = worker_sign(), scheduler_sign()
    await world.store.transact(lambda tx: tx.processes.register_worker(worker))
    await world.store.transact(lambda tx: tx.processes.register_scheduler(scheduler))
    await (await world.later(hours=23)).store.transact(tidy)
    assert len(await world.rows("SELECT id FROM workers")) == len(await world.rows("SELECT id FROM schedulers")) == 1
    await (await world.later(hours=25)).store.transact(tidy)
    assert await world.rows("SELECT id FROM workers") == await world.rows("SELECT id FROM schedulers") == []


async def test_a_worker_that_comes_back_after_that_registers_again(world: World) -> None:
    worker = worker_sign()
    await world.store.transact(lambda tx: tx.processes.register_worker(worker))
    monday = await world.later(hours=60)
    await monday.store.transact(tidy)
    draining = Beat(WorkerStatus.DRAINING, 2, 17)
    assert await monday.store.single(renew, worker, 60.0, [], draining) == ([], False)
    (found,) = await monday.store.read(lambda tx: tx.processes.workers(180.0))
    assert (found.id, found.name, found.host, found.queues) == (worker.id, worker.name, worker.host, worker.queues)
    assert (found.status, found.busy, found.runs_done) == (WorkerStatus.DRAINING, 2, 17)
    await monday.store.transact(drain, worker_id=worker.id, actor="ada", offline_after=180.0)
    assert await monday.store.single(renew, worker, 60.0, [], Beat(WorkerStatus.IDLE, 0, 17)) == ([], True)
    assert len(await monday.store.read(lambda tx: tx.processes.neighbours(worker.host.key))) == 1


# ---- partitions


async def partitions(world: World, table: str) -> set[str]:
    rows = await world.rows(
        "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = CAST(:t AS regclass)", t=table
    )
    return {row["name"].removeprefix(f"{table}_") for row in rows}


def names(now: datetime) -> set[str]:
    return {f"{first:%Y_%m}" for first, _ in months(now)}


def id_at(at: datetime) -> str:
    """A UUIDv7 that could have been made at that time."""
    return str(UUID(int=UUID(smallest_id(at)).int | 0x7000_8000_0000_0000_0001))


@on_postgresql
async def test_this_month_and_the_next_have_partitions_from_the_start(world: World) -> None:
    for table in ("run_history", "run_logs"):
        assert await partitions(world, table) == {"rest", *names(await world.now())}
    assert len(names(await world.now())) == 4


@on_postgresql
async def test_rows_land_in_the_partition_of_their_month(world: World) -> None:
    run = await world.running()
    await say_and_end(world, run)
    month = f"{await world.now():%Y_%m}"
    for table, column in (("run_history", "id"), ("run_logs", "run_id")):
        (row,) = await world.rows(
            f"SELECT tableoid::regclass::text AS name FROM {table} WHERE {column} = :id", id=run.id
        )
        assert row["name"] == f"{table}_{month}"


@on_postgresql
async def test_the_months_to_come_are_prepared_in_time_and_once(world: World) -> None:
    later = await world.later(days=62)
    for _ in range(2):
        await later.store.transact(tidy)
        expected = {"rest", *names(await world.now()), *names(await later.now())}
        assert await partitions(world, "run_history") == await partitions(world, "run_logs") == expected


@on_postgresql
async def test_schedulers_prepare_at_once_and_under_load(world: World) -> None:
    await world.trigger(await world.job(), 40)
    crowd = [await world.later(days=150) for _ in range(3)]

    async def work() -> None:
        while runs := await world.claim(4):
            await world.finish(*runs)

    await asyncio.gather(work(), *(one.store.transact(tidy) for one in crowd))
    assert names(await crowd[0].now()) < await partitions(world, "run_history")
    assert len(await world.history()) == 40


@on_postgresql
async def test_a_month_whose_rows_came_before_its_partition_stays_in_the_rest(world: World) -> None:
    """Nobody prepared for months; then rows of that month are in the default partition already."""
    far = await world.later(days=200)
    job = await world.job()
    run_id = id_at(await far.now())
    await world.trigger(job, id=run_id)
    (run,) = await world.claim()
    await say_and_end(world, run)
    await far.store.transact(tidy)
    month = f"{await far.now():%Y_%m}"
    assert month not in await partitions(world, "run_history")
    assert month not in await partitions(world, "run_logs")
    assert names(await far.now()) - {month} < await partitions(world, "run_history")
    assert (await world.find(run_id))["status"] == "succeeded"
    assert len(await world.log_of(run_id)) == 1
    other = id_at(await far.now() + timedelta(seconds=1))
    await world.trigger(job, id=other)
    await world.finish(*await world.claim())
    assert (await world.find(other))["status"] == "succeeded"
    assert ids((await world.page()).items) == {run_id, other}
