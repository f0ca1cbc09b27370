"""Firing: jobs that are all due at once, turned into queued runs by one scheduler process."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil

from bench import jobs
from bench.figure import Figure, number
from bench.options import Options
from bench.place import Place, fresh, until
from bench.process import cpu, horae

FLOORS = {"postgresql": 10_000}
TARGETS = {"postgresql": 15_000}
FILLED_IN_A_MINUTE = 1_000_000


async def measure(kind: str, options: Options) -> list[Figure]:
    """Jobs as people make them (one instance at a time), and jobs that may overlap."""
    figures = await _measure(kind, options, "jobs of the default kind")
    if not options.table:
        figures += await _measure(kind, options, "jobs that may overlap", overlap="allow")
    return figures


async def _measure(kind: str, options: Options, which: str, **policy: str) -> list[Figure]:
    async with fresh(kind) as place:
        minute, now = await due_now(place)
        # A minute that comes when the table is full: firing jobs that are late is catching up, which is another figure.
        minute += timedelta(minutes=ceil(options.table / FILLED_IN_A_MINUTE))
        kinds = jobs.specs(jobs.crons(minute.minute), **policy)
        # The rest of the table is due on other days, spread out.
        total = max(options.table, options.jobs)
        step = total // options.jobs

        def due(n: int) -> datetime:
            return (
                minute if n % step == 0 and n // step < options.jobs else minute + timedelta(days=2, seconds=n % 86_400)
            )

        await jobs.insert(place, kinds, total, due, now)
        await jobs.analyse(place)
        await until(lambda: _come(place, minute), seconds=120, every=0.2)
        server = place.server()
        async with horae(place, "scheduler") as scheduler:
            mine, servers = scheduler.cpu(), cpu(server)
            await until(lambda: fired(place), seconds=600, every=0.2)
            mine, servers = scheduler.cpu() - mine, cpu(server) - servers
            rss = scheduler.rss()
        rate = await checked(place, options.jobs)
    name = f"fire {number(options.jobs)} {which}" + (f" of {number(total)}" if options.table else "")
    floor, target = FLOORS.get(kind), TARGETS.get(kind)
    figures = [
        Figure(name, place.title, (rate,), "jobs/s", floor, target),
        Figure(f"{name}: scheduler CPU", place.title, (mine / options.jobs * 1e6,), "µs/job"),
    ]
    if server is not None:
        figures.append(Figure(f"{name}: server CPU", place.title, (servers / options.jobs * 1e6,), "µs/job"))
    figures.append(Figure(f"{name}: scheduler RSS", place.title, (rss / 2**20,), "MiB", 200, less=True))
    return figures


async def due_now(place: Place) -> tuple[datetime, datetime]:
    """The minute that jobs can be due at, and the time, by the database's clock."""
    async with place.connection() as db:
        now = await place.dialect().read_now(db)
    return now.replace(second=0, microsecond=0), now


async def _come(place: Place, minute: datetime) -> bool:
    async with place.connection() as db:
        return await place.dialect().read_now(db) >= minute


async def fired(place: Place) -> bool:
    return not await place.ask(f"SELECT 1 AS one FROM jobs WHERE next_run_at <= {place.dialect().now} LIMIT 1")


async def checked(place: Place, count: int) -> float:
    """Jobs per second by the database's clock, counted from when the first batch was in."""
    time = place.dialect().time
    (row,) = await place.ask(
        f"SELECT COUNT(*) AS n, COUNT(DISTINCT job_id) AS jobs, {time('MIN(created_at)', 'first')}, "
        f"{time('MAX(created_at)', 'last')} FROM runs WHERE occurrence IS NOT NULL"
    )
    (skipped,) = await place.ask("SELECT COUNT(*) AS n FROM run_history")
    if (row["n"], row["jobs"], skipped["n"]) != (count, count, 0):
        raise AssertionError(
            f"{count} jobs were due, but there are {row['n']} runs of {row['jobs']} jobs and {skipped['n']} skipped"
        )
    (first,) = await place.ask("SELECT COUNT(*) AS n FROM runs WHERE created_at = :first", first=row["first"])
    return float((count - first["n"]) / (row["last"] - row["first"]).total_seconds())
