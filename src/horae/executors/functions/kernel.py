"""Process trees, from the kernel: which process descends from which, and how to end them all."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from horae.executors.supervisor.kernel import ProcessEntry, below, kill, now, send

__all__ = [
    "end_descendants",
    "kill_family",
    "kill_marked",
    "now",
    "orphans",
    "terminate_family",
]

_ROUNDS = 20  # rounds of searching for what was forked meanwhile
_PROC = Path("/proc")


def terminate_family(pid: int) -> None:
    """Sends TERM to a child of this process and all its descendants."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    for entry in _living(pid):
        send(entry, signal.SIGTERM)


def kill_family(pid: int) -> None:
    """Kills a child of this process and all its descendants. A process that escapes by forking loses its parent and is
    reparented to this process, where `orphans` finds it."""
    family = _living(pid)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    kill(family)


def orphans(known: set[int]) -> list[ProcessEntry]:
    """The children of this process that it did not start itself, with all their descendants."""
    entries = below([os.getpid()])[os.getpid()]
    ours = set(known)
    found = []
    for entry in entries:  # parents come first
        if entry.pid in ours or (entry.parent in ours and entry.parent != os.getpid()):
            ours.add(entry.pid)
        else:
            found.append(entry)
    return found


def end_descendants(entries: list[ProcessEntry]) -> None:
    kill([entry for entry in entries if entry.alive])


def kill_marked(marker: str) -> None:
    """Kills every process that started with this line in its environment, until no new one is found."""
    line, seen = marker.encode(), set[int]()
    for _ in range(_ROUNDS):
        new = [pid for pid in _pids() if pid not in seen and pid != os.getpid() and _marked(pid, line)]
        if not new:
            return
        for pid in new:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        seen.update(new)


def _living(pid: int) -> list[ProcessEntry]:
    return [entry for entry in below([pid])[pid] if entry.alive]


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
