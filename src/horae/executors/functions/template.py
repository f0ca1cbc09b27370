"""The zygote: the process that children of the pool are forked from. It has imported the task modules and does nothing
else: no threads, no connections, so that a fork of it is a clean start for a call.

It is the parent of all children and adopts their orphans (a subreaper), so it knows for certain when a call's last
process has ended: then, and only then, it reports the end. It keeps running while the worker is stopped, and ends every
tree whose lease expires in the meantime; when the worker is gone, all of them.
"""

from __future__ import annotations

import gc
import logging
import math
import os
import selectors
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import orjson

from horae import prctl
from horae.domain.jobs.parameters import validator_of
from horae.domain.jobs.task import Registry
from horae.executors.functions import kernel
from horae.executors.functions.child import FunctionChild, Prepared

_LARGEST = 1 << 20  # bytes of a message: a thousand leases
_FDS = 3  # that come with a request for a child
_AGAIN = 0.01  # seconds until the next check of processes that have not died yet
_LAST_WORDS = 5.0  # seconds for everything to die when the worker is gone


@dataclass(slots=True)
class _Member:
    """A forked child, and its deadline."""

    pid: int
    kill_at: float = math.inf  # it was asked to end
    lease_until: float = math.inf
    lease_lost: bool = False  # that is why it was killed
    status: int | None = None  # set once it has ended

    @property
    def deadline(self) -> float:
        return math.inf if self.status is not None else min(self.kill_at, self.lease_until)


class ForkServer:
    def __init__(self, control: socket.socket, functions: Mapping[str, Prepared]) -> None:
        self._pid = os.getpid()
        self._control = control
        self._functions = functions
        self._members: dict[int, _Member] = {}
        self._selector = selectors.DefaultSelector()
        self._ringing, bell = os.pipe()
        for fd in (self._ringing, bell):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._bell = bell

    def run(self) -> None:
        """Runs until the worker is gone."""
        self._selector.register(self._control, selectors.EVENT_READ)
        self._selector.register(self._ringing, selectors.EVENT_READ)
        while self._listen(self._pause()):
            self._step()
        self._end_everything()

    def _listen(self, timeout: float | None) -> bool:
        for key, _ in self._selector.select(timeout):
            if key.fd == self._ringing:
                with suppress(BlockingIOError):
                    os.read(self._ringing, 4096)
            elif not self._obey():
                return False
        return True

    def _obey(self) -> bool:
        """One message of the worker; False when it is gone."""
        try:
            data, fds, _, _ = socket.recv_fds(self._control, _LARGEST, _FDS)
        except OSError:
            return False
        if not data:
            return False
        asked = orjson.loads(data)
        if "fork" in asked:
            self._fork(asked["fork"], fds)
        elif "end" in asked:
            self._end(asked["end"], asked["grace"])
        elif (member := self._members.get(asked["lease"])) is not None:
            member.lease_until = math.inf if asked["until"] is None else asked["until"]
        return True

    def _fork(self, number: int, fds: list[int]) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            _tell(self._control, {"exit": number, "failed": error.strerror})
            pid = -1
        if pid == 0:
            self._become_child(fds)
        for fd in fds:
            os.close(fd)
        if pid > 0:
            self._members[number] = _Member(pid)

    def _become_child(self, fds: list[int]) -> NoReturn:
        try:
            prctl.die_with_parent(self._pid)
            prctl.adopt_orphans()
            prctl.be_called("horae function")
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._selector.close()
            self._control.close()
            for fd in (self._ringing, self._bell):
                os.close(fd)
            connection, *outputs = fds
            for source, target in zip(outputs, (1, 2), strict=True):
                os.dup2(source, target)
                os.close(source)
            FunctionChild(socket.socket(fileno=connection), self._functions).serve()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)

    # Ending

    def _end(self, number: int, grace: float) -> None:
        member = self._members.get(number)
        if member is None or member.status is not None:
            return
        if grace > 0:
            kernel.terminate_family(member.pid)
        member.kill_at = min(kernel.now() + grace, member.kill_at)

    def _step(self) -> None:
        """Kills what must be dead, and reports children that have ended with everything they left behind."""
        now = kernel.now()
        for member in self._members.values():
            if member.deadline <= now:
                member.lease_lost = member.kill_at > now
                kernel.kill_family(member.pid)
        ended = self._reap()
        if ended and not self._end_orphans():
            for number in ended:
                member = self._members.pop(number)
                _tell(self._control, {"exit": number, "status": member.status, "lease": member.lease_lost})

    def _reap(self) -> list[int]:
        """Reaps dead processes; returns the numbers of children that have ended."""
        by_pid = {member.pid: member for member in self._members.values()}
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                if pid in by_pid:
                    by_pid[pid].status = os.waitstatus_to_exitcode(status)
        return [number for number, member in self._members.items() if member.status is not None]

    def _end_orphans(self) -> bool:
        """Kills what dead children left behind; returns whether there is any left. A live child keeps its own."""
        living = {member.pid for member in self._members.values() if member.status is None}
        orphans = kernel.orphans(living)
        kernel.end_descendants(orphans)
        return bool(orphans)

    def _pause(self) -> float | None:
        """How long there is nothing to do unless a request arrives or a child ends."""
        if any(member.status is not None for member in self._members.values()):
            return _AGAIN
        deadline = min((member.deadline for member in self._members.values()), default=math.inf)
        return None if deadline == math.inf else max(deadline - kernel.now(), _AGAIN)

    def _end_everything(self) -> None:
        self._selector.unregister(self._control)
        give_up = kernel.now() + _LAST_WORDS
        for member in self._members.values():
            member.kill_at = 0.0
        while (self._members or self._end_orphans()) and kernel.now() < give_up:
            self._step()
            self._listen(_AGAIN)


def _tell(control: socket.socket, message: dict[str, Any]) -> None:
    with suppress(OSError):  # the worker is gone, or stops: noticed at the next turn
        control.sendall(orjson.dumps(message))


def main(fd: int, parent: int) -> None:
    """Imports what the worker names, reports that, and serves."""
    prctl.die_with_parent(parent)  # an import may hang
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=fd)
    if not (first := control.recv(_LARGEST)):
        return
    asked = orjson.loads(first)
    sys.path[:] = asked["path"]
    try:
        functions = _prepare(asked["loader"], asked["imports"])
    except BaseException as error:
        _tell(control, {"failed": " ".join(str(error).split())[:1_000] or type(error).__name__})
        return
    prctl.adopt_orphans()
    prctl.be_called("horae functions")
    template = ForkServer(control, functions)
    gc.collect()
    gc.freeze()  # loaded objects stay; children share them as long as no one writes to them (copy-on-write)
    _tell(control, {"ready": len(functions)})
    prctl.outlive_parent()  # the closed connection shows that it ended, and there is work to do then
    template.run()


def _prepare(loader: str, imports: list[str]) -> dict[str, Prepared]:
    module, _, name = loader.partition(":")
    registry: Registry = getattr(import_module(module), name)(imports)
    if not logging.getLogger().handlers:  # exit handlers of the tasks run first
        logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    return {
        function.name: Prepared(function, validator_of(function)) for function in registry if function.kind == "process"
    }
