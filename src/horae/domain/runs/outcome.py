"""The outcome of an attempt, and what follows from it for the run."""

from __future__ import annotations

from dataclasses import dataclass

from horae.domain.jobs.policy import Retry
from horae.domain.runs.states import AttemptOutcome, RunStatus


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an executor reports. `result` is JSON text, bounded by its producer; `park_for` is how many seconds a parked
    attempt waits for its callback, or for the end of its task in `remote`, a system that executes tasks."""

    kind: AttemptOutcome
    result: str | None = None
    error: str | None = None
    traceback: str | None = None
    exit_code: int | None = None
    response_code: int | None = None
    permanent: bool = False
    retry_after: float | None = None
    park_for: float | None = None
    remote: str | None = None

    @property
    def code(self) -> int | None:
        """What distinguishes failures, apart from their messages."""
        return self.response_code if self.exit_code is None else self.exit_code


SUCCEEDED = Outcome(AttemptOutcome.SUCCEEDED)


@dataclass(frozen=True, slots=True)
class End:
    """The run is over."""

    status: RunStatus
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """The run is requeued, due `pause` seconds from now."""

    pause: float
    counted: bool = True


Verdict = End | Again

_SUCCESS = End(RunStatus.SUCCEEDED)


def judge(
    outcome: Outcome,
    *,
    attempt: int,
    uncounted: int,
    retry: Retry,
    cancel_requested: bool,
    chance: float,
) -> Verdict:
    """Decides what an outcome does to its run. Success always wins; after a request to cancel, any other
    outcome ends the run `cancelled`."""
    kind = outcome.kind
    if kind is AttemptOutcome.SUCCEEDED:
        return _SUCCESS
    if cancel_requested or kind is AttemptOutcome.CANCELLED:
        return End(RunStatus.CANCELLED)
    if kind is AttemptOutcome.INTERRUPTED:
        return Again(0, counted=False)
    if outcome.permanent or outcome.exit_code in retry.permanent_exit_codes:
        return End(RunStatus.FAILED, "permanent")
    made = attempt - uncounted
    if made >= retry.max_attempts:
        return End(RunStatus.FAILED, "attempts")
    if kind is AttemptOutcome.LOST:
        return Again(0)  # nothing suggests that the run is at fault, and the worker's death has cost enough time
    return Again(retry.pause(made, chance, outcome.retry_after))
