"""Functions that are to stop: on the loop they are cancelled, in a thread they are waited for."""

import asyncio
import subprocess
import sys
import threading

import pytest

from horae.domain.jobs.task import Context, Registry, describe
from horae.domain.runs.outcome import SUCCEEDED
from horae.domain.runs.states import StopReason
from horae.executors.python import PythonExecutor
from tests.integration.executors.attempts import Log, make_attempt, running
from tests.integration.executors.tasks import ORIGIN
from tests.waiting import until


async def test_async_functions_are_cancelled(registry: Registry, python: PythonExecutor) -> None:
    log = Log()

    async def wait(context: Context) -> None:
        context.log("begun")
        try:
            await asyncio.Event().wait()
        finally:
            context.log(f"tidied {context.cancelled}")

    registry.add(describe(wait, name="f"))
    attempt, _ = make_attempt({"kind": "python", "function": "f"}, log=log)
    async with running(python, attempt) as it:
        await until(lambda: log.text() == "begun\n")
        it.stop(StopReason.TIMEOUT)
        assert await it.is_stopped()
    assert log.text() == "begun\ntidied True\n"


@pytest.mark.parametrize("ending", ["return", "raise"])
async def test_swallowing_the_cancellation_changes_nothing(
    registry: Registry, python: PythonExecutor, ending: str
) -> None:
    log = Log()

    async def stubborn(context: Context) -> str:
        context.log("begun")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if ending == "raise":
                raise ValueError from None
        return "half of it"

    registry.add(describe(stubborn, name="f"))
    attempt, _ = make_attempt({"kind": "python", "function": "f"}, log=log)
    async with running(python, attempt) as it:
        await until(log.text)
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()


async def test_a_thread_keeps_its_slot_until_it_returns(registry: Registry, python: PythonExecutor) -> None:
    begun, go = threading.Event(), threading.Event()

    def block() -> str:
        begun.set()
        go.wait(30)
        return "done"

    registry.add(describe(block, name="f", isolation="thread"))
    attempt, _ = make_attempt({"kind": "python", "function": "f"})
    async with running(python, attempt) as it:
        await until(begun.is_set)
        it.stop(StopReason.SHUTDOWN)
        await asyncio.wait([it.task], timeout=0.1)
        it.stop(StopReason.SHUTDOWN)
        await asyncio.wait([it.task], timeout=0.1)
        assert not it.task.done()
        go.set()
        # The function was not notified: it did its work, and a second time would be once too often.
        assert not await it.is_stopped()
        assert it.task.result().result == '"done"'


@pytest.mark.parametrize("ending", ["look", "raise"])
async def test_a_thread_that_stopped_half_way(registry: Registry, python: PythonExecutor, ending: str) -> None:
    begun, go = threading.Event(), threading.Event()

    def work(context: Context) -> None:
        begun.set()
        go.wait(30)
        if ending == "raise":
            raise ValueError
        assert context.cancelled

    registry.add(describe(work, name="f", isolation="thread"))
    attempt, _ = make_attempt({"kind": "python", "function": "f"})
    async with running(python, attempt) as it:
        await until(begun.is_set)
        it.stop(StopReason.CANCEL)
        go.set()
        assert await it.is_stopped()


async def test_a_call_still_waiting_for_a_thread_is_dropped(registry: Registry) -> None:
    python = PythonExecutor(registry, ORIGIN, slots=1)
    begun, go, calls = threading.Event(), threading.Event(), []

    def block(n: int) -> None:
        calls.append(n)
        begun.set()
        go.wait(30)

    registry.add(describe(block, name="f", isolation="thread"))
    first, _ = make_attempt({"kind": "python", "function": "f", "arguments": {"n": 1}})
    second, _ = make_attempt({"kind": "python", "function": "f", "arguments": {"n": 2}})
    async with running(python, first) as it, running(python, second) as waiting:
        await until(begun.is_set)
        waiting.stop(StopReason.TIMEOUT)
        assert await waiting.is_stopped()
        go.set()
        assert await it.task is SUCCEEDED
    assert calls == [1]
    await python.close()


async def test_closing_gives_up_what_hangs(registry: Registry) -> None:
    python = PythonExecutor(registry, ORIGIN)
    begun, go = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        go.wait(30)

    registry.add(describe(hang, name="f", isolation="thread"))
    attempt, _ = make_attempt({"kind": "python", "function": "f"})
    async with running(python, attempt) as it:
        await until(begun.is_set)
        it.stop(StopReason.SHUTDOWN)
        await python.close()
        assert await it.is_stopped()
    go.set()


def test_a_hanging_thread_does_not_keep_the_process() -> None:
    code = """
import asyncio, threading
from horae.executors.threads import Threads
async def main():
    threads = Threads(2)
    begun = threading.Event()
    task = asyncio.create_task(threads.run(lambda: (begun.set(), threading.Event().wait()), {}))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    threads.close()
    await asyncio.wait([task])
    print("over", task.cancelled())
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout == "over True\n"
