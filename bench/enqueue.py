"""Enqueue: how fast a program that speaks to the database itself can ask for runs."""

from __future__ import annotations

import time

from bench import queue
from bench.figure import Figure
from bench.options import Options
from bench.place import Place, fresh
from horae import wiring

ONE_BY_ONE = 2_000


async def measure(kind: str, options: Options) -> list[Figure]:
    async with fresh(kind) as place:
        wakeups = wiring.wakeups_for(place.settings())
        await wakeups.start((), lambda _: None)
        try:
            async with place.store(wakeups) as store:
                job = await queue.manual_job(store, "nothing")
                await queue.trigger(store, job)
                began = time.perf_counter()
                for _ in range(ONE_BY_ONE):
                    await queue.trigger(store, job)
                single = ONE_BY_ONE / (time.perf_counter() - began)
                began = time.perf_counter()
                for _ in range(options.runs // queue.BATCH):
                    await queue.trigger(store, job, queue.BATCH)
                batched = options.runs // queue.BATCH * queue.BATCH / (time.perf_counter() - began)
                bulk = await queue.fill(store, job, options.runs)
        finally:
            await wakeups.close()
        await _checked(place, 1 + ONE_BY_ONE + options.runs // queue.BATCH * queue.BATCH + options.runs)
    target = kind == "postgresql"
    return [
        Figure("enqueue one by one", place.title, (single,), "runs/s", target=1_500 if target else None),
        Figure("enqueue, trigger verb, 1,000 at a time", place.title, (batched,), "runs/s"),
        Figure("enqueue in bulk, 1,000 at a time", place.title, (bulk,), "runs/s", target=60_000 if target else None),
    ]


async def _checked(place: Place, count: int) -> None:
    (row,) = await place.ask("SELECT COUNT(*) AS n FROM runs WHERE status = 'queued'")
    if row["n"] != count:
        raise AssertionError(f"{count} runs asked for, {row['n']} are queued")
