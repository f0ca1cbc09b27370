"""From the end of a command to an outcome: its exit status, and the JSON that it may have written."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Mapping
from math import inf
from pathlib import Path

import orjson

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.executors.failure import RESULT_LIMIT, one_line
from horae.executors.process import ProcessEnd

TOO_LONG = f"the result is longer than {RESULT_LIMIT // 1024} KiB"
_UNWATCHED = "the process that supervised it was killed, so it was stopped"

_CPU_USED_UP = (-signal.SIGXCPU, 128 + signal.SIGXCPU)  # directly, and as a shell or a sandbox reports it


def outcome(end: ProcessEnd, limits: Mapping[str, float], result_file: Path) -> Outcome:
    if end.why == "lease":
        return Outcome(AttemptOutcome.LOST, error="the lease was lost")
    if end.why == "supervisor":
        return Outcome(AttemptOutcome.FAILED, error=_UNWATCHED)
    status = end.status
    if status is None:
        return Outcome(AttemptOutcome.FAILED, error="the process did not end")
    result, complaint = _result(result_file)
    if (limit := _passed(end, limits)) is not None:
        return Outcome(
            AttemptOutcome.FAILED, result=result, error=limit, exit_code=status if status > 0 else 128 - status
        )
    if status < 0:
        name = signal.Signals(-status).name.removeprefix("SIG") if -status in list(signal.Signals) else str(-status)
        return Outcome(AttemptOutcome.FAILED, result=result, error=f"killed by signal {name}", exit_code=128 - status)
    if status > 0:
        return Outcome(AttemptOutcome.FAILED, result=result, error=f"exit code {status}", exit_code=status)
    if complaint is not None:
        # Permanent: the work itself is done, and repeating it would write the same.
        return Outcome(AttemptOutcome.FAILED, error=complaint, exit_code=0, permanent=True)
    return Outcome(AttemptOutcome.SUCCEEDED, result=result, exit_code=0)


def _passed(end: ProcessEnd, limits: Mapping[str, float]) -> str | None:
    """The limit that it exceeded, in words. A single process is stopped by the kernel, perhaps before we notice."""
    failed = end.status != 0
    if end.why == "memory" or (failed and end.memory >= limits.get("memory", inf)):
        return f"out of memory: it used more than its limit of {in_units(int(limits['memory']))}"
    if end.why == "processes":
        return f"too many processes: it had more than its limit of {limits['processes']:.0f}"
    if end.why == "cpu" or ("cpu" in limits and end.status in _CPU_USED_UP):
        return f"used up its CPU time: more than its limit of {limits['cpu']:g} s"
    return None


def in_units(size: int) -> str:
    """Bytes with a unit."""
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{round(size / unit, 2):g} {name}"
    return f"{size} bytes"


def _result(path: Path) -> tuple[str | None, str | None]:
    """The JSON that the command left, or the error in it."""
    try:
        # It could have put anything here: a link to some other file, a pipe that would block.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None, None
    except OSError as error:
        return None, f"the result cannot be read: {error.strerror}"
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            return None, "the result is not a file"
        return parsed(os.read(fd, RESULT_LIMIT + 1))
    finally:
        os.close(fd)


def parsed(raw: bytes) -> tuple[str | None, str | None]:
    """The content of a result file: its JSON, or the error in it."""
    raw = raw.strip()
    if len(raw) > RESULT_LIMIT:
        return None, TOO_LONG
    if not raw:
        return None, None
    try:
        orjson.loads(raw)
        return raw.decode(), None
    except ValueError as error:
        return None, one_line(f"the result is not JSON: {error}")
