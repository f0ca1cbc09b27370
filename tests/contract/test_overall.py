"""Counting everything, by status and by reason: exact before, during and after a roll-up."""

from __future__ import annotations

import asyncio

import pytest

from horae.domain.cluster import metrics
from horae.domain.runs.series import INSTALLATION
from horae.lifecycle.prune import recount
from horae.ports import Transaction
from horae.store.runs import crowds
from horae.watch.installation import installation
from tests.contract.cost import Meter, metered
from tests.contract.test_alerts_wide import analyse, crowd
from tests.contract.wide import copy
from tests.contract.world import PERMANENT, World

JOBS, HISTORY, _SLACK = 10_000, 10_000, 20
MANY = 3_000


async def _overall(tx: Transaction) -> dict[str, dict[str, int]]:
    return await tx.stats.overall()


async def test_skipped_occurrences_are_counted_by_reason(world: World) -> None:
    await world.job(every="60s", catch_up="last")
    await world.job(every="60s", catch_up="none")
    later = await world.later(seconds=600)
    await later.fire()
    found = await world.store.read(_overall)
    assert found["skipped"] == {"missed": 10 + 11}
    assert found["ended"]["skipped"] == 21
    assert found["live"] == {"queued": 1}
    for _ in range(2):
        await world.roll_up()
        assert await world.store.read(_overall) == found, "a roll-up changes nothing of what is read"


async def test_runs_are_counted_by_how_they_ended(world: World) -> None:
    await world.ended()
    await world.ended()
    await world.cancel(*await world.trigger(await world.job()))
    found = await world.store.read(_overall)
    assert (found["ended"]["succeeded"], found["ended"]["cancelled"], found["skipped"]) == (2, 1, {})


async def test_the_totals_of_a_project_are_its_own(world: World) -> None:
    await world.ended()
    await world.ended(None, PERMANENT)
    other = await world.store.read(lambda tx: tx.stats.summary(INSTALLATION))
    for _ in range(2):
        mine = await world.store.read(lambda tx: tx.stats.summary(world.project))
        assert (mine.ended["succeeded"], mine.ended["failed"], other.ended["failed"]) == (1, 1, 0)
        await world.roll_up()


async def test_what_an_older_version_rolls_up_is_recounted(world: World) -> None:
    job = await world.job(every="60s", catch_up="none")
    await (await world.later(seconds=300)).fire()
    await world.ended(job)
    await world.ended(None, PERMANENT)
    await world.roll_up()
    right = await world.store.read(_overall)
    assert await world.store.transact(recount) == 0
    # As a roll-up leaves it that knows nothing of the totals: rows that are too small, and rows that are missing.
    await world.execute("UPDATE totals SET value = 0")
    await world.execute("DELETE FROM totals WHERE counter = 'failed' OR counter LIKE 'skipped:%'")
    assert await world.store.read(_overall) != right
    assert await world.store.transact(recount) > 0
    assert await world.store.read(_overall) == right
    assert await world.store.transact(recount) == 0


async def test_recounting_during_roll_ups_counts_each_end_once(world: World) -> None:
    for job in await world.jobs(4):
        await world.trigger(job, 6)
    for _ in range(12):
        await world.finish(*await world.claim(2))
    crowd = await world.crowd(4)

    async def work(place: int, one: World) -> None:
        for _ in range(6):
            await (one.roll_up(limit=2) if place % 2 else one.store.transact(recount))

    await asyncio.gather(*(work(place, one) for place, one in enumerate(crowd)))
    assert await world.store.transact(recount) == 0
    assert (await world.store.read(_overall))["ended"]["succeeded"] == 24


async def test_the_cost_of_a_scrape_does_not_depend_on_jobs_and_history(world: World) -> None:
    job = await world.job(every="60s", catch_up="none")
    await (await world.later(seconds=300)).fire()
    run = await world.ended(job)
    await world.roll_up()
    costly, meter = await metered(world)
    narrow = await _scrape(costly, meter)
    await crowd(world, job.id, JOBS, "many")
    await world.execute(
        "INSERT INTO skip_stats (job_id, reason, project_id, occurrences) "
        "SELECT id, 'paused', project_id, 1 FROM jobs WHERE name LIKE 'many-%'"
    )
    await copy(world, "run_history", run.id, HISTORY)
    await world.store.transact(recount)
    await analyse(world)
    wide = await _scrape(costly, meter)
    assert wide[0] == narrow[0], "statements"
    assert wide[1] <= 2 * narrow[1] + _SLACK, f"narrow {narrow}, wide {wide}"
    assert (await world.store.read(_overall))["ended"]["succeeded"] == 1 + JOBS


async def test_a_backlog_does_not_make_its_own_metrics_slow(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number that is counted, the metrics are what was sampled last."""
    monkeypatch.setattr(crowds, "EXACTLY", 20)
    await world.ended(None, PERMANENT)
    mail, web = await world.job(queue="mail"), await world.job(queue="web")
    await world.trigger(mail, 8)
    (run, *_) = await world.trigger(web, 12)
    await world.claim(1, queues=("web",))
    few = await _figures(world)
    assert (few["queued"], few["running"], few["mail"], few["web"], few["dead"]) == (19, 1, 8, 11, 1)
    letter = (await world.rows("SELECT run_id FROM dead_letters"))[0]["run_id"]
    await copy(world, "dead_letters", letter, MANY, key="run_id")
    await copy(world, "runs", run.id, MANY, status="'queued'", worker_id="NULL", token="NULL", lease_until="NULL")
    many = await _figures(world)
    assert (many["queued"], many["web"], many["dead"]) == (19 + MANY, 11 + MANY, 1 + MANY), "nobody samples: counted"
    now = await world.now()
    later = await world.later(seconds=90 - now.timestamp() % 60)
    sample = await later.store.read(lambda tx: tx.series.sample(180.0))
    assert sample is not None
    assert await later.store.transact(lambda tx: tx.series.record(sample))
    assert await _figures(later) == many
    await later.trigger(mail)
    assert await _figures(later) == many, "as sampled, until the next minute"
    short = await later.store.read(lambda tx: tx.stats.summary(None))
    assert (short.queued, short.running, short.dead_letters) == (19 + MANY, 1, 1 + MANY), "and so is the JSON form"
    assert (await _figures(await later.later(minutes=5)))["mail"] == 9, "too old"
    costly, meter = await metered(later)
    crowded = await _scrape(costly, meter)
    monkeypatch.setattr(crowds, "EXACTLY", 10 * MANY)
    counted = await _scrape(costly, meter)
    assert crowded[1] < counted[1], "counting reads more"


async def _figures(world: World) -> dict[str, float]:
    """By status, queue, or `dead`."""
    found = await world.store.read(installation, offline_after=180.0, shard_lease=6.0)
    wanted = {metrics.LIVE, metrics.QUEUE_DEPTH, metrics.DEAD_LETTERS}
    return {(labels or ("dead",))[0]: n for family, values in found if family in wanted for labels, n in values.items()}


async def _scrape(world: World, meter: Meter) -> tuple[int, int]:
    meter.statements = meter.read = 0
    await world.store.read(installation, offline_after=180.0, shard_lease=6.0)
    return meter.statements, meter.read
