"""Forks a process that has already imported what the child needs.

Importing is most of the cost of starting one of Horae's processes, in time and in memory. The children of `horae up`
share it, because they are forked. That is safe as long as the parent has one thread and has done nothing but import: no
connection, no uvloop event loop, no random state that a copy would repeat.
"""

from __future__ import annotations

import atexit
import ctypes
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from horae import prctl
from horae.domain.errors import ConfigurationError, HoraeError

Work = Callable[[], int]
"""What a child does; returns its exit code."""


def fork(name: str, work: Work, output: int, *, keep: int = 2) -> int:
    """Starts `work` in a child that writes to `output` and dies with this process; returns its pid. The child inherits
    only the files in `keep`."""
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _settle_in(name, parent, output, keep)
        code = work()
    except SystemExit as request:
        code = request.code if isinstance(request.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        _leave(code)


def apart(name: str, work: Callable[[], str]) -> str:
    """Runs something in a child, and waits for its result. An exception there is raised here."""
    reading, writing = os.pipe()

    def answer() -> int:
        try:
            kind, text = "", work()
        except HoraeError as error:
            kind, text = type(error).__name__, str(error)
        os.write(writing, f"{kind}\n{text}".encode())
        return 0

    pid = fork(name, answer, sys.stderr.fileno(), keep=writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(pid, 0)
    kind, sign, text = said.partition("\n")
    if kind or not sign:
        raise (ConfigurationError if kind == ConfigurationError.__name__ else HoraeError)(text or f"{name} failed")
    return text


def program(command: list[str], environment: dict[str, str]) -> Work:
    """Runs another program instead."""

    def work() -> NoReturn:
        try:
            os.execvpe(command[0], command, environment)
        except OSError as error:
            print(f"{command[0]} cannot be started: {error.strerror}", file=sys.stderr)
            os._exit(2)

    return work


def _settle_in(name: str, parent: int, output: int, keep: int) -> None:
    """Detaches from the parent: dies with it, but holds none of its files and gets none of its signals.

    The terminal's Ctrl-C and hang-up are blocked rather than ignored: only the parent acts on them, even if handlers
    are installed later.
    """
    prctl.die_with_parent(parent)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    atexit._clear()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.closerange(3, keep)
    os.closerange(max(keep + 1, 3), os.sysconf("SC_OPEN_MAX"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)
    _rename(name)


def _rename(name: str) -> None:
    """Sets the title that `ps` shows, up to the length of the parent's command line."""
    if sys.platform != "linux":
        return
    prctl.be_called(f"horae {name}")
    title = f"horae {name}".encode()
    with suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        start, end = int(fields[45]), int(fields[46])
        if 0 < start < end - 2:
            room = end - start
            # A last byte that is not NUL tells the kernel that the title ends at the first one.
            ctypes.memmove(start, title[: room - 2].ljust(room - 1, b"\0") + b"\1", room)


def _leave(code: int) -> NoReturn:
    """Exits the child without unwinding the parent's stack."""
    with suppress(Exception):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
