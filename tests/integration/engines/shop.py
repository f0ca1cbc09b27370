"""A Celery app as a team has one: its broker, its result backend and its tasks, nothing of Horae."""

import os
import time
from pathlib import Path

from celery import Celery

app = Celery("shop", broker=os.environ["SHOP_BROKER"], backend=os.environ["SHOP_BACKEND"])
app.conf.update(
    task_default_queue=os.environ["SHOP_QUEUE"],
    task_track_started=True,
    broker_connection_retry_on_startup=True,
    worker_cancel_long_running_tasks_on_connection_loss=False,
)


@app.task(name="shop.add")
def add(a: int, b: int = 0) -> dict[str, int]:
    """Adds two numbers."""
    return {"sum": a + b}


@app.task(name="shop.refuse", ignore_result=True)
def refuse(order: int) -> None:
    raise LookupError(f"there is no order {order}")


@app.task(name="shop.nap", bind=True)
def nap(self: object, folder: str, seconds: float) -> str:
    """Leaves a file with its pid while it sleeps, and a line for each start."""
    me = Path(folder, str(self.request.id))  # type: ignore[attr-defined]
    with Path(folder, "starts").open("a") as starts:
        starts.write(f"{me.name}\n")
    me.write_text(str(os.getpid()))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.02)  # noqa: TID251 (a task that takes its time)
    return "rested"
