"""The attempts of a run. Retried ones have their own rows; the last is in the run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from horae.domain.runs.run_record import RunRecord


class AttemptRecord(NamedTuple):
    """`outcome` is None while the attempt is in progress."""

    n: int
    worker_id: str | None
    started_at: datetime
    finished_at: datetime | None
    duration_ms: int | None
    outcome: str | None
    error: str | None
    exit_code: int | None
    response_code: int | None
    result: Any
    traceback: str | None


_of_run = attrgetter(*AttemptRecord._fields[1:])


def with_last(run: RunRecord, tried: Sequence[AttemptRecord]) -> list[AttemptRecord]:
    """A run that waits, or was cancelled while waiting, has only retried attempts."""
    waits = run.started_at is None or (tried and tried[-1].n == run.attempt)
    return [*tried] if waits else [*tried, AttemptRecord(run.attempt, *_of_run(run))]
