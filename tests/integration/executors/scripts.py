"""What the tests of scripts share."""

import os
from typing import Any

import psutil

from horae.domain.runs.outcome import Outcome
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import Log, make_attempt
from tests.waiting import until

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/",
    "LANG": "C.UTF-8",
    "HORAE_DATABASE_URL": "postgresql://secret",
    "HORAE_SECRET_KEY": "secret",
    "AWS_SECRET_ACCESS_KEY": "secret",
}


async def run(executor: ScriptExecutor, source: str, *, input: str | None = None, **target: Any) -> tuple[Outcome, Log]:
    attempt, log = make_attempt({"kind": "script", "source": source, **target}, input=input)
    return await executor.execute(attempt), log


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def pid_in(log: Log) -> int:
    await until(lambda: log.text().endswith("\n"))
    return int(log.text().split()[-1])


async def pids_in(log: Log, count: int) -> list[int]:
    """The pids that a script has printed, as soon as there are so many."""
    await until(lambda: log.text().endswith("\n") and len(log.text().split()) >= count)
    return list(map(int, log.text().split()))


def supervisor_of(script: ScriptExecutor) -> int:
    pid = script._runner._supervisor.pid
    assert pid is not None
    return pid


def left_below(script: ScriptExecutor) -> list[int]:
    """What runs below the supervisor: keepers, and everything that scripts have started."""
    pid = script._runner._supervisor.pid
    below = psutil.Process(pid).children(recursive=True) if pid is not None else []
    return [process.pid for process in below if is_alive(process.pid)]
