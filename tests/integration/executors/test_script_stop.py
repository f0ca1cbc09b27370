"""Stopping scripts: the whole process tree ends."""

import os
import shlex
from pathlib import Path

import pytest

from horae.domain.runs.states import StopReason
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.scripts import is_alive, pid_in
from tests.waiting import until

REASONS = [StopReason.TIMEOUT, StopReason.CANCEL, StopReason.SHUTDOWN]


@pytest.mark.parametrize("reason", REASONS)
async def test_term_first(script: ScriptExecutor, reason: StopReason) -> None:
    source = "trap 'echo tidied; exit 0' TERM; echo $$; while :; do sleep 0.05; done"
    attempt, log = make_attempt({"kind": "script", "source": source}, grace=30)
    async with running(script, attempt) as it:
        await pid_in(log)
        it.stop(reason)
        assert await it.is_stopped()
    assert log.text().endswith("tidied\n")
    assert log.text("system") == f"{reason}: sent TERM\n"


async def test_the_last_lines_are_kept(script: ScriptExecutor) -> None:
    source = "trap 'seq 20000; exit' TERM; echo $$; while :; do sleep 0.05; done"
    attempt, log = make_attempt({"kind": "script", "source": source}, grace=30)
    async with running(script, attempt) as it:
        await pid_in(log)
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()
    assert log.text().endswith("\n19999\n20000\n")


async def test_kill_after_the_grace(script: ScriptExecutor) -> None:
    source = "trap '' TERM; echo $$; while :; do sleep 0.05; done"
    attempt, log = make_attempt({"kind": "script", "source": source}, grace=0.4)
    async with running(script, attempt) as it:
        pid = await pid_in(log)
        it.stop(StopReason.TIMEOUT)
        assert await it.is_stopped()
    assert not is_alive(pid)
    assert log.text("system") == "timeout: sent TERM\ntimeout: sent KILL\n"


async def test_the_lease_is_lost_kill_at_once(script: ScriptExecutor) -> None:
    source = "trap 'echo tidied' TERM; echo $$; while :; do sleep 0.05; done"
    attempt, log = make_attempt({"kind": "script", "source": source}, grace=600)
    async with running(script, attempt) as it:
        pid = await pid_in(log)
        it.stop(StopReason.LEASE_LOST)
        assert await it.is_stopped()
    assert not is_alive(pid)
    assert "tidied" not in log.text()


async def test_asked_twice_kill_at_once(script: ScriptExecutor) -> None:
    source = "trap 'echo deaf' TERM; echo $$; while :; do sleep 0.05; done"
    attempt, log = make_attempt({"kind": "script", "source": source}, grace=600)
    async with running(script, attempt) as it:
        pid = await pid_in(log)
        it.stop(StopReason.SHUTDOWN)
        await until(lambda: log.text().endswith("deaf\n"))
        it.stop(StopReason.SHUTDOWN)
        assert await it.is_stopped()
    assert not is_alive(pid)


async def test_the_whole_group(script: ScriptExecutor) -> None:
    source = "sleep 600 & sh -c 'sleep 600 & echo $!; wait' & wait"
    attempt, log = make_attempt({"kind": "script", "source": source}, grace=30)
    async with running(script, attempt) as it:
        grandchild = await pid_in(log)
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()
    assert not is_alive(grandchild)


async def test_a_child_may_tidy_up_after_its_shell_has_died(script: ScriptExecutor, tmp_path: Path) -> None:
    child = "trap 'sleep 0.3; touch tidied; exit' TERM; echo $$; while :; do sleep 0.05; done"
    source = f"bash -c {shlex.quote(child)}; true"
    attempt, log = make_attempt({"kind": "script", "source": source, "cwd": str(tmp_path)}, grace=30)
    async with running(script, attempt) as it:
        await pid_in(log)
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()
    assert (tmp_path / "tidied").exists()


@pytest.mark.parametrize("reason", [StopReason.LEASE_LOST, StopReason.TIMEOUT])
async def test_children_that_left_the_session(script: ScriptExecutor, reason: StopReason) -> None:
    """Double-forked, in its own session, deaf to TERM, holding the pipe."""
    child = "trap '' TERM; echo $$; while :; do sleep 0.05; done"
    source = f"(setsid bash -c {shlex.quote(child)} &) ; exec sleep 600"
    attempt, log = make_attempt({"kind": "script", "source": source}, grace=0.3)
    async with running(script, attempt) as it:
        pid = await pid_in(log)
        assert os.getsid(pid) == pid
        it.stop(reason)
        assert await it.is_stopped()
    await until(lambda: not is_alive(pid))


async def test_a_script_that_ended_before_the_stop_keeps_its_exit_code(script: ScriptExecutor) -> None:
    attempt, log = make_attempt({"kind": "script", "source": "sleep 600 & echo $$"})
    async with running(script, attempt) as it:
        pid = await pid_in(log)
        await until(lambda: not is_alive(pid))
        it.stop(StopReason.CANCEL)
        assert not await it.is_stopped()
        assert it.task.result().exit_code == 0
