"""One process of the pool: takes a call, performs it, reports the outcome, and waits for the next.

Standard output and standard error are pipes to the worker, so that everything printed by the function, a library or a
program it starts goes to the run's log. TERM raises `Cancelled` inside the function.
"""

from __future__ import annotations

import faulthandler
import inspect
import os
import signal
import socket
import sys
import time
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from datetime import datetime
from types import FrameType
from typing import Any, NamedTuple

import orjson

from horae.domain.errors import Cancelled, InvalidInput
from horae.domain.jobs.parameters import Validator
from horae.domain.jobs.task import CONTEXT, About, Context, Function
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.executors.failure import clean, refused
from horae.executors.functions import wire
from horae.executors.functions.outcome import failure, result
from horae.executors.functions.trace_context import joined

_PROGRESS_EVERY = 0.05  # seconds
_STREAMS = {"stdout": 1, "stderr": 2}


class Prepared(NamedTuple):
    """A function and the validator of its arguments, both built before any fork."""

    function: Function
    validate: Validator | None


class FunctionChild:
    """Serves one connection until the worker closes it."""

    def __init__(self, connection: socket.socket, functions: Mapping[str, Prepared]) -> None:
        self._connection = connection
        self._functions = functions
        self._waiting = self._active = self._stopped = self._stop_seen = False

    def serve(self) -> None:
        signal.signal(signal.SIGTERM, self._on_term)
        faulthandler.enable()  # a crash in C leaves a traceback in the run's log
        parser = wire.Parser()
        while not self._stopped:
            self._waiting = True
            call = wire.receive(self._connection, parser)
            self._waiting = False
            if call is None:
                return
            self._answer(self._perform(orjson.loads(call.body)))

    def _on_term(self, number: int, frame: FrameType | None) -> None:
        first, self._stopped = not self._stopped, True
        if self._waiting:
            os._exit(0)
        if self._active and first:
            self._stop_seen = True
            raise Cancelled

    def _perform(self, call: dict[str, Any]) -> Outcome:
        prepared = self._functions.get(call["function"])
        if prepared is None:
            return refused(
                f"no function named {call['function']} exists when its module is imported again: define it at the top "
                f"level of a module that the worker imports"
            )
        reporter = ChildReporter(self._connection)
        context = self._context(call["about"], reporter) if prepared.function.takes_context else None
        try:
            arguments = call["arguments"] if prepared.validate is None else prepared.validate(call["arguments"])
        except InvalidInput as error:
            return refused(f"{prepared.function.name}: {error}")
        except Exception as error:  # a validator of the user's own
            return failure(error)
        with joined(call["traceparent"]):
            outcome = self._called(prepared.function, arguments if context is None else {**arguments, CONTEXT: context})
        reporter.flush()
        self._stop_seen = self._stop_seen or (context is not None and context.stop_seen)
        return outcome

    def _called(self, function: Function, arguments: dict[str, Any]) -> Outcome:
        try:
            try:
                self._active = True
                if self._stopped:
                    self._stop_seen = True
                    raise Cancelled
                value = function.call(**arguments)
                if inspect.iscoroutine(value):
                    value = _completed(value)
            finally:
                self._active = False
        except BaseException as error:  # SystemExit too: the process continues
            return failure(error)
        return result(value)

    def _context(self, about: list[Any], reporter: ChildReporter) -> Context:
        run_id, attempt, job_name, at, traceparent = about
        known = About(run_id, attempt, job_name, None if at is None else datetime.fromisoformat(at), traceparent)
        return Context(known, reporter, lambda: self._stopped)

    def _answer(self, outcome: Outcome) -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # the function may have closed or replaced it
                stream.flush()
        flags = (wire.STOP_SEEN if self._stop_seen else 0) | (wire.DIRTY if _has_children() else 0)
        self._stop_seen = False
        if outcome.kind is AttemptOutcome.SUCCEEDED:
            body = (outcome.result or "").encode()
            kind = wire.DONE
        else:
            kind = wire.FAILED
            body = orjson.dumps(
                {
                    "error": outcome.error,
                    "traceback": outcome.traceback,
                    "permanent": outcome.permanent,
                    "retry_after": outcome.retry_after,
                }
            )
        self._connection.sendall(wire.frame(kind, bytes((flags,)) + body))


class ChildReporter:
    """The log and the progress of a call (the LogSink of domain/runs/attempt.py), as a child sends them."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._sent_at = 0.0
        self._newest: tuple[float, str | None] | None = None

    def write(self, stream: str, text: str) -> None:
        with suppress(Exception):  # keeps the order with what was printed
            (sys.stdout if stream == "stdout" else sys.stderr).flush()
        data = clean(text).encode()
        while data:
            data = data[os.write(_STREAMS[stream], data) :]

    def progress(self, fraction: float, note: str | None) -> None:
        self._newest = (fraction, note)
        if time.monotonic() - self._sent_at >= _PROGRESS_EVERY:
            self.flush()

    def flush(self) -> None:
        if self._newest is not None:
            fraction, note = self._newest
            report = orjson.dumps([fraction, None if note is None else clean(note)])
            self._newest, self._sent_at = None, time.monotonic()
            self._connection.sendall(wire.frame(wire.PROGRESS, report))


def _completed(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """A plain function may return a coroutine (because of a decorator that does not support async functions, for
    example)."""
    import asyncio

    return asyncio.run(coroutine)


def _has_children() -> bool:
    """Whether the call left a process behind, alive or dead. This process adopts all its orphans."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
