"""What an evaluation of alerts costs: the same for any number of healthy jobs, ended runs and cleared alerts; and with
very many that are wrong, each is still opened once."""

from datetime import timedelta

import pytest

from horae.domain.alerts.thresholds import Thresholds
from horae.domain.alerts.transition import MOST_SEEN
from horae.lifecycle.watching.watch import Eyes, watch
from tests.contract.cost import Meter, counted, metered
from tests.contract.watching import alerts, beat, evaluate, fail, worker
from tests.contract.wide import copy, enough
from tests.contract.world import World

JOBS, HISTORY, CLEARED = 100_000, 200_000, 50_000
_SLACK = 60
EYES = Eyes(Thresholds(), 180.0, 6.0)


async def crowd(world: World, job_id: str, count: int, prefix: str, **stats: str) -> None:
    """So many jobs like this one, with counters like its own."""
    name = f"'{prefix}-' || v.n" if world.kind == "sqlite" else f"CONCAT('{prefix}-', v.n)"
    await copy(world, "jobs", job_id, count, name=name)
    (like,) = await world.rows("SELECT * FROM job_stats WHERE job_id = :id", id=job_id)
    values = ", ".join("j.id" if column == "job_id" else stats.get(column, f"s.{column}") for column in like)
    await world.execute(
        f"INSERT INTO job_stats ({', '.join(like)}) SELECT {values} FROM jobs j "
        f"JOIN job_stats s ON s.job_id = '{job_id}' WHERE j.name LIKE '{prefix}-%'"
    )


async def analyse(world: World) -> None:
    if world.kind == "sqlite":
        await world.execute("ANALYZE")
        return
    for table in ("jobs", "job_stats", "run_history", "alerts", "runs", "alert_settings"):
        await world.rows(f"ANALYZE {'TABLE ' if world.kind != 'postgresql' else ''}{table}")


async def cost(world: World, meter: Meter) -> tuple[int, int]:
    meter.statements = meter.read = 0
    changes = await world.store.read(watch, eyes=EYES)
    assert changes.opening == []
    return meter.statements, meter.read


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_healthy_jobs_and_history_cost_nothing(world: World) -> None:
    await worker(world)
    job = await world.job(every="10d")
    run = await world.ended(job)
    await fail(world, await world.job(), 3)
    await evaluate(world)
    await world.roll_up()
    costly, meter = await metered(world)
    narrow = await cost(costly, meter)
    assert narrow[0] <= 25
    # Below 100,000 jobs SQLite prefers to read an index of theirs, or of the alerts, to its end.
    jobs, history, cleared = (n if world.kind == "sqlite" else enough(world, n) for n in (JOBS, HISTORY, CLEARED))
    await crowd(world, job.id, jobs, "healthy")
    await copy(world, "run_history", run.id, history)
    await copy(world, "alerts", (await alerts(world))[0].id, cleared, open_key="NULL", state="'cleared'")
    await analyse(world)
    wide = await cost(costly, meter)
    assert wide[0] == narrow[0]
    assert wide[1] <= 2 * narrow[1] + _SLACK, f"narrow {narrow}, wide {wide}"


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_thousands_of_jobs_that_fail_at_once_get_an_alert_each(world: World) -> None:
    """And while they stay open, an evaluation writes a bounded number of them, those that were written longest ago."""
    await worker(world)
    job = await world.job(name="first")
    await fail(world, job, 3)
    await world.roll_up()
    await crowd(world, job.id, 2_999, "broken")
    await beat(world)
    for _ in range(2):
        await evaluate(world, dead_letters=0)
    (row,) = await world.rows("SELECT COUNT(*) AS n FROM alerts WHERE state = 'open' AND rule = 'failing'")
    assert row["n"] == 3_000
    then = await world.now()
    await world.execute("UPDATE alerts SET last_seen_at = :old", old=then - timedelta(minutes=2))
    costly, meter = await counted(world, 1)
    for round in (1, 2):
        meter.round_trips.clear()
        await evaluate(costly, dead_letters=0)
        written = [sql for sql in meter.round_trips if sql.startswith("UPDATE alerts")]
        assert len(written) <= 3
        (row,) = await world.rows("SELECT COUNT(*) AS n FROM alerts WHERE last_seen_at >= :then", then=then)
        assert row["n"] == round * MOST_SEEN
