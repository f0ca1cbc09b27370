"""Protects this process's memory and environment from other processes of the same user.

Scripts may run as the worker's own user. Linux lets processes of the same user read `/proc/<pid>/environ` and
`/proc/<pid>/mem`, where the keys are, unless a process is not *dumpable* (prctl(2)). A fork inherits this; a program
started with exec is readable again and must call this itself. It leaves no core dump either, and only root can attach a
debugger. Standard library only: the supervisor imports it.
"""

from __future__ import annotations

from horae import prctl


def close() -> None:
    prctl.set_dumpable(False)


def reopen() -> None:
    """For debuggers and profilers that are not root (HORAE_DEBUGGABLE)."""
    prctl.set_dumpable(True)


def state() -> str:
    """`open` or `closed`, to pass on to programs that this process starts."""
    return "open" if prctl.is_dumpable() else "closed"


def become(state: str) -> None:
    """Like the process that started this one."""
    if state == "closed":
        close()
