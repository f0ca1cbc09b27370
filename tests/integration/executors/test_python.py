"""Functions as a worker calls them: on the loop and in threads."""

import asyncio
import inspect
import logging
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

import pytest

from horae.domain.errors import PermanentError, RetryLater
from horae.domain.jobs.task import Context, Registry, describe
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.executors.functions import output
from horae.executors.python import PythonExecutor
from tests.integration.executors.attempts import INSTANT, Log, make_attempt
from tests.waiting import until

Run = Callable[..., Any]


@pytest.fixture
async def run(registry: Registry, python: PythonExecutor) -> Run:
    async def run(
        call: Callable[..., Any], *, input: str | None = None, log: Log | None = None, **arguments: Any
    ) -> Outcome:
        plain = not inspect.iscoroutinefunction(call)
        registry.add(describe(call, name="f", isolation="thread" if plain else None))
        target = {"kind": "python", "function": "f", "arguments": arguments}
        attempt, _ = make_attempt(target, input=input, log=log)
        return await python.execute(attempt)

    return run


def both(call: Callable[..., Any]) -> list[Callable[..., Any]]:
    """A function in its two colours."""

    async def on_the_loop(**arguments: Any) -> Any:
        return call(**arguments)

    def in_a_thread(**arguments: Any) -> Any:
        return call(**arguments)

    return [on_the_loop, in_a_thread]


class TestCalling:
    async def test_nothing_in_nothing_out(self, run: Run) -> None:
        async def noop() -> None: ...

        assert await run(noop) is SUCCEEDED

    async def test_arguments_and_result(self, run: Run) -> None:
        async def add(a: int, b: int = 2) -> dict[str, Any]:
            return {"sum": a + b, "at": INSTANT}

        outcome = await run(add, a=1)
        assert outcome.result == '{"sum":3,"at":"2026-03-01T12:00:00+00:00"}'
        assert outcome.kind is AttemptOutcome.SUCCEEDED

    async def test_input_overrides_arguments(self, run: Run) -> None:
        async def echo(a: int, b: int, c: int) -> list[int]:
            return [a, b, c]

        assert (await run(echo, input='{"b": 20, "c": 30}', a=1, b=2)).result == "[1,20,30]"

    async def test_input_does_not_override_what_is_locked(self, registry: Registry, python: PythonExecutor) -> None:
        """However it got there: runs may have been queued before the lock, or by others than people."""

        async def echo(a: int, b: int) -> list[int]:
            return [a, b]

        registry.add(describe(echo, name="f"))
        target = {"kind": "python", "function": "f", "arguments": {"a": 1, "b": 2}, "locked": ["a"]}
        allowed, _ = make_attempt(target, input='{"b": 3}')
        assert (await python.execute(allowed)).result == "[1,3]"
        refused, _ = make_attempt(target, input='{"a": 3}')
        outcome = await python.execute(refused)
        assert outcome.permanent
        assert outcome.error == "the input must not give a: the job locks it"

    async def test_null_input_is_none(self, run: Run) -> None:
        async def echo(a: int) -> int:
            return a

        assert (await run(echo, input="null", a=1)).result == "1"

    async def test_other_input_is_refused(self, run: Run) -> None:
        async def echo() -> None: ...

        outcome = await run(echo, input="[1]")
        assert outcome.permanent
        assert outcome.error == "the input of a python job must be a JSON object: its members are the arguments"

    async def test_arguments_that_do_not_fit(self, run: Run) -> None:
        async def echo(a: int) -> None: ...

        outcome = await run(echo, b=1)
        assert outcome.permanent
        assert outcome.error == "f: missing argument a; unknown argument b"

    async def test_arguments_are_not_changed_by_a_call(self, registry: Registry, python: PythonExecutor) -> None:
        def spoil(**arguments: Any) -> None:
            arguments.clear()

        registry.add(describe(spoil, name="f", isolation="thread"))
        attempt, _ = make_attempt({"kind": "python", "function": "f", "arguments": {"a": 1}})
        await python.execute(attempt)
        assert attempt.job.target.arguments == {"a": 1}  # type: ignore[union-attr]

    async def test_unknown_function(self, python: PythonExecutor) -> None:
        attempt, _ = make_attempt({"kind": "python", "function": "nobody"})
        outcome = await python.execute(attempt)
        assert outcome.permanent
        assert outcome.error == "no function named nobody is registered on this worker"

    async def test_offers(self, registry: Registry, python: PythonExecutor) -> None:
        registry.add(describe(lambda: None, name="a"))
        registry.add(describe(lambda: None, name="b.c"))
        assert list(python.offers()) == ["python:a", "python:b.c"]

    async def test_plain_functions_run_beside_the_loop(self, run: Run) -> None:
        def where() -> str:
            return threading.current_thread().name

        assert "horae-task-" in (await run(where)).result

    async def test_a_plain_function_may_return_a_coroutine(self, run: Run) -> None:
        async def inner() -> int:
            return 7

        def outer() -> Coroutine[None, None, int]:
            return inner()

        assert (await run(outer)).result == "7"

    async def test_threads_are_bounded_and_used_again(self, registry: Registry, python: PythonExecutor) -> None:
        names = set()
        together = threading.Barrier(4)

        def meet() -> None:
            names.add(threading.current_thread().name)
            together.wait(10)

        registry.add(describe(meet, name="f", isolation="thread"))
        attempts = [make_attempt({"kind": "python", "function": "f"})[0] for _ in range(40)]
        outcomes = await asyncio.gather(*(python.execute(attempt) for attempt in attempts))
        assert outcomes == [SUCCEEDED] * 40
        assert len(names) == 4


