"""A script's main process: its start, its output, its end.

It is started by `subprocess` (which uses vfork: no copy of the worker's page tables) from the event loop's own thread,
because the death signal below is tied to the thread that started it. Its end is told by a pidfd. Output is read by
callbacks, a chunk per turn of the loop, and handed on at once: however much there is, little is in memory.
"""

from __future__ import annotations

import asyncio
import codecs
import ctypes
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from horae.domain.attempt import LogSink
from horae.executors import tree

CHUNK = 64 * 1024
DRAIN = 1.0  # seconds that output may go on after the main process has ended
_DRAIN_CHUNKS = 64  # read without waiting when it ends; a pipe holds 1 chunk unless something goes on writing
_DEATH = 5.0  # seconds for the kernel to end what was killed
_POLL = (0.02, 0.2)  # how often to look whether the rest of a tree has ended: at first, and at last
_NUL = "\N{REPLACEMENT CHARACTER}"  # instead of NUL, which PostgreSQL text cannot hold
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Start:
    """What to start. `marker` is a line of `environment` that is in no other attempt's."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    cwd: str
    marker: str


@dataclass(frozen=True, slots=True)
class Leash:
    """Makes a process die with the thread that started it, so that scripts end with a killed worker.

    `setpriv` (util-linux) does it on its way to the script, in 0.2 ms. Without it `before` must run between fork and
    exec, which copies the worker's page tables: measured 3 ms at 60 MB and 6–8 ms at 140 MB, all of it in the loop.
    """

    prefix: tuple[str, ...] = ()
    before: Callable[[], None] | None = None

    @classmethod
    def find(cls, path: str) -> Leash:
        setpriv = shutil.which("setpriv", path=path)
        prefix = (setpriv or "", "--pdeathsig", "KILL", "--")
        # BusyBox has a setpriv, too, without this option.
        if (
            setpriv
            and subprocess.run([*prefix, setpriv, "--version"], capture_output=True, check=False).returncode == 0
        ):
            return cls(prefix)
        return cls.by_fork()

    @classmethod
    def by_fork(cls) -> Leash:
        try:
            prctl = ctypes.PyDLL(None).prctl
        except (AttributeError, OSError):
            return cls()  # not Linux: nothing of the kind
        parent = os.getpid()

        def die_with_parent() -> None:
            prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)  # it died before the line above

        return cls(before=die_with_parent)


class Process:
    """A running script. After `wait` or `end` call `close`, whatever happened."""

    def __init__(self, command: Start, leash: Leash, log: LogSink, stdin: int) -> None:
        self._marker = command.marker.encode()
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._silent: asyncio.Future[None] = self._loop.create_future()
        self._popen, outputs = _start(command, leash, stdin)
        self._readers = [
            _Reader(self._loop, fd, stream, log, self._quiet)
            for stream, fd in zip(("stdout", "stderr"), outputs, strict=True)
        ]
        self._forget = _watch(self._loop, self._popen.pid, self._on_end)

    async def wait(self) -> None:
        """Until the main process has ended."""
        await asyncio.shield(self._ended)

    def ended(self) -> bool:
        """Whether the main process has ended, even if nobody was told yet."""
        look = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return self._ended.done() or os.waitid(os.P_PID, self._popen.pid, look) is not None

    async def drain(self) -> None:
        """Reads what is left in the pipes. Something that the script left running may hold them open: it gets a
        moment to finish (`tee` behind a process substitution needs one), then its output is of no interest."""
        for reader in self._readers:
            reader.drain()
        if self._silent.done():
            return
        with suppress(asyncio.CancelledError):  # the script has ended already: how it ended stands
            await asyncio.wait([self._silent], timeout=DRAIN)
        if not self._silent.done():
            self._log.write("system", "ended what the script had left running\n")
            tree.send(self._popen.pid, self._marker, signal.SIGKILL)

    async def end(self, reason: str, grace: float) -> None:
        """TERM to everything the script started, KILL after `grace` seconds; at once if that is 0, or if this is
        cancelled meanwhile. Returns when the main process is dead."""
        if grace > 0:
            self._log.write("system", f"{reason}: sent TERM\n")
            tree.send(self._popen.pid, self._marker, signal.SIGTERM)
            with suppress(asyncio.CancelledError):
                if await self._gone(grace):
                    return
        self._log.write("system", f"{reason}: sent KILL\n")
        tree.send(self._popen.pid, self._marker, signal.SIGKILL)
        deadline = self._loop.time() + _DEATH
        while not self._ended.done() and (left := deadline - self._loop.time()) > 0:
            with suppress(asyncio.CancelledError):
                await asyncio.wait([self._ended], timeout=left)

    def close(self) -> int | None:
        """Lets go of everything and returns the exit status (negative: the signal), None if it would not die."""
        for reader in self._readers:
            reader.drain()  # the last words of what was stopped
            reader.close()
        self._forget()
        # Until it is waited for, the main process keeps its group's number from passing to strangers.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        return self._popen.wait() if self._ended.done() else self._popen.poll()

    async def _gone(self, within: float) -> bool:
        """Whether all of the tree ends in time: a shell dies at once, the program it ran may still be tidying up."""
        deadline = self._loop.time() + within
        await asyncio.wait([self._ended], timeout=within)
        pause, longest = _POLL
        while (left := deadline - self._loop.time()) > 0:
            if not tree.alive(self._popen.pid, self._marker):
                return True
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 1.5, longest)
        return False

    def _on_end(self) -> None:
        self._forget()  # a pidfd of a zombie stays readable
        if not self._ended.done():
            self._ended.set_result(None)

    def _quiet(self) -> None:
        if all(reader.closed for reader in self._readers) and not self._silent.done():
            self._silent.set_result(None)


class _Reader:
    """Hands on what comes through a pipe, as text."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, fd: int, stream: str, log: LogSink, on_close: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._fd = fd
        self._stream = stream
        self._log = log
        self._on_close = on_close
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.closed = False
        loop.add_reader(fd, self._read)

    def drain(self) -> None:
        """Reads what is there without waiting."""
        for _ in range(_DRAIN_CHUNKS):
            if self.closed or not self._read():
                return

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self._hand_on(b"", final=True)
        self._loop.remove_reader(self._fd)
        os.close(self._fd)
        self._on_close()

    def _read(self) -> bool:
        """One chunk; whether there was one."""
        try:
            data = os.read(self._fd, CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.close()
            return False
        self._hand_on(data)
        return True

    def _hand_on(self, data: bytes, *, final: bool = False) -> None:
        if text := self._decoder.decode(data, final):
            self._log.write(self._stream, text.replace("\x00", _NUL))


def _start(command: Start, leash: Leash, stdin: int) -> tuple[subprocess.Popen[bytes], tuple[int, int]]:
    out_read, out_write = os.pipe()
    try:
        err_read, err_write = os.pipe()
    except OSError:
        os.close(out_read)
        os.close(out_write)
        raise
    try:
        popen = subprocess.Popen(
            [*leash.prefix, *command.argv],
            stdin=stdin,
            stdout=out_write,
            stderr=err_write,
            env=command.environment,
            cwd=command.cwd,
            start_new_session=True,
            preexec_fn=leash.before,  # noqa: PLW1509 - only where setpriv is missing
        )
    except BaseException:
        os.close(out_read)
        os.close(err_read)
        raise
    finally:
        os.close(out_write)
        os.close(err_write)
    os.set_blocking(out_read, False)
    os.set_blocking(err_read, False)
    return popen, (out_read, err_read)


def _watch(loop: asyncio.AbstractEventLoop, pid: int, on_end: Callable[[], None]) -> Callable[[], None]:
    """Calls `on_end` when a child has ended, and leaves it to be waited for. Returns what undoes this."""
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, or too many open files
        return _watch_by_thread(loop, pid, on_end)
    watching = True

    def forget() -> None:
        nonlocal watching
        if watching:
            watching = False
            loop.remove_reader(handle)
            os.close(handle)

    loop.add_reader(handle, on_end)
    return forget


def _watch_by_thread(loop: asyncio.AbstractEventLoop, pid: int, on_end: Callable[[], None]) -> Callable[[], None]:
    def wait() -> None:
        with suppress(ChildProcessError, RuntimeError):  # waited for already; the loop is closed
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            loop.call_soon_threadsafe(on_end)

    threading.Thread(target=wait, name=f"horae-wait-{pid}", daemon=True).start()
    return lambda: None
