"""Long readers: a backup or a report that holds a snapshot, and a lock on every table, while Horae keeps working."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.engine import make_url

from tests.databases import postgresql
from tests.faults.scenario import DEFAULT, scenario
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import Member, eventually

SLOTS, SECONDS = 8, 0.5  # so that the work is bounded by its own time, not by a busy machine
WINDOW, LONG = 30.0, 60.0


@scenario(
    "long-reader",
    "a backup reads for a minute while partitions are due: the work goes on as before, they are made afterwards",
    kinds=("postgresql",),
    times=DEFAULT,
    most=3,
    alone=True,
    within=300,
)
async def long_reader(stage: Stage) -> None:
    await stage.cluster.start_worker(HORAE_WORKER_SLOTS=str(SLOTS))
    scheduler = await stage.cluster.start_scheduler()
    await stage.ask_for(round((WINDOW + LONG + 20) * SLOTS / SECONDS), stage.noting(SECONDS))
    await stage.noted("end", count=2 * SLOTS)
    usual = await throughput(stage, WINDOW)
    lacking = await make_due(stage)
    async with snapshot(stage):
        scheduler = await restarted(stage, scheduler)
        beside = await throughput(stage, LONG)
        assert scheduler.logged("partitions have to wait"), "nobody tried to make them"
        assert len(await existing(stage, lacking)) == 0
    assert beside >= 0.9 * usual, f"{beside:.1f} runs a second beside a reader, {usual:.1f} without"
    await restarted(stage, scheduler)

    async def made() -> bool:
        return await existing(stage, lacking) == lacking

    await eventually(made, message="the partitions are made")


async def throughput(stage: Stage, seconds: float) -> float:
    began = time.time()
    await stage.pass_by(seconds)
    ended = time.time()
    return sum(began <= note.at < ended for note in stage.oracle.notes("end")) / (ended - began)


async def restarted(stage: Stage, scheduler: Member) -> Member:
    """A scheduler looks for partitions when it begins."""
    await scheduler.stop()
    return await stage.cluster.start_scheduler()


async def make_due(stage: Stage) -> set[str]:
    """Takes the last of the months to come away, as if the month had just begun."""
    lacking = set()
    for table in ("run_history", "run_logs"):
        rows = await stage.cluster.ask(
            "SELECT inhrelid::regclass::text AS name FROM pg_inherits "
            f"WHERE inhparent = '{table}'::regclass AND inhrelid::regclass::text NOT LIKE '%rest' "
            "ORDER BY 1 DESC LIMIT 1"
        )
        lacking.add(rows[0]["name"])
        await stage.cluster.tell(f"DROP TABLE {rows[0]['name']}")
    return lacking


async def existing(stage: Stage, names: set[str]) -> set[str]:
    rows = await stage.cluster.ask("SELECT relname FROM pg_class WHERE relname = ANY(:names)", names=list(names))
    return {row["relname"] for row in rows}


@asynccontextmanager
async def snapshot(stage: Stage) -> AsyncIterator[None]:
    """As pg_dump takes one."""
    async with (
        postgresql(make_url(stage.cluster.url)) as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        await connection.execute("LOCK TABLE run_history, run_logs IN ACCESS SHARE MODE")
        await connection.fetch("SELECT id FROM run_history LIMIT 1")
        yield
