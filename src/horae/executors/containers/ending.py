"""From the end of a container to an outcome."""

from __future__ import annotations

import signal
from typing import Any

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.executors.containers.work import Bounds
from horae.executors.exits import in_units

_KILLED = 128 + signal.SIGKILL


def outcome(state: dict[str, Any], bounds: Bounds, result: str | None, complaint: str | None) -> Outcome:
    """`state` is the service's report about an ended container; `complaint` is what is wrong with its result."""
    code = int(state["ExitCode"])
    if code != 0:
        error = _in_words(code, oom=bool(state.get("OOMKilled")), memory=bounds.memory)
        return Outcome(AttemptOutcome.FAILED, result=result, error=error, exit_code=code)
    if complaint is not None:
        # Permanent: the work itself is done, and repeating it would write the same.
        return Outcome(AttemptOutcome.FAILED, error=complaint, exit_code=0, permanent=True)
    return Outcome(AttemptOutcome.SUCCEEDED, result=result, exit_code=0)


def _in_words(code: int, *, oom: bool, memory: int | None) -> str:
    if oom:
        limit = "" if memory is None else f": it used more than its limit of {in_units(memory)}"
        return f"out of memory{limit}"
    if code == _KILLED and memory is not None:
        # Podman does not always report it (it depends on conmon). Nothing inside can kill the first process of a
        # container, and containers that Horae kills get their outcome elsewhere.
        return f"probably out of memory: killed by signal KILL, and its limit is {in_units(memory)}"
    if code > 128 and code - 128 in list(signal.Signals):
        return f"exit code {code}: killed by signal {signal.Signals(code - 128).name.removeprefix('SIG')}"
    return f"exit code {code}"
