"""Calls registered functions: async ones on the event loop, plain ones in a process of the pool or in a thread.

A small job takes this path ten thousand times a second, so everything possible is computed in advance (see
`horae.domain.jobs.task`), and a run without arguments, context and result costs hardly more than the call.

A process is killed when its call must stop. A thread cannot be: a function there keeps its slot until it returns; one
that takes a `context` can check `context.cancelled`.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import orjson

from horae.domain.errors import InvalidInput
from horae.domain.jobs.parameters import Validator, validator_of
from horae.domain.jobs.task import CONTEXT, About, Context, Function, Registry
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.targets.locked import overridden
from horae.executors.failure import Refused, clean, refused
from horae.executors.functions.by_path import PathFunctions
from horae.executors.functions.link import FunctionOrigin
from horae.executors.functions.outcome import failure, result
from horae.executors.functions.output import writer
from horae.executors.functions.pool import FunctionPool
from horae.executors.functions.trace_context import join
from horae.executors.threads import Interrupted, Threads, ThreadSink

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.domain.targets import PythonTarget


class PythonExecutor:
    """Executes `python` targets with the functions of a registry, at most `slots` of them in processes and as many in
    threads. `origin` says how a new process gets the same functions; `by_path` has those that admins registered."""

    def __init__(
        self, registry: Registry, origin: FunctionOrigin, *, slots: int = 16, by_path: PathFunctions | None = None
    ) -> None:
        self._functions = registry.functions
        self.by_path = by_path
        self._validators: dict[str, Validator | None] = {}
        self._threads = Threads(slots)
        self._pool = FunctionPool(origin, slots)

    def offers(self) -> Iterable[str]:
        by_path = {} if self.by_path is None else self.by_path.functions
        return [f"python:{name}" for name in {**by_path, **self._functions}]

    def warm(self) -> None:
        """Prepares for the first call, which would otherwise be slow."""
        if any(function.kind == "process" for function in self._functions.values()):
            self._pool.warm()

    async def execute(self, attempt: Attempt) -> Outcome:
        target = cast("PythonTarget", attempt.job.target)
        function, pool = self._found(target.function)
        if function is None:
            return refused(f"no function named {target.function} is registered on this worker")
        arguments = target.arguments
        try:
            if arguments or function.requires or attempt.run.input is not None:
                arguments = _merged(function, target, attempt.run.input)
                if function.kind != "process":  # which checks them itself: the result may not be JSON
                    arguments = self._validated(function, arguments)
            if attempt.traceparent is not None:
                join(attempt.traceparent)  # for the lifetime of the attempt's task; threads inherit it
            if function.kind == "process":
                return await pool.call(_request(function, arguments, attempt), attempt)
            if function.kind == "thread":
                value = await self._in_thread(function, arguments, attempt)
            else:
                writer.set(attempt)
                if function.takes_context:
                    arguments = {**arguments, CONTEXT: _context(attempt)}
                value = await function.call(**arguments)
        except BaseException as error:  # SystemExit as well: a function must not end the worker
            return _failure(attempt, error)
        if attempt.stop is not None and function.is_async:
            raise asyncio.CancelledError  # it was cancelled, and swallowed that
        return SUCCEEDED if value is None else result(value)

    async def close(self) -> None:
        """Ends the processes. Functions in threads are abandoned: they end when they return, or with the worker."""
        self._threads.close()
        await self._pool.close()
        if self.by_path is not None:
            await self.by_path.close()

    def _found(self, name: str) -> tuple[Function | None, FunctionPool | PathFunctions]:
        """A function, and the pool that calls it if it runs in a process."""
        if name in self._functions or self.by_path is None:
            return self._functions.get(name), self._pool
        return self.by_path.functions.get(name), self.by_path

    def _validated(self, function: Function, arguments: dict[str, Any]) -> dict[str, Any]:
        name = function.name
        if name not in self._validators:
            self._validators[name] = validator_of(function)
        validate = self._validators[name]
        if validate is None:
            return arguments
        try:
            return validate(arguments)
        except InvalidInput as error:
            raise Refused(f"{name}: {error}") from None

    async def _in_thread(self, function: Function, arguments: dict[str, Any], attempt: Attempt) -> Any:
        context = None
        sink = ThreadSink(asyncio.get_running_loop(), attempt)
        writer.set(sink)
        if function.takes_context:
            context = Context(About.of(attempt), sink, lambda: attempt.stop is not None)
            arguments = {**arguments, CONTEXT: context}
        try:
            value, error = await self._threads.run(function.call, arguments)
        except Interrupted as late:
            # A function that never learned of the stop and returned has done its work.
            if late.error is not None or (context is not None and context.stop_seen):
                raise asyncio.CancelledError from late.error
            return late.value
        if error is not None:
            raise error
        return await value if inspect.iscoroutine(value) else value


class _LoopSink:
    """The log as a function on the loop may use it: everything it writes can be stored."""

    __slots__ = ("_attempt",)

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    def write(self, stream: str, text: str) -> None:
        self._attempt.log.write(stream, clean(text))

    def progress(self, fraction: float, note: str | None) -> None:
        self._attempt.log.progress(fraction, None if note is None else clean(note))


def _context(attempt: Attempt) -> Context:
    return Context(About.of(attempt), _LoopSink(attempt), lambda: attempt.stop is not None)


def _request(function: Function, arguments: dict[str, Any], attempt: Attempt) -> bytes:
    about = list(About.of(attempt)) if function.takes_context else None
    call = {"function": function.name, "arguments": arguments, "about": about, "traceparent": attempt.traceparent}
    return orjson.dumps(call)


def _failure(attempt: Attempt, error: BaseException) -> Outcome:
    """What a function raised, as an outcome; or the cancellation, which propagates to the worker."""
    task = asyncio.current_task()
    if attempt.stop is not None or (task is not None and task.cancelling()):
        raise error if isinstance(error, asyncio.CancelledError) else asyncio.CancelledError
    return refused(str(error)) if isinstance(error, Refused) else failure(error)


def _merged(function: Function, target: PythonTarget, text: str | None) -> dict[str, Any]:
    """The job's arguments, overridden name by name by the run's input, if the function takes them."""
    given, arguments = None if text is None else orjson.loads(text), target.arguments
    if reason := overridden(target.locked, given):
        raise Refused(f"the input {reason}")
    if isinstance(given, dict):
        arguments = {**arguments, **given}
    elif given is not None:
        raise Refused("the input of a python job must be a JSON object: its members are the arguments")
    if misfit := function.misfit(arguments):
        raise Refused(misfit)
    return arguments