class TestFailing:
    @pytest.mark.parametrize("colour", [0, 1])
    async def test_exception(self, run: Run, colour: int) -> None:
        def boom() -> None:
            raise ValueError("bad\nthing")

        outcome = await run(both(boom)[colour])
        assert (outcome.kind, outcome.error) == (AttemptOutcome.FAILED, "ValueError: bad thing")
        assert not outcome.permanent
        lines = outcome.traceback.splitlines()
        assert "test_python.py" in lines[1], "it begins with the user's first frame"
        assert lines[-2:] == ["ValueError: bad", "thing"]

    @pytest.mark.parametrize("colour", [0, 1])
    @pytest.mark.parametrize(
        "error", [SystemExit(3), KeyboardInterrupt(), StopIteration(5), asyncio.CancelledError(), GeneratorExit()]
    )
    async def test_exit_exceptions_fail_the_attempt_not_the_worker(
        self, run: Run, colour: int, error: BaseException
    ) -> None:
        def boom() -> None:
            raise error

        outcome = await asyncio.wait_for(run(both(boom)[colour]), 10)
        assert outcome.kind is AttemptOutcome.FAILED
        assert outcome.error

    @pytest.mark.parametrize("colour", [0, 1])
    async def test_permanent(self, run: Run, colour: int) -> None:
        def boom() -> None:
            raise PermanentError("no such customer")

        outcome = await run(both(boom)[colour])
        assert outcome.permanent
        assert outcome.error == "PermanentError: no such customer"

    @pytest.mark.parametrize(
        ("value", "error"),
        [
            (object(), "the result cannot be written as JSON: TypeError: Type is not JSON serializable: object"),
            ({1: 2}, "the result cannot be written as JSON: TypeError: Dict key must be str"),
            (2**70, "the result cannot be written as JSON: TypeError: Integer exceeds 64-bit range"),
            ("\ud800", "the result cannot be written as JSON: TypeError: str is not valid UTF-8"),
            ("x" * 65_535, "the result is longer than 64 KiB of JSON"),
        ],
    )
    async def test_results_that_cannot_be_kept(self, run: Run, value: object, error: str) -> None:
        async def give() -> object:
            return value

        outcome = await run(give)
        assert outcome.kind is AttemptOutcome.FAILED
        assert outcome.permanent
        assert outcome.error.startswith(error)

    async def test_the_longest_result(self, run: Run) -> None:
        async def give() -> str:
            return "x" * (64 * 1024 - 2)

        assert (await run(give)).kind is AttemptOutcome.SUCCEEDED


