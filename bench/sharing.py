"""Firing by two schedulers that share the shards, next to one alone: they must not be in each other's way."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import datetime, timedelta

from bench import jobs
from bench.figure import Figure, number
from bench.firing import checked, due_now, fired
from bench.options import Options
from bench.place import Place, fresh, until
from bench.process import horae
from horae import wiring
from horae.ports import Transaction

FLOOR = 0.9  # of what one scheduler fires; both share the machine's processors


async def measure(kind: str, options: Options) -> list[Figure]:
    one, title = await _rate(kind, options, 1)
    two, _ = await _rate(kind, options, 2)
    name = f"fire {number(options.jobs)} jobs"
    return [
        Figure(f"{name}: one scheduler", title, (one,), "jobs/s"),
        Figure(f"{name}: two schedulers", title, (two,), "jobs/s"),
        Figure(f"{name}: two ÷ one", title, (two / one,), "×", FLOOR),
    ]


async def _rate(kind: str, options: Options, schedulers: int) -> tuple[float, str]:
    """The schedulers are there, and have their shares, before anything is due."""
    async with fresh(kind) as place, AsyncExitStack() as stack:
        minute, now = await due_now(place)
        kinds = jobs.specs(jobs.crons(minute.minute))
        await jobs.insert(place, kinds, options.jobs, lambda _: minute + timedelta(days=2), now)
        await jobs.analyse(place)
        for _ in range(schedulers):
            await stack.enter_async_context(horae(place, "scheduler"))
        await until(lambda: _shared(place, schedulers), seconds=60, every=0.2)
        await _make_due(place, minute)
        await until(lambda: fired(place), seconds=600, every=0.2)
        return await checked(place, options.jobs), place.title


async def _shared(place: Place, schedulers: int) -> bool:
    owners = await place.ask("SELECT owner_id, COUNT(*) AS n FROM shards GROUP BY owner_id")
    return len(owners) == schedulers and all(row["owner_id"] for row in owners)


async def _make_due(place: Place, minute: datetime) -> None:
    """All in one moment, and everyone is notified, as when the minute comes."""

    async def due(tx: Transaction) -> None:
        await tx._db.execute("UPDATE jobs SET next_run_at = :at", {"at": minute})  # type: ignore[attr-defined]
        tx.hint("jobs")

    wakeups = wiring.wakeups_for(place.settings())
    async with place.store(wakeups) as store:
        await wakeups.start((), lambda _: None)
        try:
            await store.transact(due)
        finally:
            await wakeups.close()
