"""Procrastinate draining no-op jobs, one process. Runs in its own venv; speaks like ../graphile/drain.js."""

# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import asyncio
import json
import logging
import os
import resource
import sys
import time

import procrastinate


def cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main() -> None:
    logging.disable(logging.CRITICAL)
    count = int(os.environ["COUNT"])
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=os.environ["DATABASE_URL"]))
    done = 0
    first, used = 0.0, 0.0

    @app.task(name="nothing")
    async def nothing() -> None:
        nonlocal done, first, used
        if not done:
            first, used = time.perf_counter(), cpu()
        done += 1

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        began = time.perf_counter()
        for start in range(0, count, 1000):
            await nothing.batch_defer_async(*({} for _ in range(min(1000, count - start))))
        queued = count / (time.perf_counter() - began)
        print("filled", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        # It ends when nothing is left, and every job has been marked as done by then.
        await app.run_worker_async(
            concurrency=100, wait=False, install_signal_handlers=False, listen_notify=False, delete_jobs="always"
        )
        answer = {"count": done, "seconds": time.perf_counter() - first, "cpu": cpu() - used, "queued": queued}
        print(json.dumps(answer), flush=True)


asyncio.run(main())
