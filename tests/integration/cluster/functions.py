"""Functions that plain processes, threads and the loop execute in a whole cluster."""
# ruff: noqa: TID251, ASYNC251 (these are no tests: they take their time)

import os
import subprocess
import time
from pathlib import Path

import horae


@horae.task
def leaf(n: int, context: horae.Context) -> int:
    print(f"leaf {n}")
    context.progress(1, "done")
    return os.getpid()


@horae.task(queue="trees", timeout=30, retry=horae.Retry(max_attempts=2))
def tree(count: int) -> list[str]:
    """Enqueues from a process."""
    return [run["id"] for run in leaf.options(priority=9).enqueue_many([{"n": n} for n in range(count)])]


@horae.task
async def chain(left: int) -> str:
    """Enqueues from the loop."""
    print(f"{left} left")
    if not left:
        return "over"
    return str((await chain.enqueue_async(left=left - 1))["id"])


@horae.task
async def blocks(seconds: float) -> None:
    """Blocks the worker's event loop."""
    time.sleep(seconds)


@horae.task
def holds(path: str, context: horae.Context) -> int:
    """In its first attempt it stays, with its own child."""
    if context.attempt > 1:
        return context.attempt
    child = subprocess.Popen(["sleep", "1000"])
    part = Path(f"{path}.part")
    part.write_text(f"{os.getpid()} {child.pid}")
    part.rename(path)
    while True:
        time.sleep(10)
