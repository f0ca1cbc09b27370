"""Finds and signals the processes that a script started, wherever they went (Linux; elsewhere only its group).

A process group does not hold a child that called `setsid`, and a child whose parent died has lost its place in the
tree. What it keeps is the environment it began with: a line in there that no other attempt has tells whose it is.
A process that sheds that as well is for the supervisor to come (a subreaper) to find.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_DEAD = frozenset((b"Z", b"X"))
_ROUNDS = 20  # of looking for what was forked meanwhile


class _Entry(NamedTuple):
    pid: int
    state: bytes
    parent: int
    group: int
    session: int
    started: int


def alive(leader: int, marker: bytes) -> bool:
    """Whether anything that the script started still lives. `leader` is the pid of its main process, which must not
    have been waited for yet: a zombie keeps its pid and group from passing to strangers."""
    return bool(_find(leader, marker))


def send(leader: int, marker: bytes, number: signal.Signals) -> None:
    """Signals the group, then everything else that is found, until nothing new is found."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)
    sent: set[int] = set()
    for _ in range(_ROUNDS):
        new = [entry for entry in _find(leader, marker) if entry.pid not in sent]
        if not new:
            return
        for entry in new:
            # The group has its TERM; a second one would tell many programs "now".
            if entry.group != leader or number == signal.SIGKILL:
                _send(entry, number)
            sent.add(entry.pid)


def _find(leader: int, marker: bytes) -> list[_Entry]:
    """The living among: the leader's session and group, its descendants, and whoever carries the marker."""
    origin = _read(leader)
    if origin is None:
        return []
    # Whatever is older than the leader cannot come from it; that spares reading most environments.
    younger = [entry for entry in _entries() if entry.started >= origin.started]
    children: dict[int, list[_Entry]] = {}
    for entry in younger:
        children.setdefault(entry.parent, []).append(entry)
    ours = {entry.pid: entry for entry in younger if _belongs(entry, leader, marker)}
    unseen = [leader, *ours]
    while unseen:
        for child in children.get(unseen.pop(), ()):
            if child.pid not in ours:
                ours[child.pid] = child
                unseen.append(child.pid)
    return [entry for entry in ours.values() if entry.state not in _DEAD]


def _belongs(entry: _Entry, leader: int, marker: bytes) -> bool:
    if leader in (entry.pid, entry.group, entry.session):
        return True
    try:
        return marker in (_PROC / str(entry.pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _send(entry: _Entry, number: signal.Signals) -> None:
    """A pid may pass to a stranger between finding and signalling it; a pidfd that is taken first cannot."""
    with suppress(OSError):
        handle = os.pidfd_open(entry.pid)
        try:
            now = _read(entry.pid)
            if now is not None and now.started == entry.started:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)


def _entries() -> Iterator[_Entry]:
    try:
        names = [entry.name for entry in os.scandir(_PROC) if entry.name.isdigit()]
    except OSError:
        return
    for name in names:
        if (entry := _read(int(name))) is not None:
            yield entry


def _read(pid: int) -> _Entry | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # "pid (name) state ppid pgrp session … starttime": the name may hold blanks and parentheses.
    fields = stat[stat.rindex(b")") + 2 :].split()
    return _Entry(pid, fields[0], int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))
