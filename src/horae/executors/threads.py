"""Threads for functions that block. `concurrent.futures` will not do: it joins its threads when the interpreter ends,
so a function that never returns would keep a worker from ever stopping. These are daemons."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import groupby
from operator import itemgetter
from queue import SimpleQueue
from typing import Any

from horae.domain.runs.attempt import Attempt
from horae.executors.failure import clean

_PENDING = 256 * 1024  # characters in transit from a thread to the loop before the thread has to wait
_PATIENCE = 5.0  # seconds it waits at most: the loop may be gone

Answer = tuple[Any, BaseException | None]


class Threads:
    """At most `limit` threads, started as needed. Used from one event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._count = 0
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._closed: asyncio.Future[None] | None = None

    async def run(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Answer:
        """Calls a function in a thread; returns its value and None, or None and what it raised. Nothing can stop it
        there: on cancellation, this waits until it has returned, and raises Interrupted. It does not wait for a
        function that no thread has started, nor for any after `close`."""
        loop = asyncio.get_running_loop()
        if self._closed is None:
            self._closed = loop.create_future()
        call = _Call(loop, partial(function, **arguments))
        self._calls.put(call)
        if not self._idle.acquire(blocking=False) and self._count < self._limit:
            self._count += 1
            threading.Thread(target=self._serve, name=f"horae-task-{self._count}", daemon=True).start()
        try:
            return await asyncio.shield(call.done)
        except asyncio.CancelledError:
            if call.take():
                raise
            while not call.done.done() and not self._closed.done():
                with suppress(asyncio.CancelledError):
                    waiters: list[asyncio.Future[Any]] = [call.done, self._closed]
                    await asyncio.wait(waiters, return_when=asyncio.FIRST_COMPLETED)
            if not call.done.done():
                raise
            raise Interrupted(call.done.result()) from None

    def close(self) -> None:
        """Idle threads end; busy ones when their function returns, or with the process."""
        for _ in range(self._count):
            self._calls.put(None)
        if self._closed is not None and not self._closed.done():
            self._closed.set_result(None)

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            call.perform()
            del call  # keep no reference to it while waiting for the next
            self._idle.release()


class Interrupted(Exception):
    """The worker asked to stop, but the function ran to completion."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.value, self.error = answer


class _Call:
    """One call, and its owner: the thread that performs it, or the canceller who takes it back."""

    def __init__(self, loop: asyncio.AbstractEventLoop, function: Callable[[], Any]) -> None:
        self._loop = loop
        self._function = function
        self._context = contextvars.copy_context()
        self._taken = threading.Lock()
        # Not set_exception: a future cannot hold StopIteration, and it might never be read.
        self.done: asyncio.Future[Answer] = loop.create_future()

    def take(self) -> bool:
        return self._taken.acquire(blocking=False)

    def perform(self) -> None:
        if not self.take():
            return
        try:
            answer: Answer = (self._context.run(self._function), None)
        except BaseException as error:
            answer = (None, error)
        with suppress(RuntimeError):  # the loop is closed: nothing waits for it any more
            self._loop.call_soon_threadsafe(self.done.set_result, answer)


class ThreadSink:
    """Passes output and progress from a thread to the loop (the LogSink of domain/runs/attempt.py), in order, making
    the thread wait when it is far ahead."""

    def __init__(self, loop: asyncio.AbstractEventLoop, attempt: Attempt) -> None:
        self._loop = loop
        self._attempt = attempt
        self._lock = threading.Lock()
        self._texts: list[tuple[str, str]] = []
        self._newest: tuple[float, str | None] | None = None
        self._called = False  # whether the loop has been notified
        self._size = 0
        self._room = threading.Event()
        self._room.set()

    @property
    def log(self) -> ThreadSink:
        return self

    def write(self, stream: str, text: str) -> None:
        self._room.wait(_PATIENCE)
        with self._lock:
            self._texts.append((stream, clean(text)))
            self._size += len(text)
            if self._size > _PENDING:
                self._room.clear()
        self._call()

    def progress(self, fraction: float, note: str | None) -> None:
        with self._lock:
            self._newest = (fraction, None if note is None else clean(note))
        self._call()

    def _call(self) -> None:
        with self._lock:
            first, self._called = not self._called, True
        if first:
            with suppress(RuntimeError):  # the loop is closed: nothing waits for it any more
                self._loop.call_soon_threadsafe(self._flush)

    def _flush(self) -> None:
        with self._lock:
            texts, self._texts, self._size = self._texts, [], 0
            newest, self._newest = self._newest, None
            self._called = False
            self._room.set()
        log = self._attempt.log
        for stream, parts in groupby(texts, key=itemgetter(0)):
            log.write(stream, "".join(text for _, text in parts))
        if newest is not None:
            log.progress(*newest)
