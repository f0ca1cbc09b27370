"""Confines what a library does in a thread: Python's audit events announce every connection, file and process before it
happens, and raising there prevents it. The hook stays for the life of the process, and ignores threads that are not
guarded."""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from horae.notifiers.addresses import AddressRefused

_PROCESSES = frozenset(
    {"subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "pty.spawn"}
)
_own = threading.local()
_installed = threading.Lock()


class Guard:
    """`check` gets the address of every connection, and the requested host; it raises AddressRefused."""

    def __init__(self, check: Callable[[str, str], None]) -> None:
        self.check = check
        paths = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
        self.readable = tuple({f"{os.path.realpath(path)}{os.sep}" for path in paths})


@contextmanager
def guarded(guard: Guard) -> Iterator[list[str]]:
    """Inside the context, this thread reads only modules of Python, writes no file, starts no process, and connects
    only where the guard allows. Refusals are listed."""
    _install()
    refused: list[str] = []
    _own.guard, _own.refused = guard, refused
    try:
        yield refused
    finally:
        _own.guard = None


def _install() -> None:
    if _installed.acquire(blocking=False):
        sys.addaudithook(_hook)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    guard: Guard | None = getattr(_own, "guard", None)
    if guard is None:
        return
    if event in ("socket.connect", "socket.sendto"):
        _check_address(guard, args[-1])
    elif event == "open":
        _check_file(guard, args[0], args[2])
    elif event in _PROCESSES:
        raise _refusal("refused: it would start a program")


def _check_address(guard: Guard, address: Any) -> None:
    if not isinstance(address, tuple):  # a Unix socket
        raise _refusal("refused: it would connect to a local socket")
    try:
        guard.check(str(address[0]), str(address[0]))
    except AddressRefused as error:
        raise _refusal(str(error)) from None


def _check_file(guard: Guard, path: Any, flags: Any) -> None:
    if not isinstance(path, str | bytes):  # a descriptor that is open already
        return
    text = path.decode(errors="replace") if isinstance(path, bytes) else path
    try:
        real = os.path.realpath(text)  # links and `..` lead out of where a path begins
    except (OSError, ValueError):
        real = ""
    writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if writes or not real.startswith(guard.readable):
        # Libraries look for files that rarely exist, such as ~/.netrc: that is not an error.
        raise PermissionError(13, "not for notifications", text)


def _refusal(text: str) -> PermissionError:
    _own.refused.append(text)
    return PermissionError(13, text)
