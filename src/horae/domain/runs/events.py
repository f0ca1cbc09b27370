"""Domain events: what happened to runs, in batches, and what users did. Verbs record them in their transaction, and
observers get them after the commit: nothing they see can be rolled back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from horae.domain.people.audit import Deed
from horae.domain.runs.claim import Claimed, Leased
from horae.domain.runs.ending import Ended, Overdue
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.run import NewRun, Skipped
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import AttemptOutcome


class RunsQueued(NamedTuple):
    """By a schedule, a user, the end of another run or a backfill: the `trigger` of each says which."""

    runs: Sequence[NewRun]


class RunsSkipped(NamedTuple):
    skipped: Sequence[Skipped]


class RunsClaimed(NamedTuple):
    """By a worker, some of them ahead of its slots. Like starts, outside of a transaction: if the worker dies, the
    attempt is recovered."""

    runs: Sequence[Claimed]
    worker_id: str


class RunsReleased(NamedTuple):
    """Claimed ahead, never started and requeued: the claim does not count."""

    runs: Sequence[Leased]


class RunsStarted(NamedTuple):
    """On a worker."""

    runs: Sequence[Claimed]
    worker_id: str


class RunsParked(NamedTuple):
    """They left their worker and wait for a callback."""

    runs: Sequence[Leased]


class AttemptOver(NamedTuple):
    run: Leased
    outcome: Outcome
    duration_ms: int


class AttemptsOver(NamedTuple):
    """Attempts that did not succeed, whether or not another follows, and those that a callback ended."""

    over: Sequence[AttemptOver]


class Retried(NamedTuple):
    run: Leased
    outcome: AttemptOutcome
    pause: float


class RunsRetried(NamedTuple):
    """Attempts that did not end their runs, including those lost with their workers; `pause` in seconds."""

    retried: Sequence[Retried]


class RunsExpired(NamedTuple):
    """No worker started them in time: they end as failed."""

    runs: Sequence[Overdue]


class CancelsRequested(NamedTuple):
    """For queued or running runs, by a user or by a rule."""

    runs: Sequence[RunRecord]
    actor: str


class RunsEnded(NamedTuple):
    ended: Sequence[Ended]


class Audited(NamedTuple):
    """Entries of the audit trail."""

    deeds: Sequence[Deed]


RunEvent = (
    RunsQueued
    | RunsSkipped
    | RunsClaimed
    | RunsReleased
    | RunsStarted
    | RunsParked
    | AttemptsOver
    | RunsRetried
    | RunsExpired
    | CancelsRequested
    | RunsEnded
)
Event = RunEvent | Audited
