"""Scripts: how many short ones a worker carries out, with and without a sandbox; what a flood of output costs it; how
long after a cancel the script has its TERM."""

from __future__ import annotations

import asyncio
import time
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from bench import queue
from bench.drain import checked, empty
from bench.figure import Figure, percentile
from bench.options import Options
from bench.place import Place, fresh, until
from bench.process import Process, horae
from horae import wiring
from horae.domain.jobs.job import JobSpec
from horae.domain.targets import ScriptTarget
from horae.lifecycle.cancel import cancel_runs

SLOTS = 16
FLOORS = {"off": 150, "require": 60}
FLOODS, FLOOD = 4, 250_000_000  # scripts at a time, and bytes that each prints
RSS_FLOOR, RATE_FLOOR = 200, 50  # MiB, MB/s
CANCELS = 96
TERM_FLOOR = 1_500  # ms


async def measure(kind: str, options: Options) -> list[Figure]:
    figures = [figure for sandbox in FLOORS for figure in await _short(kind, sandbox, options.scripts)]
    figures += await _flood(kind)
    figures += await _cancel(kind)
    return figures


async def _short(kind: str, sandbox: str, count: int) -> list[Figure]:
    async with fresh(kind) as place:
        await _queued(place, "true", count)
        async with _worker(place, HORAE_SCRIPT_SANDBOX=sandbox) as worker:
            before = worker.cpu()
            await until(lambda: empty(place), seconds=600, every=0.2)
            cpu = worker.cpu() - before
        seconds = await checked(place, count)
    name = f"scripts `true`, {SLOTS} slots{'' if sandbox == 'off' else ', in a sandbox'}"
    return [
        Figure(name, place.title, (count / seconds,), "runs/s", FLOORS[sandbox]),
        Figure(f"{name}: CPU of all processes", place.title, (cpu / count * 1e3,), "ms/run"),
    ]


async def _flood(kind: str) -> list[Figure]:
    """Without a newline, which is the worst."""
    async with fresh(kind) as place:
        await _queued(place, f"yes | tr -d '\\n' | head -c {FLOOD}", FLOODS)
        async with _worker(place) as worker:
            await until(lambda: empty(place), seconds=600, every=0.2)
            highest = _highest_rss(worker)
        seconds = await checked(place, FLOODS)
    rate = FLOODS * FLOOD / seconds / 1e6
    return [
        Figure("scripts: output read", place.title, (rate,), "MB/s", RATE_FLOOR),
        Figure("scripts: highest RSS of the worker meanwhile", place.title, (highest,), "MiB", RSS_FLOOR, less=True),
    ]


async def _cancel(kind: str) -> list[Figure]:
    """The scripts tell when they have got TERM, by the clock of the machine; this one's starts before the request."""
    samples: list[float] = []
    async with fresh(kind) as place:
        notes = place.folder / "notes"
        notes.mkdir()
        source = f"""
            trap 'echo $EPOCHREALTIME > {notes}/$HORAE_RUN_ID; exit 1' TERM
            touch {notes}/$HORAE_RUN_ID.begun
            while :; do sleep 600 & wait; done
        """
        wakeups = wiring.wakeups_for(place.settings())
        await wakeups.start((), lambda _: None)
        async with _worker(place, HORAE_SCRIPT_VISIBLE=str(notes)), place.store(wakeups) as store:
            job = await queue.job(store, _spec(source))
            while len(samples) < CANCELS:
                runs = await queue.trigger(store, job, SLOTS)
                await _all_there([notes / f"{run}.begun" for run in runs])
                for run in runs:
                    before = time.time()
                    await store.transact(cancel_runs, project_id=job.project_id, run_ids=[run], actor="bench")
                    await _all_there([notes / run])
                    samples.append((float((notes / run).read_text()) - before) * 1000)
        await wakeups.close()
    return [
        Figure("cancel to TERM, p50", place.title, (percentile(samples, 50),), "ms", less=True),
        Figure("cancel to TERM, p99", place.title, (percentile(samples, 99),), "ms", TERM_FLOOR, less=True),
    ]


async def _queued(place: Place, source: str, count: int) -> None:
    async with place.store() as store:
        await queue.fill(store, await queue.job(store, _spec(source)), count)


def _spec(source: str) -> JobSpec:
    return JobSpec(name="bench script", target=ScriptTarget(source=source))


def _worker(place: Place, **environment: str) -> AbstractAsyncContextManager[Process]:
    return horae(place, "worker", "--slots", str(SLOTS), HORAE_EXECUTORS="script", **environment)


async def _all_there(paths: list[Path]) -> None:
    async with asyncio.timeout(60):
        while not all(path.exists() and (path.stat().st_size or path.suffix) for path in paths):  # noqa: ASYNC110 - files
            await asyncio.sleep(0.001)


def _highest_rss(worker: Process) -> float:
    """MiB."""
    status = Path(f"/proc/{worker.child.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024
