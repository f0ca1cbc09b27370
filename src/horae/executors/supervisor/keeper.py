"""The keeper: subreaper of one command. It reaps the command and all its orphans, and ends them all on request."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from horae import prctl
from horae.executors.supervisor import kernel
from horae.executors.supervisor.launch import launch

_LOOK = 1.0  # seconds between two checks of the lease: no timer advances while the machine sleeps
_HURRY = 0.02  # likewise while something is being ended, at first
_SLOWER = 0.2  # and at last
_CROWD = 8  # processes; that many may be forking faster than they can be found
_ROUNDS = 50


class Keeper:
    """`channel` leads to the worker, `parent` to the supervisor."""

    def __init__(self, request: dict[str, Any], channel: socket.socket, parent: socket.socket) -> None:
        self._request = request
        self._channel, self._parent = channel, parent
        self._lease: float = request["lease"]
        self._main = 0
        self._status: int | None = None
        self._reported = False
        self._gone = False
        self._why: str | None = None
        self._term_until: float | None = None
        self._terminated: set[int] = set()  # processes that have received TERM
        self._killing = False
        self._killed: set[int] = set()
        self._pause = _HURRY
        self._woken = wake_by_children()

    def run(self, stdio: Sequence[int]) -> None:
        """Runs until nothing is left of the command."""
        prctl.adopt_orphans()
        prctl.be_called("horae-keeper")
        kernel.be_urgent()
        self._hear()
        if self._lease <= kernel.now():
            self._kill("lease")
        if self._why is not None:  # cancelled before it began
            self._tell(gone=True)
            return
        try:
            self._main = launch(self._request, stdio)
        except OSError as error:
            self._tell(gone=True, failed=error.errno)
            return
        finally:
            for descriptor in stdio:
                os.close(descriptor)
        self._keep()
        self._report()

    def _keep(self) -> None:
        poller = select.poll()
        for source in (self._channel, self._parent, self._woken):
            poller.register(source, select.POLLIN)
        while True:
            poller.poll(self._patience() * 1000)
            with suppress(BlockingIOError):
                self._woken.recv(4096)
            self._reap()
            if self._gone:
                return
            self._hear()
            self._mind()

    def _patience(self) -> float:
        """Seconds to wait for events at most."""
        next_step, longest = self._lease, _LOOK
        if self._killing or self._term_until is not None:
            self._pause = longest = min(self._pause * 1.5, _SLOWER)
        if self._term_until is not None and not self._killing:
            next_step = self._term_until
        return max(min(next_step - kernel.now(), longest), 0) if not self._killing else longest

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._gone = True
                return
            if pid == self._main:
                self._status = os.waitstatus_to_exitcode(status)
            elif pid == 0:
                break
        # It has ended, but not everything that it started. (What is inside of a sandbox ends in a moment.)
        if self._status is not None and not self._reported and not self._request["sandboxed"]:
            self._report()

    def _hear(self) -> None:
        for source, lost in ((self._channel, "worker"), (self._parent, "supervisor")):
            with suppress(BlockingIOError):
                while True:
                    try:
                        message = source.recv(256)
                    except ConnectionError:
                        message = b""
                    if not message:
                        self._kill(lost)
                        break
                    self._obey(message.decode())

    def _obey(self, message: str) -> None:
        word, _, value = message.partition(" ")
        if word == "lease":
            self._lease = float(value)
        elif word == "end":
            self._end(float(value))
        else:
            self._kill(word)

    def _end(self, grace: float) -> None:
        if self._main and self._status is not None:
            self._kill("left")  # it had already ended
        elif grace <= 0 or not self._main:
            self._kill("asked")
        elif self._term_until is None and not self._killing:
            self._why = "asked"
            self._term_until = kernel.now() + grace
            if not self._request["sandboxed"]:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._main, signal.SIGTERM)
            self._term()

    def _kill(self, why: str) -> None:
        self._why = self._why or why
        if not self._killing:
            self._killing, self._pause = True, _HURRY
            if self._term_until is not None:
                self._tell(signal="KILL")

    def _mind(self) -> None:
        now = kernel.now()
        if self._lease <= now:
            self._kill("lease")
        if self._killing:
            self._kill_all()
        elif self._term_until is not None:
            if self._term_until <= now:
                self._kill("asked")
                self._kill_all()
            else:
                self._term()

    def _term(self) -> None:
        """Sends TERM, once, to each process that did not get it with its group. In a sandbox only the processes inside
        get it: its first two are bubblewrap's own, and take everything with them when they end."""
        sandboxed = self._request["sandboxed"]
        for entry in self._living():
            inside = self._main not in (entry.pid, entry.parent) if sandboxed else entry.group != self._main
            if inside and entry.pid not in self._terminated:
                kernel.send(entry, signal.SIGTERM)
                self._terminated.add(entry.pid)

    def _kill_all(self) -> None:
        """Processes that keep forking are searched for repeatedly without a pause, and without reading about unrelated
        ones again, to be faster than they are."""
        strangers: set[int] = set()
        for _ in range(_ROUNDS):
            found = self._living(strangers)
            kernel.kill(found)
            self._killed.update(entry.pid for entry in found)
            self._reap()
            if self._gone or len(found) < _CROWD:
                return

    def _living(self, strangers: set[int] | None = None) -> list[kernel.ProcessEntry]:
        me = os.getpid()
        return [entry for entry in kernel.below([me], strangers)[me] if entry.alive]

    def _report(self) -> None:
        self._reported = True
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._tell(
            gone=self._gone,
            status=self._status,
            killed=len(self._killed),
            cpu=used.ru_utime + used.ru_stime,
            memory=used.ru_maxrss * 1024,
        )

    def _tell(self, **news: object) -> None:
        with suppress(OSError):  # the worker is gone
            self._channel.send(json.dumps({"why": self._why, **news}).encode())


def wake_by_children() -> socket.socket:
    """Readable when a child has ended."""
    woken, wake = socket.socketpair()
    woken.setblocking(False)
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.detach(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return woken
