"""The last resort: finds processes of a command whose keeper was killed, by a line of their environment.

A process keeps the environment that it started with, even if it moves to another session and is adopted by another
process. (One that also clears its environment, and whose keeper and supervisor are killed at the same moment, is out of
reach; in a sandbox it is not.)
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_ROUNDS = 20  # rounds of searching for what was forked meanwhile


def kill_marked(marker: bytes) -> None:
    """Kills every process that has this line in its environment."""
    for _ in range(_ROUNDS):
        found = [pid for pid in map(int, filter(str.isdigit, os.listdir(_PROC))) if _carries(pid, marker)]  # noqa: PTH208
        if not found:
            return
        for pid in found:
            _kill(pid, marker)


def _carries(pid: int, marker: bytes) -> bool:
    """Zombies no longer have an environment."""
    try:
        return marker in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _kill(pid: int, marker: bytes) -> None:
    """A pid may be reused between finding and signalling the process; a pidfd opened first cannot."""
    with suppress(OSError):
        handle = os.pidfd_open(pid)
        try:
            if _carries(pid, marker):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)
