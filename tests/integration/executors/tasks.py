"""Plain functions for processes of the pool, which import this module again."""
# ruff: noqa: TID251, S605 (these are no tests: they take their time)

import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import horae
from horae.domain.jobs.task import Registry, describe
from horae.executors.functions.link import FunctionOrigin

ORIGIN = FunctionOrigin("tests.integration.executors.tasks:load", (), dict(os.environ))
CALLS = {"count": 0}


def nothing() -> None: ...


def pid() -> int:
    return os.getpid()


def add(a: int, b: int = 2) -> int:
    return a + b


def tomorrow(day: date) -> date:
    return day.replace(day=day.day + 1)


def anything(**arguments: Any) -> Any:
    return arguments


def tell(context: horae.Context) -> list[Any]:
    context.log("one")
    context.log("two\0\ud800\n")
    context.progress(0.5, "half")
    return [context.run_id, context.attempt, context.job_name, context.scheduled_for, context.cancelled]


def progress(count: int, context: horae.Context) -> None:
    for step in range(count):
        context.progress(step / count, f"{step}")
    context.progress(1, "done")


def talk() -> None:
    print("printed")
    print("complained", file=sys.stderr)
    logging.getLogger("mine").info("logged")
    os.system("echo by a program")
    os.write(1, b"\xff raw\n")


def flood(chunks: int) -> None:
    for _ in range(chunks):
        os.write(1, b"x" * 65_536)


def boom() -> None:
    raise ValueError("bad\nthing")


def permanent() -> None:
    raise horae.PermanentError("no such customer")


def later(seconds: float) -> None:
    raise horae.RetryLater(seconds)


def leave(how: str) -> None:
    if how == "exit":
        sys.exit(3)
    elif how == "_exit":
        os._exit(3)
    elif how == "segfault":
        ctypes.string_at(0)
    elif how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    else:
        raise KeyboardInterrupt


def give(what: str) -> Any:
    return {"object": object(), "huge": 2**70, "long": "x" * 70_000, "long enough": "x" * (64 * 1024 - 2)}[what]


async def _seven() -> int:
    return 7


def coroutine() -> Any:
    return _seven()


def started(path: str, *, more: Iterable[int] = ()) -> None:
    """Reports to the test which processes are alive: a line of pids, in one write."""
    part = Path(f"{path}.part")
    part.write_text(" ".join(map(str, (os.getpid(), *more))))
    part.rename(path)


def wait(path: str) -> str:
    """For the test's kill, tidying up on its way out."""
    started(path)
    try:
        while True:
            time.sleep(10)
    finally:
        print("tidied", flush=True)


def stubborn(path: str) -> None:
    """Ignores SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    started(path)
    while True:
        time.sleep(10)


def swallow(path: str) -> str:
    """Catches the cancellation, and still returns something."""
    started(path)
    try:
        while True:
            time.sleep(10)
    except horae.Cancelled:
        return "half of it"


def polite(path: str, context: horae.Context) -> bool:
    """Reports what it knew of its end."""
    started(path)
    try:
        while True:
            time.sleep(10)
    finally:
        context.log(f"cancelled {context.cancelled}")


def family(path: str, wait: bool = True) -> None:
    """Starts a child, and a grandchild that goes into its own session and loses its parent."""
    child = subprocess.Popen(["sleep", "1000"])
    code = "from subprocess import *; print(Popen(['sleep', '1000'], start_new_session=True, stdout=-3, stderr=-3).pid)"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    started(path, more=(child.pid, int(made.stdout)))
    while wait:
        time.sleep(10)


def gate(path: str, open: str) -> str:
    """Goes on when the file `open` exists, whatever happens."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    started(path)
    while not Path(open).exists():
        time.sleep(0.01)
    return "done"


FUNCTIONS = (
    nothing, pid, add, tomorrow, anything, tell, progress, talk, flood, boom, permanent, later, leave, give, coroutine,
    wait, stubborn, swallow, polite, family, gate,
)  # fmt: skip


def load(imports: Iterable[str] = ()) -> Registry:
    """As a worker and its template do."""
    registry = Registry()
    for call in FUNCTIONS:
        registry.add(describe(call))
    for module in imports:
        __import__(module)
    return registry
