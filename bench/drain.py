"""Drain: runs that are queued already, carried out by one worker process as fast as it can."""

from __future__ import annotations

from bench import queue
from bench.figure import Figure
from bench.options import Options
from bench.place import Place, fresh, until
from bench.process import cpu, horae

FLOORS = {"sqlite": 12_000, "postgresql": 12_000, "mysql": 4_000}


async def measure(kind: str, options: Options) -> list[Figure]:
    async with fresh(kind) as place:
        async with place.store() as store:
            job = await queue.manual_job(store, "nothing")
            await queue.fill(store, job, options.runs)
        server = place.server()
        async with horae(place, "worker", "--import", "bench.tasks", "--slots", str(options.slots)) as worker:
            worker_before, server_before = worker.cpu(), cpu(server)
            await until(lambda: empty(place), seconds=600, every=0.2)
            worker_cpu, server_cpu = worker.cpu() - worker_before, cpu(server) - server_before
            rss = worker.rss()
        seconds = await checked(place, options.runs)
    name = f"drain, {options.slots} slots"
    floor = FLOORS[kind] if options.slots == 100 else None
    figures = [
        Figure(name, place.title, (options.runs / seconds,), "runs/s", floor),
        Figure(f"{name}: worker CPU", place.title, (worker_cpu / options.runs * 1e6,), "µs/run"),
    ]
    if server is not None:
        figures.append(Figure(f"{name}: server CPU", place.title, (server_cpu / options.runs * 1e6,), "µs/run"))
    figures.append(Figure(f"{name}: worker RSS after", place.title, (rss / 2**20,), "MiB"))
    return figures


async def empty(place: Place) -> bool:
    return not await place.ask("SELECT 1 AS one FROM runs LIMIT 1")


async def checked(place: Place, count: int) -> float:
    """Seconds from the first start to the last end by the database's clock; fails unless each run ended once."""
    time = place.dialect().time
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
    return float((row["last"] - row["first"]).total_seconds())
