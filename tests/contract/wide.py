"""A world that is wide: many queues, and a great many rows of which nothing can be done now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

from horae.domain.jobs.job_record import JobRecord
from horae.lifecycle.claim import look
from horae.ports import Transaction
from tests.contract.world import OFFERS, World

Verb = Callable[[World], Awaitable[object]]
Cost = Callable[[str, Verb], Awaitable[None]]
"""Called with a name and a verb, which it carries out and measures."""

QUEUES = 1_000
UNSERVED = 100_000  # runs that no worker can take
HELD = 10_000
PAUSED = 50_000
DELAYED = 10_000

_DIGITS = " UNION ALL ".join(f"SELECT {n} AS n" for n in range(10))
_UUID = {
    "sqlite": "lower(hex(randomblob(4)) || '-0000-4000-8000-' || hex(randomblob(6)))",
    "postgresql": "gen_random_uuid()",
}


def enough(world: World, count: int) -> int:
    """Of so many rows, as many as show. PostgreSQL counts pages, and hundreds of an index's entries share one; the
    others count rows and steps, of which fewer show the same."""
    return count // 2 if world.kind == "postgresql" else count // 5


async def narrow(world: World) -> JobRecord:
    """One schedule, and a job with a few runs behind its gate, which is given back."""
    gated = await world.job(max_instances=2)
    await world.trigger(gated, 6)
    await world.job(every="1h")
    await world.fire()
    return gated


async def widen(world: World, gated: JobRecord, many: Callable[[World, int], int] = lambda _, count: count) -> None:
    """1,000 queues with stranded runs, and as many with runs for tomorrow; 10,000 that wait behind
    the gate of this job, 10,000 behind another that were asked for later; 50,000 jobs that are due and paused. Or as
    `many` as that."""
    job = await world.job()
    (run,) = await world.trigger(job, run_at=await world.now() + timedelta(days=1))
    unserved = {"queue": _text(world, "q"), "needs": "'container'", "due_at": "created_at"}
    await copy(world, "runs", run.id, many(world, UNSERVED), **unserved)
    await copy(world, "runs", run.id, QUEUES, queue=f"{_text(world, 'later')}")
    await copy(world, "queues", "default", QUEUES, key="name", name=_text(world, "q"))
    (waiting,) = await world.trigger(gated)
    assert waiting.held
    await copy(world, "runs", waiting.id, many(world, HELD))
    asked = await world.job(name="asked for later", max_instances=1)
    (delayed,) = await world.trigger(asked, run_at=await world.now() + timedelta(days=1))
    await copy(world, "runs", delayed.id, many(world, DELAYED))
    paused = await world.job(every="1h")
    await world.pause(paused)
    name = f"{_text(world, 'paused')}"
    await copy(world, "jobs", paused.id, many(world, PAUSED), name=name, next_run_at="created_at")
    for table in ("runs", "jobs", "queues"):
        if world.kind != "sqlite":
            await world.rows(f"ANALYZE {'TABLE ' if world.kind != 'postgresql' else ''}{table}")
    if world.kind == "sqlite":
        await world.execute("ANALYZE")


def _text(world: World, prefix: str) -> str:
    """One of 1,000 names, or of as many as there are rows where names are unique."""
    number = "v.n" if prefix == "paused" else f"(v.n % {QUEUES})"
    if world.kind == "sqlite":
        return f"'{prefix}-' || {number}"
    return f"CONCAT('{prefix}-', {number})"


async def copy(world: World, table: str, like: str, count: int, *, key: str = "id", **differing: str) -> None:
    """So many rows like one that is there, each with its own key."""
    (row,) = await world.rows(f"SELECT * FROM {table} WHERE {key} = :like", like=like)
    uuid = _UUID.get(world.kind, "UUID()")
    quoted = {column: f'"{column}"' if column == "trigger" else column for column in row}
    fresh = {"id": uuid, key: uuid, **differing}
    values = ", ".join(fresh.get(column, f"o.{name}") for column, name in quoted.items())
    places = range(len(str(count - 1)))
    digits = ", ".join(f"({_DIGITS}) AS d{place}" for place in places)
    number = " + ".join(f"d{place}.n * {10**place}" for place in places)
    await world.execute(
        f"INSERT INTO {table} ({', '.join(quoted.values())}) SELECT {values} FROM {table} o, "
        f"(SELECT {number} AS n FROM {digits}) AS v WHERE o.{key} = :like AND v.n < :count",
        like=like,
        count=count,
    )


async def _empty_claim(world: World) -> None:
    assert await world.claim(queues=("none",)) == []


async def _claim(world: World) -> None:
    assert len(await world.claim(1, queues=("one",), lease=86_400)) == 1


async def _look(world: World) -> None:
    await world.store.read(look, queues=("default", "one", "q-1"), offers=OFFERS)


async def _fire_nothing(world: World) -> None:
    assert (await world.fire()).jobs == 0


async def _fire(world: World) -> None:
    assert (await world.fire()).runs == 1


async def _sweep(world: World) -> None:
    assert not await world.store.read(_chores) & {"lost", "overdue"}


async def _chores(tx: Transaction) -> set[str]:
    return await tx.upkeep.chores()


async def _recover(world: World) -> None:
    assert await world.recover() == 0


async def _expire(world: World) -> None:
    assert await world.expire() == 0


async def go_through(world: World, gated: JobRecord, cost: Cost) -> None:
    """Every verb whose cost must not follow the width of the world, each in a state in which it has the same to do."""
    single = await world.job(queue="one")
    await cost("claim of nothing", _empty_claim)
    await cost("look", _look)
    await world.trigger(single, 2)
    await cost("claim of one", _claim)
    await cost("chores", _sweep)
    await cost("recover", _recover)
    await cost("expire", _expire)
    await cost("fire nothing", _fire_nothing)
    await world.job(every="1h")
    await cost("fire one", _fire)
    await cost("trigger behind a gate", lambda one: one.trigger(gated))
    run, *_ = [run for run in await world.claim(lease=86_400) if run.job_id == gated.id]
    await cost("end behind a gate", lambda one: one.finish(run))
