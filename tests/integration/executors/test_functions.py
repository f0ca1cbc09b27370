"""Plain functions in processes of the pool: the outcomes of calls."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.executors.functions.pool import FunctionPool
from horae.executors.python import PythonExecutor
from tests.integration.executors import tasks
from tests.integration.executors.attempts import Log, make_attempt

Run = Callable[..., Any]


@pytest.fixture
async def functions() -> AsyncIterator[PythonExecutor]:
    executor = PythonExecutor(tasks.load(), tasks.ORIGIN, slots=4)
    yield executor
    await executor.close()


@pytest.fixture
async def run(functions: PythonExecutor) -> Run:
    async def run(function: str, *, log: Log | None = None, **arguments: Any) -> Outcome:
        attempt, _ = make_attempt({"kind": "python", "function": function, "arguments": arguments}, log=log)
        return await functions.execute(attempt)

    return run


class TestCalling:
    async def test_nothing_in_nothing_out(self, run: Run) -> None:
        assert await run("nothing") is SUCCEEDED

    async def test_arguments_and_result(self, run: Run) -> None:
        assert (await run("add", a=1)).result == "3"
        assert (await run("anything", a=[{"b": None}], c="ü")).result == '{"a":[{"b":null}],"c":"ü"}'

    async def test_arguments_become_what_the_annotations_say(self, run: Run) -> None:
        assert (await run("tomorrow", day="2026-03-01")).result == '"2026-03-02"'

    async def test_arguments_that_do_not_fit(self, run: Run) -> None:
        outcome = await run("add", a="x")
        assert outcome.permanent
        assert outcome.error == "add: a: should be a valid integer, unable to parse string as an integer"
        assert (await run("add", b=1)).error == "add: missing argument a"

    async def test_a_megabyte_of_arguments(self, run: Run) -> None:
        assert "longer than 64 KiB" in (await run("anything", a="x" * 2**20)).error

    async def test_a_coroutine(self, run: Run) -> None:
        assert (await run("coroutine")).result == "7"

    async def test_a_process_is_used_again(self, run: Run) -> None:
        assert len({(await run("pid")).result for _ in range(5)}) == 1

    async def test_many_at_once_share_few_processes(self, run: Run) -> None:
        outcomes = await asyncio.gather(*(run("pid") for _ in range(50)))
        assert 1 <= len({outcome.result for outcome in outcomes}) <= 4

    async def test_idle_processes_end(self) -> None:
        pool = FunctionPool(tasks.ORIGIN, 4, idle=0.05)
        attempt, _ = make_attempt({"kind": "python", "function": "nothing"})
        request = b'{"function":"nothing","arguments":{},"about":null,"traceparent":null}'
        assert await pool.call(request, attempt) is SUCCEEDED
        async with asyncio.timeout(10):
            await asyncio.gather(*(child.exited for child in pool._children.values()))
        assert await pool.call(request, attempt) is SUCCEEDED
        await pool.close()


class TestOutput:
    async def test_context(self, run: Run) -> None:
        log = Log()
        outcome = await run("tell", log=log)
        assert outcome.result == '["0195-run",1,"a job","2026-03-01T12:00:00+00:00",false]'
        assert log.text() == "one\ntwo��\n"
        assert log.told == [(0.5, "half")]

    async def test_the_last_progress_arrives(self, run: Run) -> None:
        log = Log()
        await run("progress", log=log, count=100_000)
        assert 1 <= len(log.told) < 1_000
        assert log.told[-1] == (1, "done")

    async def test_everything_that_is_printed_or_logged(self, run: Run) -> None:
        log = Log()
        assert await run("talk", log=log) is SUCCEEDED
        assert log.text("stderr") == "complained\nINFO mine: logged\n"
        assert sorted(log.text().splitlines()) == sorted(["printed", "by a program", "� raw"])

    async def test_output_belongs_to_its_own_run(self, run: Run) -> None:
        logs = [Log() for _ in range(20)]
        await asyncio.gather(*(run("tell", log=log) for log in logs))
        assert {log.text() for log in logs} == {"one\ntwo��\n"}

    async def test_a_flood_waits_for_the_worker(self, run: Run) -> None:
        log = Log(limit=1_000)
        assert await run("flood", log=log, chunks=400) is SUCCEEDED
        assert log.seen == 400 * 65_536


class TestFailing:
    async def test_exception(self, run: Run) -> None:
        outcome = await run("boom")
        assert (outcome.kind, outcome.error) == (AttemptOutcome.FAILED, "ValueError: bad thing")
        assert not outcome.permanent
        lines = outcome.traceback.splitlines()
        assert "tasks.py" in lines[1], "it begins with the user's first frame"
        assert lines[-2:] == ["ValueError: bad", "thing"]

    async def test_permanent(self, run: Run) -> None:
        outcome = await run("permanent")
        assert outcome.permanent
        assert outcome.error == "PermanentError: no such customer"

    @pytest.mark.parametrize(("seconds", "asked"), [(90, 90), (-5, 0), (1e300, 1e300)])
    async def test_later(self, run: Run, seconds: float, asked: float) -> None:
        outcome = await run("later", seconds=seconds)
        assert outcome.retry_after == asked
        assert not outcome.permanent

    @pytest.mark.parametrize(
        ("how", "error"),
        [
            ("exit", "SystemExit: 3"),
            ("interrupt", "KeyboardInterrupt"),
            ("_exit", "the function's process ended with exit code 3"),
            ("segfault", "the function's process was killed by SIGSEGV"),
            ("kill", "the function's process was killed by SIGKILL (out of memory, or killed from outside)"),
        ],
    )
    async def test_a_crash_of_the_process_is_a_failed_attempt(self, run: Run, how: str, error: str) -> None:
        log = Log()
        outcome = await run("leave", how=how, log=log)
        assert (outcome.kind, outcome.error, outcome.permanent) == (AttemptOutcome.FAILED, error, False)
        assert outcome.exit_code == (3 if how == "_exit" else None)
        assert ("Segmentation fault" in log.text("stderr")) == (how == "segfault")
        assert (await run("add", a=1)).result == "3", "the next call works"

    @pytest.mark.parametrize(
        ("what", "error"),
        [
            ("object", "the result cannot be written as JSON: TypeError: Type is not JSON serializable: object"),
            ("huge", "the result cannot be written as JSON: TypeError: Integer exceeds 64-bit range"),
            ("long", "the result is longer than 64 KiB of JSON"),
        ],
    )
    async def test_results_that_cannot_be_kept(self, run: Run, what: str, error: str) -> None:
        outcome = await run("give", what=what)
        assert outcome.permanent
        assert outcome.error.startswith(error)

    async def test_the_longest_result(self, run: Run) -> None:
        assert (await run("give", what="long enough")).kind is AttemptOutcome.SUCCEEDED

    async def test_a_module_that_cannot_be_imported_anew(self) -> None:
        executor = PythonExecutor(tasks.load(), replace(tasks.ORIGIN, imports=("no_such_module",)), slots=4)
        attempt, _ = make_attempt({"kind": "python", "function": "nothing"})
        outcomes = await asyncio.gather(executor.execute(attempt), executor.execute(attempt))
        await executor.close()
        assert {outcome.error for outcome in outcomes} == {
            "the modules of the tasks cannot be imported in a new process: No module named 'no_such_module'"
        }

    async def test_a_function_that_is_not_there_anew(self, run: Run, functions: PythonExecutor) -> None:
        from horae.domain.jobs.task import describe

        def local() -> None: ...

        functions._functions["local"] = describe(local)
        outcome = await run("local")
        assert outcome.permanent
        assert outcome.error.startswith("no function named local exists when its module is imported again")
