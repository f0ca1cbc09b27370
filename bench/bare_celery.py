"""Bare Celery: its own worker that executes a task without content, as the engine's figures have it beside them.
`celery -A bench.bare_celery worker`; where and how many are in its environment."""

from __future__ import annotations

import os
import socket
import time
from itertools import count

from celery import Celery

from bench.tasks import STAMPS

BROKER, QUEUE, COUNT = "BENCH_BROKER", "BENCH_QUEUE", "BENCH_COUNT"
PREFETCHED = 64  # messages for each thread: with Celery's default of 4, it waits for the broker


def app_for(broker: str, queue: str) -> Celery:
    """As fast as Celery can be: no results, no events, messages acknowledged before the task."""
    app = Celery("bench", broker=broker, set_as_current=False)
    app.conf.update(
        task_default_queue=queue,
        task_ignore_result=True,
        task_acks_late=False,
        worker_prefetch_multiplier=PREFETCHED,
        worker_send_task_events=False,
        worker_disable_rate_limits=True,
        broker_connection_retry_on_startup=True,
    )
    return app


def fill(broker: str, queue: str, number: int) -> None:
    app = app_for(broker, queue)
    with app.producer_pool.acquire(block=True) as producer:
        for _ in range(number):
            app.send_task("nothing", producer=producer)
    app.close()


app = app_for(os.environ.get(BROKER, "memory://"), os.environ.get(QUEUE, "bench"))
_done = count(1)
_last = int(os.environ.get(COUNT, "0"))


@app.task(name="nothing", ignore_result=True)
def nothing() -> None:
    """Reports when the first and the last of them is done."""
    number = next(_done)
    if number in (1, _last):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stamps:
            stamps.sendto(f"{number} {time.monotonic_ns()}".encode(), os.environ[STAMPS])
