"""Drain: runs that are queued already, carried out by one worker process as fast as it can."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bench import queue
from bench.figure import Figure
from bench.place import Place, fresh, until
from bench.process import cpu, horae

GOALS = {"sqlite": 12_000, "postgresql": 12_000, "mysql": 4_000}


@dataclass(frozen=True, slots=True)
class Options:
    runs: int = 20_000
    slots: int = 100


async def measure(kind: str, options: Options) -> list[Figure]:
    async with fresh(kind) as place:
        async with place.store() as store:
            job = await queue.manual_job(store, "nothing")
            queued = await queue.fill(store, job, options.runs)
        server = place.server()
        async with horae(place, "worker", "--import", "bench.tasks", "--slots", str(options.slots)) as worker:
            worker_before, server_before = worker.cpu(), cpu(server)
            await until(lambda: _empty(place), seconds=600, every=0.2)
            worker_cpu, server_cpu = worker.cpu() - worker_before, cpu(server) - server_before
            rss = worker.rss()
        seconds = await _checked(place, options.runs)
    name = f"drain, {options.slots} slots"
    figures = [
        Figure(name, place.title, (options.runs / seconds,), "runs/s", GOALS[kind] if options.slots == 100 else None),
        Figure(f"{name}: worker CPU", place.title, (worker_cpu / options.runs * 1e6,), "µs/run"),
    ]
    if server is not None:
        figures.append(Figure(f"{name}: server CPU", place.title, (server_cpu / options.runs * 1e6,), "µs/run"))
    figures.append(Figure(f"{name}: worker RSS after", place.title, (rss / 2**20,), "MiB"))
    figures.append(Figure("bulk enqueue, batches of 1,000", place.title, (queued,), "runs/s"))
    return figures


async def _empty(place: Place) -> bool:
    return not await place.ask("SELECT 1 AS one FROM runs LIMIT 1")


async def _checked(place: Place, count: int) -> float:
    """Seconds from the first start to the last end by the database's clock; fails unless each run ended once."""
    async with place.store() as store:
        time = store.dialect.time
        (row,) = await place.ask(
            f"SELECT COUNT(*) AS ended, {time('MIN(started_at)', 'first')}, {time('MAX(finished_at)', 'last')} "
            "FROM run_history WHERE status = 'succeeded' AND attempt = 1"
        )
        (rows,) = await place.ask("SELECT COUNT(*) AS n FROM run_history")
        (left,) = await place.ask("SELECT COUNT(*) AS n FROM runs")
    if (row["ended"], rows["n"], left["n"]) != (count, count, 0):
        raise AssertionError(
            f"{count} runs queued, but {row['ended']} succeeded at once, {rows['n']} are in history, {left['n']} left"
        )
    return _instant(row["last"]).timestamp() - _instant(row["first"]).timestamp()


def _instant(value: Any) -> datetime:
    assert isinstance(value, datetime)
    return value
