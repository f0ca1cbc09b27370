"""The limit on open files: each call has a socket, and each socket is an open file, of which a process may have few by
default."""

from __future__ import annotations

import resource

_OTHERS = 256  # connections to the database, logs, pipes of scripts


def allow_sockets(slots: int) -> int:
    """Raises this process's own limit so that every slot can have a call in progress and a connection kept warm, as far
    as the machine allows. Returns the number of slots that fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return slots
    wanted = 2 * slots + _OTHERS
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return min(slots, max(soft - _OTHERS, 0))
