"""What Linux is asked for beyond the `os` module; elsewhere these do nothing, or find nothing."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_NAME, _PR_SET_CHILD_SUBREAPER = 1, 15, 36
_PROC = Path("/proc")
_ROUNDS = 20  # of looking for what was forked meanwhile

_prctl: Callable[..., int] = ctypes.CDLL(None).prctl if sys.platform == "linux" else lambda *_: 0


def die_with(parent: int) -> None:
    """The kernel kills this process when its parent ends."""
    _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # it ended before the line above


def outlive_parent() -> None:
    _prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0)


def adopt_orphans() -> None:
    """What its descendants leave behind becomes a child of this process, whatever session it is in."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def rename(title: str) -> None:
    _prctl(_PR_SET_NAME, title.encode()[:15], 0, 0, 0)


def children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in (_PROC / str(pid) / "task").iterdir():
            with suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def family(pid: int) -> list[int]:
    """A process and all its descendants, it first."""
    found = [pid]
    for member in found:
        found += children(member)
    return found


def kill_family(pid: int) -> None:
    """Kills a process and its descendants. They are stopped before they are killed: a family that forks as fast as it
    can must not outrun this."""
    seen: set[int] = set()
    for _ in range(_ROUNDS):
        new = [member for member in family(pid) if member not in seen]
        if not new:
            break
        send(new, signal.SIGSTOP)
        seen.update(new)
    send(seen | {pid}, signal.SIGKILL)


def send(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def kill_marked(marker: str) -> None:
    """Kills whatever began with this line in its environment, until nothing new is found."""
    line, seen = marker.encode(), set[int]()
    for _ in range(_ROUNDS):
        new = [pid for pid in _pids() if pid not in seen and pid != os.getpid() and _marked(pid, line)]
        if not new:
            return
        send(new, signal.SIGKILL)
        seen.update(new)


def _pids() -> list[int]:
    try:
        return [int(entry.name) for entry in os.scandir(_PROC) if entry.name.isdigit()]
    except OSError:
        return []


def _marked(pid: int, line: bytes) -> bool:
    try:
        return line in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
