"""The identity of this process, and whether another one is certainly gone.

The runs of a worker whose process is known to be dead are recovered immediately instead of after the lease. A wrong
"dead" would run a job twice, so the answer is "not certain" whenever anything is unclear. Two processes can judge each
other only if they see the same process table: the same boot of the same machine, and the same process namespace.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import socket
from pathlib import Path

from horae.domain.cluster.process import Host

PROC = Path("/proc")
DEAD = frozenset("ZXx")
_HELPERS = b"from horae.executors."  # prefixes of their programs


def this_host() -> Host:
    """This process. The key is unique to it if the system does not provide enough information."""
    pid = os.getpid()
    try:
        key, (_, started) = _table(), _stat(pid)
    except (OSError, ValueError, IndexError):
        key, started = f"alone-{secrets.token_hex(16)}", 0
    return Host(
        hostname=socket.gethostname(),
        platform=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        key=key,
        pid=pid,
        pid_started=started,
    )


def surely_dead(host: Host, me: Host) -> bool:
    """Whether the process is gone, as seen from `me`. The host name is compared as well, because machines
    restored from one snapshot share their boot id."""
    if host == me or (host.key, host.hostname) != (me.key, me.hostname) or host.pid <= 0:
        return False
    return _is_gone(host) and not _is_survived(host.pid)


def _is_gone(host: Host) -> bool:
    try:
        os.kill(host.pid, 0)  # asks the kernel; /proc may hide the processes of others (hidepid)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    try:
        state, started = _stat(host.pid)
    except (OSError, ValueError, IndexError):
        return False
    return started != host.pid_started or state in DEAD


def _is_survived(pid: int) -> bool:
    """Whether processes that end a dead worker's scripts and functions are still doing so. They have the worker's
    process id as their last argument, and so do their forks."""
    for file in PROC.glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if len(words) > 2 and words[-2] == str(pid).encode() and any(_HELPERS in word for word in words):
            return True
    return False


def text_of(host: Host) -> str:
    """A process as text, to label what it starts."""
    return json.dumps([host.hostname, host.key, host.pid, host.pid_started])


def is_dead(text: str, me: Host) -> bool:
    """Whether the process that such a text describes is certainly gone, as seen from `me`."""
    try:
        hostname, key, pid, started = json.loads(text)
        return surely_dead(Host(hostname, "", key, int(pid), int(started)), me)
    except (ValueError, TypeError):
        return False  # not text that we wrote


def _table() -> str:
    """Identifies the process table that this process sees (and the clock of its start times)."""
    if str((PROC / "self").readlink()) != str(os.getpid()):
        raise ValueError("/proc shows another process namespace")
    boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
    spaces = [PROC / "self/ns/pid", PROC / "self/ns/time"]
    return ":".join([boot, *(str(space.stat().st_ino) for space in spaces if space.exists())])


def _stat(pid: int) -> tuple[str, int]:
    """A process's state and start time (in ticks since boot). Its name comes first, in parentheses, and may
    contain anything."""
    fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    return fields[0].decode(), int(fields[19])
