"""Who this process is, and whether another one is surely gone.

A worker whose process is known to be dead is recovered at once instead of after its lease. A wrong "dead" would
run a job twice, so wherever anything is unclear the answer is "not surely". Two processes can judge each other
only if they see the same process table: the same boot of the same machine, and the same process namespace.
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
_HELPERS = b"from horae.executors."  # how their programs begin


def this_host() -> Host:
    """This process. The key is one's own alone where the system does not tell enough."""
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
    """Whether some of those that end a worker's scripts and functions when it is gone are still at it. They carry the
    worker's process id as their last argument, and so do those that they fork."""
    for file in PROC.glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        if len(words) > 2 and words[-2] == str(pid).encode() and any(_HELPERS in word for word in words):
            return True
    return False


def told(host: Host) -> str:
    """A process as text, to be written onto what it starts."""
    return json.dumps([host.hostname, host.key, host.pid, host.pid_started])


def told_dead(text: str, me: Host) -> bool:
    """Whether the process of such a text is surely gone, as seen from `me`."""
    try:
        hostname, key, pid, started = json.loads(text)
        return surely_dead(Host(hostname, "", key, int(pid), int(started)), me)
    except (ValueError, TypeError):
        return False  # not text that we wrote


def _table() -> str:
    """Names the process table that this process sees (and the clock by which it tells start times)."""
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
