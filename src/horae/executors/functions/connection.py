"""A child as the worker sees it: its connection, its output, and its current call."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import orjson

from horae.domain.runs.attempt import Attempt
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.executors.failure import clean, failed
from horae.executors.functions import wire
from horae.executors.functions.leash import Leash
from horae.executors.pipe import Pipe

_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of a call. `lost` if the process ended without reporting one."""

    outcome: Outcome
    stop_seen: bool = False
    dirty: bool = False
    lost: bool = False


class ChildConnection:
    """Used from one event loop, for one call at a time."""

    def __init__(self, number: int, connection: socket.socket, outputs: tuple[int, int], leash: Leash) -> None:
        self.number = number
        self.leash = leash
        self.idle_since = 0.0
        self.reply: Reply | None = None  # of the current call
        self._loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[None] = self._loop.create_future()
        self._socket = connection
        self._parser = wire.Parser()
        self._attempt: Attempt | None = None
        self._answered: asyncio.Future[Reply] | None = None
        self._loop.add_reader(connection, self._read)
        self._outputs = [_Output(fd, name) for fd, name in zip(outputs, ("stdout", "stderr"), strict=True)]

    @classmethod
    def open(cls, number: int, lease: Callable[[float], None]) -> tuple[ChildConnection, list[int]]:
        """With the files that the child gets, for the caller to send and close."""
        ours, theirs = socket.socketpair()
        try:
            out_read, out_write = os.pipe()
            err_read, err_write = os.pipe()
        except OSError:
            ours.close()
            theirs.close()
            raise
        ours.setblocking(False)
        return cls(number, ours, (out_read, err_read), Leash(lease)), [theirs.detach(), out_write, err_write]

    async def call(self, request: bytes, attempt: Attempt) -> Reply:
        self._attempt = attempt
        self.reply = None
        self._answered = self._loop.create_future()
        for output in self._outputs:
            output.attempt = attempt
        await self._send(wire.frame(wire.CALL, request))
        return await self._answered

    async def over(self, timeout: float) -> None:
        """Waits until the call has a reply after all, or the child has ended."""
        waiting: list[asyncio.Future[Any]] = [self.exited]
        if self.reply is None:
            self._answered = self._loop.create_future()
            waiting.append(self._answered)
        await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)

    def hang_up(self) -> None:
        """An idle child exits when its connection closes."""
        self._loop.remove_reader(self._socket)
        self._socket.close()

    def ended(self, message: dict[str, Any]) -> None:
        """The child and everything it started are gone."""
        self._read()  # the rest of its output
        self._finish(Reply(_ending(message), lost=True))
        for output in self._outputs:
            output.close()
        if self._socket.fileno() >= 0:
            self.hang_up()
        if not self.exited.done():
            self.exited.set_result(None)

    async def _send(self, data: bytes) -> None:
        try:
            sent = self._socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:  # it has died: `ended` reports it
            return
        if sent < len(data):
            with suppress(OSError):
                await self._loop.sock_sendall(self._socket, data[sent:])

    def _read(self) -> None:
        if self._socket.fileno() < 0:
            return
        try:
            data = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._socket)
            return
        self._parser.feed(data)
        try:
            while (frame := self._parser.next()) is not None:
                self._understand(frame)
        except (ValueError, KeyError, IndexError, TypeError):  # the function has written to the connection
            self._loop.remove_reader(self._socket)
            self._finish(Reply(failed("the function has broken the connection of its process"), dirty=True))

    def _understand(self, frame: wire.Frame) -> None:
        kind, body = frame
        if kind == wire.PROGRESS:
            if self._attempt is not None:
                self._attempt.log.progress(*orjson.loads(body))
            return
        flags, body = body[0], body[1:]
        if kind == wire.FAILED:
            outcome = Outcome(AttemptOutcome.FAILED, **orjson.loads(body))
        elif body:
            outcome = Outcome(AttemptOutcome.SUCCEEDED, result=body.decode())
        else:
            outcome = SUCCEEDED
        self._finish(Reply(outcome, stop_seen=bool(flags & wire.STOP_SEEN), dirty=bool(flags & wire.DIRTY)))

    def _finish(self, reply: Reply) -> None:
        if self._attempt is None or self.reply is not None:
            return
        for output in self._outputs:
            output.drain()
        self._attempt = None
        self.reply = reply
        if self._answered is not None and not self._answered.done():
            self._answered.set_result(reply)


class _Output(Pipe):
    """Passes on what a child prints to the log of the current attempt."""

    def __init__(self, fd: int, stream: str) -> None:
        self.attempt: Attempt | None = None
        self._stream = stream
        super().__init__(fd)

    def drain(self) -> None:
        """Later output is discarded."""
        super().drain()
        self.end_text()
        self.attempt = None

    def close(self) -> None:
        if not self.closed:
            super().close()

    def take(self, text: str, *, final: bool) -> None:
        if text and self.attempt is not None:
            self.attempt.log.write(self._stream, clean(text))


def _ending(message: dict[str, Any]) -> Outcome:
    """How a process ended that did not report the outcome of its call."""
    if "failed" in message:
        return failed(message["failed"])
    if message["lease"]:
        return Outcome(AttemptOutcome.LOST, error="the lease was lost")
    status = message["status"]
    if status >= 0:
        return replace(failed(f"the function's process ended with exit code {status}"), exit_code=status or None)
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    why = " (out of memory, or killed from outside)" if status == -signal.SIGKILL else ""
    return failed(f"the function's process was killed by {name}{why}")
