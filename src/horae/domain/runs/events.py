"""What happened to runs, a batch at a time. Verbs record it in their transaction, and observers hear of it after the
commit: what they are told is true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from horae.domain.runs.claim import Claimed, Leased
from horae.domain.runs.ending import Ended
from horae.domain.runs.run import NewRun, Skipped
from horae.domain.runs.states import AttemptOutcome


class RunsQueued(NamedTuple):
    """By a schedule, by people, by the end of another run, or by a backfill: `trigger` of each says which."""

    runs: Sequence[NewRun]


class RunsSkipped(NamedTuple):
    skipped: Sequence[Skipped]


class RunsStarted(NamedTuple):
    """On a worker. Not in a transaction: a start that is lost with its worker is recovered as an attempt."""

    runs: Sequence[Claimed]


class Retried(NamedTuple):
    run: Leased
    outcome: AttemptOutcome
    pause: float


class RunsRetried(NamedTuple):
    """Attempts that did not end their runs, also those that were lost with their workers; `pause` in seconds."""

    retried: Sequence[Retried]


class RunsEnded(NamedTuple):
    ended: Sequence[Ended]


RunEvent = RunsQueued | RunsSkipped | RunsStarted | RunsRetried | RunsEnded
