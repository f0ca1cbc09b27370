"""Plain functions that are to stop, and workers that die: nothing is left alive, and the next call works."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from horae.clock import SystemClock
from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.executors.functions.pool import FunctionPool
from horae.executors.python import PythonExecutor
from tests.integration.executors import tasks
from tests.integration.executors.attempts import Log, make_attempt, running
from tests.waiting import until

ROOT = Path(__file__).parents[3]


@pytest.fixture
async def functions() -> AsyncIterator[PythonExecutor]:
    executor = PythonExecutor(tasks.load(), tasks.ORIGIN, slots=4)
    yield executor
    template = executor._pool._link
    await executor.close()
    assert template is None or not alive(template.pid)


def alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def pids(path: Path) -> list[int]:
    return [int(pid) for pid in path.read_text().split()] if path.exists() else []


async def works(functions: PythonExecutor) -> bool:
    attempt, _ = make_attempt({"kind": "python", "function": "add", "arguments": {"a": 1}})
    return (await functions.execute(attempt)).result == "3"


class Under:
    """A call that has begun."""

    def __init__(self, functions: PythonExecutor, tmp_path: Path) -> None:
        self.functions = functions
        self.path = tmp_path / "pids"
        self.log = Log()

    def attempt(self, function: str, *, grace: float = 5, **arguments: object):
        target = {"kind": "python", "function": function, "arguments": {"path": str(self.path), **arguments}}
        return make_attempt(target, log=self.log, grace=grace)[0]

    async def begun(self) -> list[int]:
        return await until(lambda: pids(self.path))


@pytest.fixture
def under(functions: PythonExecutor, tmp_path: Path) -> Under:
    return Under(functions, tmp_path)


@pytest.mark.parametrize("reason", [StopReason.CANCEL, StopReason.TIMEOUT, StopReason.SHUTDOWN])
async def test_tidies_up_and_ends(under: Under, reason: StopReason) -> None:
    async with running(under.functions, under.attempt("wait")) as it:
        (pid,) = await under.begun()
        it.stop(reason)
        assert await it.is_stopped()
    assert not alive(pid)
    assert under.log.text() == "tidied\n"
    assert under.log.text("system").endswith("sent TERM\n")
    assert await works(under.functions)


async def test_knows_that_it_is_to_stop(under: Under) -> None:
    async with running(under.functions, under.attempt("polite")) as it:
        await under.begun()
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()
    assert under.log.text() == "cancelled True\n"


async def test_a_result_after_cancellation_was_delivered_is_ignored(under: Under) -> None:
    async with running(under.functions, under.attempt("swallow")) as it:
        (pid,) = await under.begun()
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()
    assert not alive(pid)


async def test_a_result_before_cancellation_was_delivered_counts(under: Under, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with running(under.functions, under.attempt("gate", open=str(gate))) as it:
        await under.begun()
        it.stop(StopReason.CANCEL)
        await until(lambda: "TERM" in under.log.text("system"))
        gate.touch()
        assert not await it.is_stopped()
        assert it.task.result().result == '"done"'


async def test_ignoring_term_brings_kill(under: Under) -> None:
    async with running(under.functions, under.attempt("stubborn", grace=0.1)) as it:
        (pid,) = await under.begun()
        it.stop(StopReason.TIMEOUT)
        assert await it.is_stopped()
    assert not alive(pid)
    assert await works(under.functions)


async def test_losing_the_lease_during_the_grace_kills_at_once(under: Under) -> None:
    async with running(under.functions, under.attempt("stubborn", grace=1000)) as it:
        (pid,) = await under.begun()
        it.stop(StopReason.CANCEL)
        await until(lambda: "TERM" in under.log.text("system"))
        it.stop(StopReason.LEASE_LOST)
        assert await it.is_stopped()
    assert not alive(pid)


@pytest.mark.parametrize("reason", [StopReason.CANCEL, StopReason.LEASE_LOST])
async def test_everything_it_started_ends_with_it(under: Under, reason: StopReason) -> None:
    async with running(under.functions, under.attempt("family", grace=0.2)) as it:
        members = await under.begun()
        assert len(members) == 3
        it.stop(reason)
        assert await it.is_stopped()
    assert [pid for pid in members if alive(pid)] == []


async def test_what_it_leaves_running_ends_when_it_returns(under: Under) -> None:
    outcome = await under.functions.execute(under.attempt("family", wait=False))
    assert outcome.kind is AttemptOutcome.SUCCEEDED
    assert under.log.text("system") == "ended what the function had left running\n"
    await until(lambda: not [pid for pid in pids(under.path) if alive(pid)])
    assert await works(under.functions)


async def test_a_child_that_is_killed_in_the_middle(under: Under) -> None:
    async with running(under.functions, under.attempt("family")) as it:
        child, *rest = await under.begun()
        os.kill(child, signal.SIGKILL)
        outcome = await it.task
    assert outcome.error == "the function's process was killed by SIGKILL (out of memory, or killed from outside)"
    assert [pid for pid in rest if alive(pid)] == []
    assert await works(under.functions)


async def test_a_template_that_is_killed(under: Under) -> None:
    async with running(under.functions, under.attempt("family")) as it:
        members = await under.begun()
        link = under.functions._pool._link
        assert link is not None
        os.kill(link.pid, signal.SIGKILL)
        outcome = await it.task
    assert outcome.error == "the process that starts functions has ended; another one will be started"
    assert not outcome.permanent
    await until(lambda: not [pid for pid in members if alive(pid)])
    assert await works(under.functions)


@pytest.mark.parametrize("turns", range(12))
async def test_a_stop_at_any_moment(functions: PythonExecutor, turns: int) -> None:
    """While the template starts, while the call is on its way, while its reply is."""
    if turns % 2:
        assert await works(functions)  # then there is an idle process
    attempt, _ = make_attempt({"kind": "python", "function": "pid"})
    async with running(functions, attempt) as it:
        for _ in range(turns):
            await asyncio.wait([it.task], timeout=0.0005)
        if not it.task.done():
            it.stop(StopReason.CANCEL)
        stopped = await it.is_stopped()
    assert stopped or it.task.result().kind is AttemptOutcome.SUCCEEDED
    assert await works(functions)


async def test_a_stop_while_waiting_for_a_place(tmp_path: Path) -> None:
    functions = PythonExecutor(tasks.load(), tasks.ORIGIN, slots=1)
    under = Under(functions, tmp_path)
    async with running(functions, under.attempt("wait")) as first:
        await under.begun()
        second, _ = make_attempt({"kind": "python", "function": "nothing"})
        async with running(functions, second) as it:
            await until(lambda: functions._pool._waiting)
            it.stop(StopReason.CANCEL)
            assert await it.is_stopped()
        third, _ = make_attempt({"kind": "python", "function": "nothing"})
        async with running(functions, third) as it:
            await until(lambda: functions._pool._waiting)
            first.stop(StopReason.CANCEL)
            assert not await it.is_stopped()
    await functions.close()


async def test_closing_ends_what_is_under_way(under: Under) -> None:
    async with running(under.functions, under.attempt("family")) as it:
        members = await under.begun()
        it.stop(StopReason.SHUTDOWN)
        await under.functions.close()
        assert await it.is_stopped()
    assert [pid for pid in members if alive(pid)] == []


async def test_closing_while_the_modules_are_imported_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    pool = FunctionPool(tasks.ORIGIN, 1)
    pool.warm()
    await pool.close()
    assert capfd.readouterr().err == ""


async def test_a_call_after_close_is_interrupted_not_failed(under: Under) -> None:
    """A claim that took longer than the draining: a failure would count, and the function has not failed."""
    async with running(under.functions, under.attempt("wait")) as first:
        (pid,) = await under.begun()
        await under.functions.close()
        assert not alive(pid)
        attempt, _ = make_attempt({"kind": "python", "function": "nothing"})
        async with running(under.functions, attempt) as second:
            await asyncio.wait([first.task, second.task], timeout=0.2)
            for it in (first, second):
                assert not it.task.done()
                it.stop(StopReason.SHUTDOWN)
                assert await it.is_stopped()


async def test_a_lease_that_runs_out_ends_the_tree_without_the_worker(under: Under) -> None:
    attempt, now = under.attempt("family"), SystemClock().monotonic()
    attempt.lease.move(now + 1000)
    async with running(under.functions, attempt) as it:
        members = await under.begun()
        assert all(alive(pid) for pid in members)
        attempt.lease.move(0)
        outcome = await it.task
    assert outcome.kind is AttemptOutcome.LOST
    assert [pid for pid in members if alive(pid)] == []


async def test_a_lease_is_of_one_attempt_and_not_of_the_next(functions: PythonExecutor, tmp_path: Path) -> None:
    """A reused process follows the new lease; an expired old lease does not kill it."""
    assert await works(functions)
    soon = SystemClock().monotonic() + 3
    for lease in (soon, soon + 1000):
        attempt, _ = make_attempt({"kind": "python", "function": "add", "arguments": {"a": 1}})
        attempt.lease.move(lease)
        assert (await functions.execute(attempt)).result == "3"
    under = Under(functions, tmp_path)
    gate, attempt = tmp_path / "gate", under.attempt("gate", open=str(tmp_path / "gate"))
    attempt.lease.move(soon + 1000)
    async with running(functions, attempt) as it:
        await under.begun()
        await until(lambda: SystemClock().monotonic() > soon + 0.1)
        gate.touch()
        assert (await it.task).result == '"done"'


async def test_resting_processes_have_no_lease(functions: PythonExecutor) -> None:
    attempt, _ = make_attempt({"kind": "python", "function": "pid"})
    attempt.lease.move(SystemClock().monotonic() + 1000)
    first = (await functions.execute(attempt)).result
    (child,) = functions._pool._children.values()
    assert child.leash._sent < float("inf")
    await until(lambda: child.leash._sent == float("inf"))
    attempt, _ = make_attempt({"kind": "python", "function": "pid"})
    assert (await functions.execute(attempt)).result == first


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """One that is at a call which has started others."""
    command = [sys.executable, "-m", "tests.integration.executors.dying_functions", str(tmp_path / "pids")]
    process = subprocess.Popen(command, cwd=ROOT)
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_worker_that_is_killed(worker: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals) -> None:
    members = await until(lambda: pids(tmp_path / "pids"), timeout=30)
    worker.send_signal(number)
    await until(lambda: not [pid for pid in (worker.pid, *members) if alive(pid)], timeout=30)
