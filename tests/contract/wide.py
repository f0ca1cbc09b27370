"""A world that is wide: many queues, and a great many rows of which nothing can be done now."""

from __future__ import annotations

from datetime import timedelta

from horae.domain.run import RunRecord
from tests.contract.world import World

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


async def widen(world: World, waiting: RunRecord) -> None:
    """1,000 queues with runs that need what nobody offers, and as many with runs for tomorrow; 10,000 that wait behind
    a gate as this one does, 10,000 behind another that were asked for later; 50,000 jobs that are due and paused."""
    job = await world.job()
    (run,) = await world.trigger(job, run_at=await world.now() + timedelta(days=1))
    await copy(
        world, "runs", run["id"], UNSERVED, queue=f"{_text(world, 'q')}", needs="'container'", due_at="created_at"
    )
    await copy(world, "runs", run["id"], QUEUES, queue=f"{_text(world, 'later')}")
    await copy(world, "queues", "default", QUEUES, key="name", name=_text(world, "q"))
    await copy(world, "runs", waiting["id"], HELD)
    asked = await world.job(name="asked for later", max_instances=1)
    (delayed,) = await world.trigger(asked, run_at=await world.now() + timedelta(days=1))
    await copy(world, "runs", delayed["id"], DELAYED)
    paused = await world.job(every="1h")
    await world.pause(paused)
    name = f"{_text(world, 'paused')}"
    await copy(world, "jobs", paused.id, PAUSED, name=name, next_run_at="created_at")
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
    fresh = {"id": uuid, **differing}
    values = ", ".join(fresh.get(column, f"o.{name}") for column, name in quoted.items())
    digits = ", ".join(f"({_DIGITS}) AS d{place}" for place in range(6))
    number = " + ".join(f"d{place}.n * {10**place}" for place in range(6))
    await world.execute(
        f"INSERT INTO {table} ({', '.join(quoted.values())}) SELECT {values} FROM {table} o, "
        f"(SELECT {number} AS n FROM {digits}) AS v WHERE o.{key} = :like AND v.n < :count",
        like=like,
        count=count,
    )
