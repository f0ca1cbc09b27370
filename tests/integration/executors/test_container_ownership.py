"""Containers whose worker is gone."""

import asyncio
from collections.abc import Iterator

import pytest

from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.executors.container import ContainerExecutor
from horae.executors.containers.container import Container
from horae.executors.containers.ownership import OWNER, RUN, WORKER
from horae.executors.containers.runner import ContainerRunner
from horae.executors.containers.work import ContainerWork, creation
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.containers import DEAD, executor_on, make_runner, shell
from tests.integration.executors.podman import IMAGE, Podman
from tests.waiting import until


@pytest.fixture(autouse=True)
def nothing_is_left(podman: Podman) -> Iterator[None]:
    yield
    podman.run("rm", "--all", "--force", "--time=0")


async def leave_behind(runner: ContainerRunner, seconds: float = 60, *, warm: bool = False) -> Container:
    """A running container, as a killed worker leaves it."""
    attempt, _ = make_attempt(shell("sleep 60"))
    container = Container(runner.service)
    labels = {**({} if warm else runner.ownership.labels(attempt)), **runner.ownership.labels_for(seconds)}
    body = creation(ContainerWork(IMAGE, command=["sleep 60"], network=False), {}, labels)
    await container.create(body, {})
    await container.start()
    return container


def names(podman: Podman) -> set[str]:
    return {name for container in podman.containers() for name in container["Names"]}


async def test_the_next_worker_removes_what_a_dead_one_has_left(podman):
    dead, alive = make_runner(podman.socket, DEAD), make_runner(podman.socket, "another living worker")
    left, other = await leave_behind(dead), await leave_behind(alive)
    async with executor_on(podman.socket) as executor:
        await executor.start()
        await until(lambda: left.name not in names(podman))
        assert other.name in names(podman), "its worker lives"
    await asyncio.gather(dead.close(), alive.close())


async def test_expired_containers_of_any_worker_are_removed(podman):
    other, mine = make_runner(podman.socket, "of another machine"), make_runner(podman.socket)
    late, fine = await leave_behind(other, -61), await leave_behind(other)
    await mine.ownership.sweep()
    assert names(podman) == {fine.name}
    assert late.name != fine.name
    await asyncio.gather(other.close(), mine.close())


async def test_its_own_orphaned_containers_are_removed(podman):
    runner = make_runner(podman.socket)
    await leave_behind(runner)
    attempt, log = make_attempt(shell("echo up; sleep 60"))
    async with running(ContainerExecutor(runner), attempt) as it:
        await until(lambda: "up" in log.text())
        await runner.ownership.sweep()
        assert len(names(podman)) == 1
        it.stop(StopReason.LEASE_LOST)
        await it.is_stopped()
    assert names(podman) == set()
    await runner.close()


@pytest.mark.parametrize(("owner", "warm"), [("of another machine", False), (DEAD, True)])
async def test_an_earlier_attempt_of_the_run_is_ended_first(podman, owner, warm):
    other = make_runner(podman.socket, owner)
    await leave_behind(other, warm=warm)
    async with executor_on(podman.socket) as executor:
        attempt, _ = make_attempt(shell("true"), number=2)
        await executor.execute(attempt)
    assert names(podman) == set()
    await other.close()


async def test_labels_say_whose_it_is(podman):
    runner = make_runner(podman.socket)
    await leave_behind(runner)
    labels = podman.containers()[0]["Labels"]
    assert (labels[RUN], labels[WORKER]) == ("0195-run", "worker-1")
    assert labels[OWNER]
    await runner.close()


async def test_a_service_that_dies_fails_the_attempt_and_the_container_is_found_later(podman):
    socket = str(podman.folder / "other.sock")
    service = podman.serve(socket)
    attempt, log = make_attempt(shell("echo up; sleep 60"))
    async with executor_on(socket) as executor, running(executor, attempt) as it:
        await until(lambda: "up" in log.text())
        service.kill()
        service.wait()
        outcome = await it.task
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, False)
    assert f"the container service at {socket} is not responding" in (outcome.error or "")
    assert len(names(podman)) == 1, "it does not depend on the service"
    again = make_runner(podman.socket)
    await again.ownership.sweep()
    assert names(podman) == set()
    await again.close()
