"""Closes this process's memory and environment to other processes of the same user.

Scripts may run as the worker's own user. Linux lets such neighbours read `/proc/<pid>/environ` and `/proc/<pid>/mem`,
where the keys are, unless a process is not *dumpable* (prctl(2)). Copies made by fork stay closed; a program that is
started (exec) is open again and has to close itself. It leaves no core dump either, and only root can attach a
debugger. Standard library only: the supervisor imports it.
"""

from __future__ import annotations

import ctypes
import sys

_GET_DUMPABLE, _SET_DUMPABLE = 3, 4
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else lambda *_: 0


def close() -> None:
    _prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def reopen() -> None:
    """For debuggers and profilers that are not root (HORAE_DEBUGGABLE)."""
    _prctl(_SET_DUMPABLE, 1, 0, 0, 0)


def state() -> str:
    """`open` or `closed`, to be passed on to programs that this process starts."""
    return "closed" if sys.platform == "linux" and _prctl(_GET_DUMPABLE, 0, 0, 0, 0) != 1 else "open"


def become(state: str) -> None:
    """As the process that started this one is."""
    if state == "closed":
        close()
