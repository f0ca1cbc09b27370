"""Warm containers: one for many runs of a job's version, and none that is not fit for the next."""

from typing import Any

import pytest

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.executors.container import ContainerExecutor
from tests.integration.executors.attempts import Log, make_attempt, running
from tests.integration.executors.containers import executor_on, shell
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("nothing_is_left")


async def run(
    executor: ContainerExecutor, source: str, *, version: int = 1, input: str | None = None, **target: Any
) -> tuple[Outcome, Log]:
    attempt, log = make_attempt(shell(source, reuse=True, **target), input=input)
    attempt.run = attempt.run._replace(version=version)
    return await executor.execute(attempt), log


async def test_the_next_run_finds_the_container_of_the_one_before(container):
    outcome, log = await run(
        container, "echo $WHO $(id -u) $PWD; echo err >&2; cat; echo 1 > $HORAE_RESULT; touch /tmp-1",
        input="[1]", env={"WHO": "{{ run.id }}"}, cwd="/etc",
    )  # fmt: skip
    assert (outcome.error, outcome.result) == (None, "1")
    assert (log.text(), log.text("stderr")) == ("0195-run 0 /etc\n[1]", "err\n")
    outcome, log = await run(container, "ls -d /tmp-1; exit 3")
    assert (log.text(), outcome.exit_code, outcome.error) == ("/tmp-1\n", 3, "exit code 3")
    assert outcome.result is None, "the result of the run before is not seen again"


@pytest.mark.parametrize("length", [1, 1_000_000])
async def test_unread_input_is_harmless(container, length):
    for _ in range(3):
        outcome, log = await run(container, "echo done", input='"' + "x" * length + '"')
        assert (outcome.error, log.text(), log.text("stderr")) == (None, "done\n", "")
    _, log = await run(container, "cat")
    assert log.text() == "", "the input of the run before is not seen again"


async def test_another_version_gets_another_container(podman, container):
    await run(container, "touch /mine")
    before = podman.containers()
    _, log = await run(container, "ls /mine", version=2)
    assert "No such file" in log.text("stderr")
    await until(lambda: len(podman.containers()) == 1)
    assert podman.containers()[0]["Id"] != before[0]["Id"]


async def test_leftover_processes_end_the_reused_container(podman, container):
    outcome, _ = await run(container, "sleep 60 & echo done")
    assert outcome.kind is AttemptOutcome.SUCCEEDED
    assert podman.containers() == []


async def test_a_stopped_run_takes_the_container_with_it(podman, container):
    attempt, log = make_attempt(shell("echo up; sleep 60", reuse=True))
    async with running(container, attempt) as it:
        await until(lambda: "up" in log.text())
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()
    assert podman.containers() == []
    assert log.text("system") == "cancel: sent KILL\n"


async def test_out_of_memory_is_reported_and_ends_the_container(podman, container):
    outcome, _ = await run(container, "exec tail /dev/zero", limits={"memory": "32MiB"})
    assert "out of memory" in (outcome.error or "")
    assert podman.containers() == []


async def test_a_container_that_was_removed_meanwhile_is_replaced(podman, container):
    await run(container, "true")
    podman.run("rm", "--all", "--force", "--time=0")
    outcome, _ = await run(container, "true")
    assert outcome.kind is AttemptOutcome.SUCCEEDED


async def test_what_closes_its_output_still_runs_to_its_end(container):
    outcome, _ = await run(container, "exec >&- 2>&-; sleep 0.3; exit 4")
    assert outcome.exit_code == 4


async def test_a_missing_program_is_reported(container):
    outcome, log = await run(container, "", entrypoint=["/nope"])
    assert outcome.kind is AttemptOutcome.FAILED
    assert "no such file" in f"{outcome.error} {log.text('stderr')}"


async def test_an_idle_container_is_ended(podman):
    async with executor_on(podman.socket, idle=0.1) as executor:
        await run(executor, "true")
        await until(lambda: podman.containers() == [])
