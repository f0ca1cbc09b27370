"""PgQueuer draining no-op jobs, one process, batches as its documentation recommends. Runs in its own venv; speaks
like ../graphile/drain.js: "filled", a line from standard input, one line of JSON."""

# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries


async def main() -> None:
    count = int(os.environ["COUNT"])
    connection = await asyncpg.connect(os.environ["DATABASE_URL"])
    queries = Queries(AsyncpgDriver(connection))
    await queries.install()
    began = time.perf_counter()
    for start in range(0, count, 1000):
        size = min(1000, count - start)
        await queries.enqueue(["nothing"] * size, [None] * size, [0] * size)
    queued = count / (time.perf_counter() - began)
    print("filled", flush=True)
    await asyncio.to_thread(sys.stdin.readline)

    queue = PgQueuer(AsyncpgDriver(await asyncpg.connect(os.environ["DATABASE_URL"])))
    done = 0
    first, used = 0.0, 0.0
    over = asyncio.Event()

    @queue.entrypoint("nothing")
    async def nothing(job: Job) -> None:
        nonlocal done, first, used
        if not done:
            first, used = time.perf_counter(), cpu()
        done += 1
        if done == count:
            over.set()

    running = asyncio.create_task(queue.run(batch_size=500))
    await over.wait()
    while await connection.fetchval("SELECT count(*) FROM pgqueuer"):  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    seconds, used = time.perf_counter() - first, cpu() - used
    print(json.dumps({"count": done, "seconds": seconds, "cpu": used, "queued": queued}), flush=True)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


uvloop.run(main())
