"""Watchdog of resource limits: samples what process trees use, rarely while they are far from a limit, often when they
come near one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from horae.executors.supervisor import kernel

# The fastest that a tree may grow, which gives the shortest time until it can reach its limit.
_BYTES_PER_SECOND = 4 * 2**30
_FORKS_PER_SECOND = 2_000
_OFTEN, _SELDOM = 0.02, 0.5  # seconds between two checks
_SHARE = 20  # checks take at most one second in that many
_OWN = 2  # processes of bubblewrap itself


class ProcessWatch:
    """`next_at` is when to check again, by kernel.now."""

    def __init__(self) -> None:
        self.next_at = 0.0
        self._rested_at = 0.0

    def add(self, request: dict[str, Any]) -> None:
        """Adds a tree; most end before the first check."""
        now = kernel.now()
        _, left = _judge(request, [])
        due = max(now + max(left, _OFTEN), self._rested_at)
        self.next_at = due if self.next_at < now else min(self.next_at, due)

    def look(self, trees: Mapping[int, dict[str, Any]]) -> Iterable[tuple[int, str]]:
        """Which of these trees (keeper → request) have exceeded which limit."""
        began = kernel.now()
        pause = _SELDOM
        passed = []
        for keeper, entries in kernel.below(trees).items():
            request = trees[keeper]
            limit, left = _judge(request, [entry for entry in entries if entry.alive])
            pause = min(pause, left)
            if limit is not None:
                passed.append((keeper, limit))
        ended = kernel.now()
        self._rested_at = ended + (ended - began) * _SHARE
        self.next_at = max(ended + max(pause, _OFTEN), self._rested_at)
        return passed


def _judge(request: dict[str, Any], entries: list[kernel.ProcessEntry]) -> tuple[str | None, float]:
    """The exceeded limit, if any, and for how many seconds none can be exceeded."""
    limits = request["limits"]
    count = len(entries) - (_OWN if request["sandboxed"] else 0)
    left = _SELDOM
    if most := limits.get("processes"):
        if count > most:
            return "processes", 0
        left = min(left, (most - count) / _FORKS_PER_SECOND)
    if most := limits.get("cpu"):
        used = sum(entry.cpu for entry in entries)
        if used > most:
            return "cpu", 0
        left = min(left, (most - used) / (os.cpu_count() or 1))
    if most := limits.get("memory"):
        used = sum(entry.memory for entry in entries)
        if used > most:
            used = _own_memory(entries)
        if used > most:
            return "memory", 0
        left = min(left, (most - used) / _BYTES_PER_SECOND)
    return None, left


def _own_memory(entries: list[kernel.ProcessEntry]) -> int:
    total = 0
    for entry in entries:
        own = kernel.own_memory(entry.pid)
        total += entry.memory if own is None else own
    return total
