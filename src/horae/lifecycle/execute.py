"""Execute: one attempt by its executor. There is always exactly one outcome."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Mapping

from horae.domain.runs.attempt import Attempt
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.ports import Executor

_STOPPED = {
    StopReason.CANCEL: Outcome(AttemptOutcome.CANCELLED, error="cancelled"),
    StopReason.LEASE_LOST: Outcome(AttemptOutcome.LOST, error="the lease was lost"),
    StopReason.SHUTDOWN: Outcome(AttemptOutcome.INTERRUPTED, error="the worker shut down"),
}
TRACEBACK_LIMIT = 32_768


async def execute(attempt: Attempt, executors: Mapping[str, Executor]) -> Outcome:
    executor = executors.get(attempt.job.target.kind)
    if executor is None:
        return Outcome(
            AttemptOutcome.FAILED,
            error=f"this worker does not run {attempt.job.target.kind} targets",
            permanent=True,
        )
    try:
        return await executor.execute(attempt)
    except asyncio.CancelledError:
        if attempt.stop is None:
            raise
        return stopped(attempt, attempt.stop)
    except Exception as error:
        return Outcome(
            AttemptOutcome.FAILED,
            error=f"{type(error).__name__}: {error}",
            traceback="".join(traceback.format_exception(error))[-TRACEBACK_LIMIT:],
        )


def stopped(attempt: Attempt, reason: StopReason) -> Outcome:
    if reason is StopReason.TIMEOUT:
        return Outcome(AttemptOutcome.TIMED_OUT, error=f"took longer than its timeout of {attempt.job.timeout:g} s")
    return _STOPPED[reason]
