"""Starts a command: everything between fork and exec."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Sequence
from contextlib import suppress
from math import ceil
from typing import Any, NoReturn

from horae import prctl

_FIRST_TO_DIE = b"500"  # when the machine is out of memory: the command, not the worker
_MEMORY_SPARE = 2**30  # bytes by which one process may exceed the limit before it is noticed


def launch(request: dict[str, Any], stdio: Sequence[int]) -> int:
    """The pid of the command; raises the OSError that prevented its start."""
    reader, writer = os.pipe()
    keeper = os.getpid()
    pid = os.fork()
    if pid == 0:
        _become(request, stdio, keeper, writer)
    os.close(writer)
    failure = os.read(reader, 16)  # nothing, once exec has closed the other end
    os.close(reader)
    if failure:
        os.waitpid(pid, 0)
        raise OSError(int(failure), os.strerror(int(failure)))
    _let_die_first(pid)
    return pid


def _become(request: dict[str, Any], stdio: Sequence[int], keeper: int, writer: int) -> NoReturn:
    try:
        prctl.die_with_parent(keeper)
        os.setsid()
        _forget_signals()
        for number, descriptor in enumerate(stdio):
            os.dup2(descriptor, number)
        _bind(request["limits"])
        if request.get("user") is not None:
            _change_user(*request["user"])
            prctl.die_with_parent(keeper)  # changing the user has reset it
        os.chdir(request["cwd"])
        os.execvpe(request["argv"][0], request["argv"], request["env"])
    except OSError as error:
        os.write(writer, str(error.errno or errno.EINVAL).encode())
    except BaseException:  # a NUL in an argument, for example
        os.write(writer, str(errno.EINVAL).encode())
    finally:
        os._exit(127)


def _forget_signals() -> None:
    """Signals ignored or blocked here, or where the worker was started (a shell's `&`, nohup), would stay so in the
    command."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _change_user(uid: int, gid: int, groups: list[int]) -> None:
    """Irrevocably: not even a setuid program restores root's rights."""
    os.setgroups(groups)
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def _bind(limits: dict[str, Any]) -> None:
    """The limits that the kernel can enforce for each process; the tree as a whole is watched (watch.py)."""
    if tasks := limits.get("tasks"):
        _limit(resource.RLIMIT_NPROC, tasks, tasks)
    if files := limits.get("files"):
        _limit(resource.RLIMIT_NOFILE, files, files)
    if cpu := limits.get("cpu"):
        _limit(resource.RLIMIT_CPU, ceil(cpu), ceil(cpu) + 1)
    if memory := limits.get("data"):
        # Not the address space: some runtimes reserve far more of it than they ever use.
        _limit(resource.RLIMIT_DATA, memory + _MEMORY_SPARE, memory + _MEMORY_SPARE)


def _limit(kind: int, soft: int, hard: int) -> None:
    _, most = resource.getrlimit(kind)
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(kind, (soft, hard))


def _let_die_first(pid: int) -> None:
    """From outside: until exec, it is a non-dumpable copy of this process (memory.py), whose score not even it may
    write."""
    with suppress(OSError):
        score = os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY)
        os.write(score, _FIRST_TO_DIE)
        os.close(score)
