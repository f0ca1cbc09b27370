"""Prune: what is older than its retention is deleted in batches; what is still needed stays."""

import asyncio
from datetime import timedelta

from horae.domain.cluster.process import Beat
from horae.domain.jobs.retention import DAY, Retention
from horae.domain.runs.claim import Claimed
from horae.domain.runs.states import WorkerStatus
from horae.domain.text.ids import NIL
from horae.lifecycle.cancel import cancel_operation
from horae.lifecycle.drain import drain
from horae.lifecycle.prune import Pruned, prune, tidy
from horae.lifecycle.renew import renew
from tests.contract.noting import noted
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


async def test_unresolved_dead_letters_are_not_pruned(world: World) -> None:
    dead = await world.ended(outcome=PERMANENT)
    await world.ended()
    later = await world.later(days=99)
    assert await later.prune(days=10) == 1
    assert ids(await world.history()) == {dead.id}
    await world.execute("DELETE FROM dead_letters")
    assert await later.prune(days=10) == 1


async def test_dead_letters_are_looked_at_once_in_a_round(world: World) -> None:
    """However many there are, the portions after them do not read them again."""
    job = await world.job()
    dead = [(await world.ended(job, PERMANENT)).id for _ in range(12)]
    fine = {(await world.ended(job)).id for _ in range(4)}
    later, notes = await noted(await world.later(days=11))
    keep, after, rows, gone = Retention(runs=10 * DAY), NIL, [], 0
    while True:
        notes.clear()
        pruned = await later.store.transact(prune, keep=keep, after=after, limit=4)
        rows.append(notes.rows)
        gone += pruned.count
        assert pruned.through > after
        after = pruned.through
        if pruned.through >= max(fine):
            break
    assert gone == 4
    assert rows == [rows[0]] * 4  # as many for each portion
    assert ids(await world.history()) == set(dead)
    assert (await later.store.transact(prune, keep=keep, after=after, limit=4)) == Pruned(0, after, more=False)
    await world.execute("DELETE FROM dead_letters")
    assert await later.prune(days=10) == 12, "the next round begins at the start"


async def test_operations_go_when_they_are_long_over(world: World) -> None:
    job = await world.job(every="1h")
    now = await world.now()
    over = await world.backfill(job, now - timedelta(hours=3), now)
    going_on = await world.backfill(job, now - timedelta(hours=9), now - timedelta(hours=5))
    await world.store.transact(cancel_operation, project_id=world.project, operation_id=over.id, actor="ada")
    assert {row["state"] for row in await world.rows("SELECT state FROM operations")} == {"cancelled", "running"}
    await (await world.later(days=9)).prune(days=10)
    assert len(await world.rows("SELECT id FROM operations")) == 2
    await (await world.later(days=11)).prune(days=10)
    assert [row["id"] for row in await world.rows("SELECT id FROM operations")] == [going_on.id]


async def test_skipped_rows_go_too(world: World) -> None:
    await world.job(every="1h", catch_up="none")
    await (await world.later(hours=5)).fire()
    assert await (await world.later(days=20)).prune(days=10) == 1
    assert await world.history() == []


async def test_a_portion_is_bounded_and_the_oldest_go_first(world: World) -> None:
    job = await world.job()
    runs = [(await world.ended(job)).id for _ in range(5)]
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
    assert await monday.store.autocommit(renew, worker, 60.0, [], draining) == ([], False)
    (found,) = await monday.store.read(lambda tx: tx.processes.workers(180.0))
    assert (found.id, found.name, found.host, found.queues) == (worker.id, worker.name, worker.host, worker.queues)
    assert (found.status, found.busy, found.runs_done) == (WorkerStatus.DRAINING, 2, 17)
    await monday.store.transact(drain, worker_id=worker.id, actor="ada", offline_after=180.0)
    assert await monday.store.autocommit(renew, worker, 60.0, [], Beat(WorkerStatus.IDLE, 0, 17)) == ([], True)
    assert len(await monday.store.read(lambda tx: tx.processes.neighbours(worker.host.key))) == 1
