"""Herd: jobs that are all due in one moment, fired by one scheduler and carried out by one worker at the same time.

Unlike in the drain, every run is of another job that has a limit: definitions are read and gates are locked."""

from __future__ import annotations

from bench import jobs
from bench.figure import Figure, number, percentile
from bench.firing import due_now
from bench.options import Options
from bench.place import Place, fresh, until
from bench.process import cpu, horae


async def measure(kind: str, options: Options) -> list[Figure]:
    async with fresh(kind) as place:
        minute, now = await due_now(place)
        kinds = jobs.specs(jobs.crons(minute.minute))
        await jobs.insert(place, kinds, options.herd, lambda _: minute, now)
        await jobs.analyse(place)
        server = place.server()
        words = ("worker", "--import", "bench.tasks", "--slots", str(options.slots))
        async with horae(place, *words) as worker, horae(place, "scheduler") as scheduler:
            before = worker.cpu(), scheduler.cpu(), cpu(server)
            await until(lambda: _over(place, options.herd), seconds=600, every=0.5)
            after = worker.cpu(), scheduler.cpu(), cpu(server)
        waits = await _waits(place, options.herd)
    name, title = f"a herd of {number(options.herd)} jobs", place.title
    used = [(late - early) / options.herd * 1e6 for early, late in zip(before, after, strict=True)]
    figures = [
        Figure(f"{name}: all started after", title, (waits[-1],), "s", target=10, less=True),
        Figure(f"{name}: half of them after", title, (percentile(waits, 50),), "s", less=True),
        Figure(f"{name}: worker CPU", title, (used[0],), "µs/run"),
        Figure(f"{name}: scheduler CPU", title, (used[1],), "µs/run"),
    ]
    return figures + [Figure(f"{name}: server CPU", title, (used[2],), "µs/run")] * (server is not None)


async def _over(place: Place, count: int) -> bool:
    (row,) = await place.ask("SELECT COUNT(*) AS n FROM run_history")
    return int(row["n"]) >= count


async def _waits(place: Place, count: int) -> list[float]:
    """Seconds from the first run's being queued to each one's start; fails unless each job ran once."""
    rows = await place.ask("SELECT job_id, created_at, started_at FROM run_history WHERE status = 'succeeded'")
    if len(rows) != count or len({row["job_id"] for row in rows}) != count:
        raise AssertionError(f"{count} jobs were due, but {len(rows)} runs succeeded")
    first = min(row["created_at"] for row in rows)
    return sorted((row["started_at"] - first).total_seconds() for row in rows)
