"""Calls registered functions: async ones on the event loop, plain ones in a thread.

This is the path that a small job takes ten thousand times a second, so whatever can be known beforehand is (see
`horae.domain.task`), and a run without arguments, context and result costs hardly more than the call.

A thread cannot be killed. A plain function that is to stop keeps its slot until it returns; one that takes a `context`
can look at `context.cancelled`.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import orjson

from horae.domain.errors import PermanentError
from horae.domain.outcome import SUCCEEDED, Outcome
from horae.domain.states import AttemptOutcome
from horae.domain.task import CONTEXT, Context, Function, Registry
from horae.executors.failure import RESULT_LIMIT, Refused, clean, in_words, raised, refused
from horae.executors.threads import Interrupted, Threads, ThreadWriter

if TYPE_CHECKING:
    from horae.domain.attempt import Attempt
    from horae.domain.targets import PythonTarget


class PythonExecutor:
    """Carries out `python` targets with the functions of a registry, plain ones in at most `threads` threads."""

    def __init__(self, registry: Registry, *, threads: int = 16) -> None:
        self._functions = registry.functions
        self._threads = Threads(threads)

    def offers(self) -> Iterable[str]:
        return [f"python:{name}" for name in self._functions]

    async def execute(self, attempt: Attempt) -> Outcome:
        target = cast("PythonTarget", attempt.job.target)
        function = self._functions.get(target.function)
        if function is None:
            return refused(f"no function named {target.function} is registered on this worker")
        arguments = target.arguments
        try:
            if arguments or function.requires or attempt.run.input is not None:
                arguments = _checked(function, arguments, attempt.run.input)
            if not function.is_async:
                value = await self._in_thread(function, arguments, attempt)
            elif function.takes_context:
                value = await function.call(**arguments, context=Context(attempt, partial(_log, attempt)))
            else:
                value = await function.call(**arguments)
        except BaseException as error:  # SystemExit as well: a function does not end the worker
            return _failure(attempt, error)
        if attempt.stop is not None and function.is_async:
            raise asyncio.CancelledError  # it was told, by a cancellation it chose to swallow
        return SUCCEEDED if value is None else _result(value)

    async def close(self) -> None:
        """Gives up what is still in a thread: it ends when it returns, or with the process."""
        self._threads.close()

    async def _in_thread(self, function: Function, arguments: dict[str, Any], attempt: Attempt) -> Any:
        context = None
        if function.takes_context:
            context = Context(attempt, ThreadWriter(asyncio.get_running_loop(), partial(_log, attempt)))
            arguments = {**arguments, CONTEXT: context}
        try:
            value, error = await self._threads.run(function.call, arguments)
        except Interrupted as late:
            # A function that never learnt of the stop and returned has done its work.
            if late.error is not None or (context is not None and context.told):
                raise asyncio.CancelledError from late.error
            return late.value
        if error is not None:
            raise error
        return await value if inspect.iscoroutine(value) else value


def _log(attempt: Attempt, text: str) -> None:
    attempt.log.write("stdout", clean(text))


def _failure(attempt: Attempt, error: BaseException) -> Outcome:
    """What a function raised, as an outcome; or the cancellation that goes on to the worker."""
    task = asyncio.current_task()
    if attempt.stop is not None or (task is not None and task.cancelling()):
        raise error if isinstance(error, asyncio.CancelledError) else asyncio.CancelledError
    if isinstance(error, Refused):
        return refused(str(error))
    return raised(error, permanent=isinstance(error, PermanentError))


def _checked(function: Function, arguments: dict[str, Any], text: str | None) -> dict[str, Any]:
    """The job's arguments, overridden name by name by the run's input, if the function takes them."""
    given = None if text is None else orjson.loads(text)
    if isinstance(given, dict):
        arguments = {**arguments, **given}
    elif given is not None:
        raise Refused("the input of a python job must be a JSON object: its members are the arguments")
    if misfit := function.misfit(arguments):
        raise Refused(misfit)
    return arguments


def _result(value: Any) -> Outcome:
    """Failures here are permanent: the work is done, and doing it again would bring the same."""
    try:
        raw = orjson.dumps(value)
    except (TypeError, RecursionError) as error:
        return refused(f"the result cannot be told as JSON: {in_words(error)}")
    if len(raw) > RESULT_LIMIT:
        return refused(f"the result is longer than {RESULT_LIMIT // 1024} KiB of JSON")
    return Outcome(AttemptOutcome.SUCCEEDED, result=raw.decode())
