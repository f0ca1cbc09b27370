"""What the tests of containers share."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from horae.clock import SystemClock
from horae.domain.runs.outcome import Outcome
from horae.executors.container import ContainerExecutor
from horae.executors.containers.credentials import RegistryCredentials
from horae.executors.containers.ownership import Owner, Ownership
from horae.executors.containers.runner import ContainerRunner
from horae.executors.containers.service import Service
from tests.integration.executors.attempts import Log, make_attempt
from tests.integration.executors.podman import IMAGE

LIVING, DEAD = "a living worker", "a dead worker"


def make_runner(socket: str | None, owner: str = LIVING, logins: Path | None = None) -> ContainerRunner:
    service = Service(socket)
    ownership = Ownership(service, Owner("worker-1", owner, {DEAD}.__contains__), SystemClock())
    return ContainerRunner(service, ownership, RegistryCredentials(logins))


@asynccontextmanager
async def executor_on(socket: str | None, **options: Any) -> AsyncIterator[ContainerExecutor]:
    made = ContainerExecutor(make_runner(socket), **options)
    try:
        yield made
    finally:
        await made.close()


def shell(source: str, **target: Any) -> dict[str, Any]:
    return {"kind": "container", "image": IMAGE, "command": [source], "network": False, "pull": "never", **target}


async def run(
    executor: ContainerExecutor, source: str, *, input: str | None = None, **target: Any
) -> tuple[Outcome, Log]:
    attempt, log = make_attempt(shell(source, **target), input=input)
    return await executor.execute(attempt), log
