"""The supervisor's process: forks a keeper for each command, watches limits, ends what a keeper left behind."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from horae import memory, prctl
from horae.executors.supervisor import kernel
from horae.executors.supervisor.keeper import Keeper, wake_by_children
from horae.executors.supervisor.watch import ProcessWatch

_DESCRIPTORS = 5  # channel, request, standard input, output and error
_LONG = 60.0
_HURRY = 0.02
_TREES, _MANY = 4, 512


class _Kept(NamedTuple):
    request: dict[str, Any]
    line: socket.socket  # to its keeper


class Supervisor:
    """`control` is where the worker requests commands."""

    def __init__(self, control: socket.socket, worker: int) -> None:
        self._control = control
        self._worker = worker
        self._kept: dict[int, _Kept] = {}  # by the keeper's pid
        self._watch = ProcessWatch()
        self._orphans = False  # whether there may be some
        self._woken = wake_by_children()
        # The kernel counts a user's tasks, not a tree's, and never root's: a last resort, wide enough for several
        # trees.
        self._tasks: dict[int, int] = {}  # by user: the initial number

    def run(self) -> None:
        """Runs until the worker is gone, and everything that it had started."""
        prctl.adopt_orphans()
        prctl.be_called("horae-supervise")
        kernel.be_urgent()
        self._serve()
        self._end()

    def _serve(self) -> None:
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        poller.register(self._woken, select.POLLIN)
        with suppress(OSError):  # its children may have copies of the socket: there is not always an EOF when it ends
            poller.register(os.pidfd_open(self._worker), select.POLLIN)
        while os.getppid() == self._worker:
            poller.poll(self._patience() * 1000)
            self._reap()
            if not self._accept():
                return
            self._look()

    def _end(self) -> None:
        """The worker is gone. The keepers see that, too, unless another process holds copies of its sockets."""
        for pid in self._kept:
            self._tell(pid, "worker")
        poller = select.poll()
        poller.register(self._woken, select.POLLIN)
        while self._kept or self._orphans:
            poller.poll((_HURRY if self._orphans else _LONG) * 1000)
            self._reap()

    def _patience(self) -> float:
        if self._orphans:
            return _HURRY
        return max(self._watch.next_at - kernel.now(), 0) if self._kept else _LONG

    def _accept(self) -> bool:
        """Starts what the worker requests; False when it is gone."""
        with suppress(BlockingIOError):
            while True:
                try:
                    message, descriptors, _, _ = socket.recv_fds(self._control, 16, _DESCRIPTORS)
                except ConnectionError:
                    return False
                if not message:
                    return False
                for descriptor in descriptors:
                    os.set_inheritable(descriptor, False)  # recv_fds drops its flags
                if len(descriptors) == _DESCRIPTORS:
                    self._start(descriptors)
                else:  # this process cannot hold more descriptors; the worker sees its channel closed
                    for descriptor in descriptors:
                        os.close(descriptor)
        return True

    def _start(self, descriptors: list[int]) -> None:
        channel = socket.socket(fileno=descriptors[0])
        channel.setblocking(False)
        try:
            request = json.loads(os.pread(descriptors[1], os.fstat(descriptors[1]).st_size, 0))
            self._limit_tasks(request)
            mine, line = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            mine.setblocking(False)
            line.setblocking(False)
            pid = os.fork()
            if pid == 0:
                self._become_keeper(request, channel, line, descriptors[2:])
            line.close()
            self._kept[pid] = _Kept(request, mine)
            self._watch.add(request)
        except OSError as error:  # out of processes or descriptors
            with suppress(OSError):
                channel.send(json.dumps({"why": None, "gone": True, "failed": error.errno}).encode())
        finally:
            channel.close()
            for descriptor in descriptors[1:]:
                os.close(descriptor)

    def _limit_tasks(self, request: dict[str, Any]) -> None:
        user = request["user"][0] if request.get("user") else os.getuid()
        if user == 0 or "processes" not in request["limits"]:
            return
        if user not in self._tasks:
            self._tasks[user] = kernel.tasks_of(user)
        request["limits"]["tasks"] = self._tasks[user] + _TREES * max(request["limits"]["processes"], _MANY)

    def _become_keeper(
        self, request: dict[str, Any], channel: socket.socket, line: socket.socket, stdio: list[int]
    ) -> None:
        try:
            signal.set_wakeup_fd(-1)
            # Copies of other commands' sockets would hide the end of this process from them.
            _close_all_but({channel.fileno(), line.fileno(), *stdio})
            Keeper(request, channel, line).run(stdio)
            os._exit(0)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(1)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            self._woken.recv(4096)
        for pid, status in _ended_children():
            kept = self._kept.pop(pid, None)
            if kept is not None:
                kept.line.close()
            if kept is None or status:
                self._orphans = True
        if self._orphans:
            self._orphans = self._end_orphans()

    def _end_orphans(self) -> bool:
        """Ends what a killed keeper left; returns whether there was anything."""
        me = os.getpid()
        everything = kernel.below([me])[me]
        mine = {entry.pid for entry in everything if entry.parent == me and entry.pid not in self._kept}
        for entry in everything:  # parents come first
            if entry.parent in mine:
                mine.add(entry.pid)
        kernel.kill(entry for entry in everything if entry.pid in mine and entry.alive)
        return bool(mine)

    def _look(self) -> None:
        if not self._kept or kernel.now() < self._watch.next_at:
            return
        for pid, limit in self._watch.look({pid: kept.request for pid, kept in self._kept.items()}):
            self._tell(pid, limit)

    def _tell(self, pid: int, word: str) -> None:
        with suppress(OSError):
            self._kept[pid].line.send(word.encode())


def _ended_children() -> Iterator[tuple[int, int]]:
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            yield pid, status


def _close_all_but(kept: set[int]) -> None:
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def main(control: int, state: str, worker: int) -> None:
    memory.become(state)  # requests hold the secrets of jobs; keepers are copies of this process
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the worker decides: it may be draining
    gc.disable()
    gc.freeze()
    sock = socket.socket(fileno=control)
    sock.setblocking(False)
    Supervisor(sock, worker).run()
