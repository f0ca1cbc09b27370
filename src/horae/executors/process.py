"""A running command as the worker sees it: its output, its keeper's reports (see supervisor/), and how to end it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from horae.domain.runs.attempt import LogSink
from horae.executors import tree
from horae.executors.output import Reader
from horae.executors.supervisor.client import SupervisorClient

DRAIN = 1.0  # seconds that output may continue after the main process has ended
_DEATH = 5.0  # seconds for the kernel to end what was killed


@dataclass(frozen=True, slots=True)
class ProcessStart:
    """What to start. `marker` is a line of `environment` that is in no other attempt's; `limits` are those of
    supervisor/watch.py and launch.py."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    cwd: str
    marker: str
    limits: Mapping[str, float] = field(default_factory=dict)
    sandboxed: bool = False
    lease: float = float("inf")
    user: Sequence[object] | None = None  # the account it runs as (identity.py), if not this process's user

    def request(self) -> dict[str, Any]:
        return {
            "argv": list(self.argv),
            "env": dict(self.environment),
            "cwd": self.cwd,
            "limits": dict(self.limits),
            "sandboxed": self.sandboxed,
            "lease": self.lease,
            "user": self.user,
        }


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a command ended. `status` is an exit code, the negative number of a signal, or None for what would not die;
    `why` it was ended, if it was: `asked`, `lease`, `supervisor`, or the limit that it exceeded."""

    status: int | None
    why: str | None
    cpu: float = 0.0  # seconds, of everything that it started
    memory: int = 0  # bytes, of the largest process


class Process:
    """A running command. Always call `close` when it is over."""

    def __init__(self, supervisor: SupervisorClient, start: ProcessStart, log: LogSink, stdin: int) -> None:
        self._log = log
        self._marker = start.marker
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._silent: asyncio.Future[None] = self._loop.create_future()
        self._stopping: str | None = None
        self._lock = threading.Lock()
        self._killed = 0
        self.failure: int | None = None  # the errno that kept it from starting
        self.end = ProcessEnd(None, None)
        self._channel, outputs = _start(supervisor, start, stdin)
        self._loop.add_reader(self._channel.fileno(), self._on_news)
        self._readers = [
            Reader(fd, stream, log, self._on_silence) for stream, fd in zip(("stdout", "stderr"), outputs, strict=True)
        ]

    async def wait(self) -> None:
        """Waits until the main process has ended, or it is known that it cannot be started."""
        await asyncio.shield(self._ended)

    async def stop(self, reason: str, grace: float) -> bool:
        """Sends TERM to everything that the command started, KILL after `grace` seconds; immediately if that is 0, or
        if this is cancelled. Returns when all of it is dead: False if the command had already ended."""
        self._stopping = reason
        if grace > 0:
            self._log.write("system", f"{reason}: sent TERM\n")
        else:
            self._log.write("system", f"{reason}: sent KILL\n")
        self._say(f"end {grace}")
        try:
            await asyncio.wait([self._gone], timeout=grace + _DEATH)
        except asyncio.CancelledError:
            self._say("asked")  # not so patiently
            await self._patiently(self._gone, _DEATH)
        return not (self._ended.done() and self.end.why is None)

    async def finish(self) -> None:
        """Reads the rest from the pipes. A process that the command left running may hold them open: it gets a moment
        to finish (`tee` behind a process substitution needs one), then it is ended like everything else."""
        for reader in self._readers:
            reader.drain()
        if not self._silent.done():
            with suppress(asyncio.CancelledError):  # the command has ended already: that result counts
                await asyncio.wait([self._silent], timeout=DRAIN)
        if not self._gone.done():
            self._say("left")
            await self._patiently(self._gone, _DEATH)
        if self._killed and self.end.why is None:
            self._log.write("system", "ended what the script had left running\n")

    def close(self) -> None:
        """Releases everything. If something is still alive, its keeper sees the channel closed, and ends it."""
        for reader in self._readers:
            reader.drain()  # the last output of what was stopped
            reader.close()
        self._let_go()

    def lease(self, until: float) -> None:
        """Extends its deadline. From any thread."""
        self._say(f"lease {until}")

    async def _patiently(self, future: asyncio.Future[None], seconds: float) -> None:
        """Waits, even if cancelled meanwhile."""
        deadline = self._loop.time() + seconds
        while not future.done() and (left := deadline - self._loop.time()) > 0:
            with suppress(asyncio.CancelledError):
                await asyncio.wait([future], timeout=left)

    def _say(self, word: str) -> None:
        with self._lock, suppress(OSError):  # its keeper is gone
            self._channel.send(word.encode())

    def _let_go(self) -> None:
        with self._lock:
            if self._channel.fileno() >= 0:
                self._loop.remove_reader(self._channel.fileno())
                self._channel.close()
        for future in (self._ended, self._gone):
            if not future.done():
                future.set_result(None)

    def _on_news(self) -> None:
        with suppress(BlockingIOError):
            while not self._gone.done():
                if message := self._received():
                    self._hear(json.loads(message))
                else:
                    self._on_loss()

    def _received(self) -> bytes:
        """The next message, nothing at the end. If the peer closed with data of ours unread, the kernel reports one
        error before its last messages."""
        for _ in range(2):
            with suppress(ConnectionError):
                return self._channel.recv(4096)
        return b""

    def _hear(self, news: dict[str, Any]) -> None:
        if "signal" in news:
            self._log.write("system", f"{self._stopping}: sent {news['signal']}\n")
            return
        self._killed = news.get("killed", 0)
        if not self._ended.done():  # later messages are about what it left behind
            self.failure = news.get("failed")
            self.end = ProcessEnd(news.get("status"), news["why"], news.get("cpu", 0.0), news.get("memory", 0))
            self._ended.set_result(None)
        if news["gone"]:
            self._let_go()

    def _on_loss(self) -> None:
        """Its keeper was killed. The supervisor ends the keeper's processes, unless it was killed as well."""
        if not self._ended.done():
            self.end = ProcessEnd(None, "supervisor")
        tree.kill_marked(self._marker.encode())
        self._let_go()

    def _on_silence(self) -> None:
        if all(reader.closed for reader in self._readers) and not self._silent.done():
            self._silent.set_result(None)


def _start(supervisor: SupervisorClient, start: ProcessStart, stdin: int) -> tuple[socket.socket, tuple[int, int]]:
    open_ends: list[int] = []
    try:
        out_read, out_write = os.pipe()
        open_ends += [out_read, out_write]
        err_read, err_write = os.pipe()
        open_ends += [err_read, err_write]
        channel = supervisor.start(start.request(), (stdin, out_write, err_write))
        open_ends = [out_write, err_write]
    finally:
        for end in open_ends:
            os.close(end)
    return channel, (out_read, err_read)
