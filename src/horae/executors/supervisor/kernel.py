"""Kernel interfaces (Linux): process trees, priority, signals."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
_DEAD = b"ZX"


class ProcessEntry(NamedTuple):
    """A process as /proc shows it."""

    pid: int
    alive: bool
    parent: int
    group: int
    cpu: float  # seconds, including children it has waited for
    started: int
    memory: int  # resident bytes, including shared ones


def be_urgent() -> None:
    """Real-time scheduling for this process, not its children: thousands of processes that a command has forked must
    not keep it from ending them. Requires a privilege."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def now() -> float:
    """By the worker's clock for leases, which includes suspend. (Its module cannot be used here: it imports more than
    the standard library.)"""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def below(roots: Iterable[int], strangers: set[int] | None = None) -> dict[int, list[ProcessEntry]]:
    """The descendants of each of these processes, including zombies, parents first. `strangers` is a cache for repeated
    calls: pids known to be unrelated."""
    if _LISTS_CHILDREN:
        return {root: _below(root, _children) for root in roots}
    table = _by_parent(strangers or set())
    found = {root: _below(root, lambda pid: table.get(pid, [])) for root in roots}
    if strangers is not None:
        ours = {entry.pid for entries in found.values() for entry in entries}
        strangers.update(entry.pid for entries in table.values() for entry in entries if entry.pid not in ours)
    return found


def kill(entries: Iterable[ProcessEntry]) -> None:
    """By process group: nothing in a group can fork fast enough to escape. (All groups of a command are its own: it
    started in a new session.)"""
    for group, entry in {entry.group: entry for entry in entries}.items():
        now = _read(entry.pid)
        if now is not None and (now.started, now.group) == (entry.started, group) and group != os.getpgrp():
            with suppress(OSError):
                os.killpg(group, signal.SIGKILL)
        else:
            send(entry, signal.SIGKILL)


def send(entry: ProcessEntry, number: signal.Signals) -> None:
    """A pid may be reused between finding and signalling the process; a pidfd opened first cannot."""
    with suppress(OSError):
        handle = os.pidfd_open(entry.pid)
        try:
            found = _read(entry.pid)
            if found is not None and found.started == entry.started:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)


def tasks_of(user: int) -> int:
    """How many processes and threads a user has."""
    count = 0
    for name in os.listdir("/proc"):
        with suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                count += int(_fields(_content(f"/proc/{name}/stat"))[17])
    return count


def own_memory(pid: int) -> int | None:
    """Bytes that a process uses itself, with its share of shared pages. Slower than ProcessEntry.memory."""
    total = 0
    try:
        for line in _content(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith((b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")):
                total += int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return None
    return total


def _below(root: int, children: Callable[[int], list[ProcessEntry]]) -> list[ProcessEntry]:
    found: list[ProcessEntry] = []
    unseen = [root]
    while unseen:
        more = children(unseen.pop())
        found += more
        unseen += [entry.pid for entry in more]
    return found


def _children(pid: int) -> list[ProcessEntry]:
    found = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            listed = _content(f"/proc/{pid}/task/{thread}/children").split()
            found += [entry for child in listed if (entry := _read(int(child))) is not None]
    return found


def _by_parent(strangers: set[int]) -> dict[int, list[ProcessEntry]]:
    """All children of all processes, for kernels that do not list them."""
    table: dict[int, list[ProcessEntry]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (pid := int(name)) not in strangers and (entry := _read(pid)) is not None:
            table.setdefault(entry.parent, []).append(entry)
    return table


def _read(pid: int) -> ProcessEntry | None:
    try:
        line = _content(f"/proc/{pid}/stat")
    except OSError:
        return None
    fields = _fields(line)
    cpu = sum(map(int, fields[11:15])) / _TICK
    return ProcessEntry(
        pid, fields[0] not in _DEAD, int(fields[1]), int(fields[2]), cpu, int(fields[19]), int(fields[21]) * _PAGE
    )


def _fields(line: bytes) -> list[bytes]:
    """The fields after the name in "pid (name) state ppid pgrp …"; the name may contain blanks and parentheses."""
    return line[line.rindex(b")") + 2 :].split()


def _content(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(descriptor, 65_536):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)
