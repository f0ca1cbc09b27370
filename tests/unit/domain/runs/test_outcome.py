"""What an attempt's outcome does to its run, as a table."""

from __future__ import annotations

import pytest

from horae.domain.jobs.policy import Retry
from horae.domain.runs.outcome import Again, End, Outcome, judge
from horae.domain.runs.states import AttemptOutcome as Kind
from horae.domain.runs.states import RunStatus

RETRY = Retry(max_attempts=3, delay=10, jitter=0)
SUCCEEDED, CANCELLED = End(RunStatus.SUCCEEDED), End(RunStatus.CANCELLED)
USED_UP, PERMANENT = End(RunStatus.FAILED, "attempts"), End(RunStatus.FAILED, "permanent")


@pytest.mark.parametrize(
    ("kind", "attempt", "uncounted", "cancel", "permanent", "expected"),
    [
        (Kind.SUCCEEDED, 1, 0, False, False, SUCCEEDED),
        (Kind.SUCCEEDED, 3, 0, True, False, SUCCEEDED),  # success wins over a request to cancel
        (Kind.FAILED, 1, 0, False, False, Again(10)),
        (Kind.FAILED, 2, 0, False, False, Again(20)),
        (Kind.FAILED, 3, 0, False, False, USED_UP),
        (Kind.FAILED, 4, 0, False, False, USED_UP),
        (Kind.FAILED, 4, 2, False, False, Again(20)),
        (Kind.FAILED, 5, 2, False, False, USED_UP),
        (Kind.FAILED, 1, 0, False, True, PERMANENT),
        (Kind.FAILED, 1, 0, True, True, CANCELLED),
        (Kind.FAILED, 1, 0, True, False, CANCELLED),
        (Kind.TIMED_OUT, 1, 0, False, False, Again(10)),
        (Kind.TIMED_OUT, 3, 0, False, False, USED_UP),
        (Kind.LOST, 1, 0, False, False, Again(0)),  # at once: its worker failed, not the run
        (Kind.LOST, 3, 0, False, False, USED_UP),  # a run that kills its worker every time ends
        (Kind.LOST, 1, 0, True, False, CANCELLED),
        (Kind.INTERRUPTED, 1, 0, False, False, Again(0, counted=False)),
        (Kind.INTERRUPTED, 3, 0, False, False, Again(0, counted=False)),
        (Kind.INTERRUPTED, 1, 0, True, False, CANCELLED),
        (Kind.CANCELLED, 1, 0, False, False, CANCELLED),
        (Kind.CANCELLED, 1, 0, True, False, CANCELLED),
    ],
)
def test_verdicts(kind, attempt, uncounted, cancel, permanent, expected):
    verdict = judge(
        Outcome(kind, permanent=permanent),
        attempt=attempt,
        uncounted=uncounted,
        retry=RETRY,
        cancel_requested=cancel,
        chance=0.5,
    )
    assert verdict == expected


def test_the_servers_wish():
    verdict = judge(
        Outcome(Kind.FAILED, retry_after=30), attempt=1, uncounted=0, retry=RETRY, cancel_requested=False, chance=0.5
    )
    assert verdict == Again(30)


def test_some_exit_codes_are_final():
    retry = RETRY.model_copy(update={"permanent_exit_codes": (64, 65)})

    def verdict(exit_code: int | None, kind: Kind = Kind.FAILED) -> object:
        outcome = Outcome(kind, exit_code=exit_code)
        return judge(outcome, attempt=1, uncounted=0, retry=retry, cancel_requested=False, chance=0.5)

    assert verdict(64) == verdict(65) == PERMANENT
    assert isinstance(verdict(1), Again)
    assert isinstance(verdict(None), Again)