class TestContext:
    @pytest.mark.parametrize("colour", [0, 1])
    async def test_context_describes_the_run(self, run: Run, colour: int) -> None:
        def tell(context: Context) -> list[Any]:
            context.log("one")
            context.log("two\0\ud800\n")
            return [context.run_id, context.attempt, context.job_name, context.scheduled_for, context.cancelled]

        async def on_the_loop(context: Context) -> list[Any]:
            return tell(context)

        log = Log()
        outcome = await run([on_the_loop, tell][colour], log=log)
        assert outcome.result == '["0195-run",1,"a job","2026-03-01T12:00:00+00:00",false]'
        assert log.text() == "one\ntwo��\n"

    async def test_a_thread_that_floods_waits_for_the_loop(self, run: Run) -> None:
        def flood(context: Context) -> None:
            for _ in range(2_000):
                context.log("x" * 9_999)

        log = Log(limit=1_000)
        assert await run(flood, log=log) is SUCCEEDED
        assert log.seen == 20_000_000


@contextmanager
def routed() -> Iterator[None]:
    """As a worker's process has it. (Not a fixture: pytest changes the streams between them and the test.)"""
    streams, handlers = (sys.stdout, sys.stderr), logging.getLogger().handlers
    before = list(handlers)
    output.route()
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
        handlers[:] = before


class TestPrinting:
    @pytest.mark.parametrize("colour", [0, 1])
    async def test_goes_to_the_log_of_the_run(self, run: Run, colour: int) -> None:
        def talk() -> None:
            print("printed", flush=True)
            print("complained", file=sys.stderr)
            logging.getLogger("mine").warning("logged")

        log = Log()
        with routed():
            assert await run(both(talk)[colour], log=log) is SUCCEEDED
        await until(lambda: log.text("stderr").endswith("logged\n"))
        assert log.text() == "printed\n"
        assert log.text("stderr") == "complained\nWARNING mine: logged\n"

    async def test_of_tasks_that_it_starts_as_well(self, run: Run) -> None:
        async def inner() -> None:
            print("inner")

        async def outer() -> None:
            await asyncio.gather(inner(), asyncio.to_thread(lambda: None))

        log = Log()
        with routed():
            assert await run(outer, log=log) is SUCCEEDED
        assert log.text() == "inner\n"

    async def test_of_the_worker_itself_goes_where_it_always_went(
        self, run: Run, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with routed():
            sys.stdout.write("the worker's own")
        assert "the worker's own" in capsys.readouterr().out

    @pytest.mark.parametrize("colour", [0, 1])
    async def test_progress_and_retry_later(self, run: Run, colour: int) -> None:
        def work(context: Context) -> None:
            context.progress(0.25, "a quarter\0")
            raise RetryLater(30)

        async def on_the_loop(context: Context) -> None:
            work(context)

        log = Log()
        outcome = await run([on_the_loop, work][colour], log=log)
        assert outcome.retry_after == 30
        assert outcome.error == "RetryLater: retry in 30 s at the earliest"
        await until(lambda: log.told == [(0.25, "a quarter�")])

    @pytest.mark.parametrize("colour", [0, 1])
    async def test_arguments_become_what_the_annotations_say(self, run: Run, colour: int) -> None:
        def year(day: date) -> int:
            return day.year

        async def on_the_loop(day: date) -> int:
            return day.year

        call = [on_the_loop, year][colour]
        assert (await run(call, day="2026-03-01")).result == "2026"
        outcome = await run(call, day="hunter2")
        assert outcome.permanent
        assert outcome.error.startswith("f: day: should be a valid date")
        assert "hunter2" not in outcome.error
