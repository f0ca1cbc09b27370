"""The end of an attempt and of its run: as the worker reports it, as the store writes it, and as input for what
follows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from horae.domain.runs.claim import NOWHERE, Claimed, QueuePlace, kind_of
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, RunStatus


class Finished(NamedTuple):
    """An attempt that is over, as the worker reports it."""

    run: Claimed
    outcome: Outcome
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class FinishReport:
    """`refused`: runs whose fencing token was stale; the attempt belonged to another worker by then."""

    ended: int
    retried: int
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """The outcome of a finished attempt; if it ended its run, `outcome` is the run's status. `result` is JSON text."""

    job_id: str
    version: int
    project_id: str
    outcome: str
    error: str | None
    result: str | None


@dataclass(frozen=True, slots=True)
class Overdue:
    """A queued run that no worker started in time, its row locked."""

    id: str
    job_id: str
    version: int
    project_id: str
    trigger: str
    due_at: datetime
    queue: str
    needs: str
    started_at: None = None
    attempt: int = 0
    traceparent: str | None = None

    @property
    def place(self) -> QueuePlace:
        return QueuePlace(self.queue, kind_of(self.needs))


class RunOfJob(Protocol):
    """A run by its own id and that of its job."""

    @property
    def id(self) -> str: ...
    @property
    def job_id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def project_id(self) -> str: ...
    @property
    def trigger(self) -> str: ...
    @property
    def attempt(self) -> int: ...
    @property
    def traceparent(self) -> str | None: ...


class OverRun(RunOfJob, Protocol):
    """A run that may have started."""

    @property
    def due_at(self) -> datetime: ...
    @property
    def started_at(self) -> datetime | None: ...


class Ending(NamedTuple):
    """Moves a run to history. `token` fences; it is None for a queued run (no worker holds it)."""

    id: str
    token: str | None
    status: RunStatus
    reason: str | None = None
    outcome: Outcome | None = None
    duration_ms: int | None = None
    started_at: datetime | None = None  # if the row does not have it


class Ended(NamedTuple):
    """A run that was moved to history, as input for everything that follows from its end."""

    id: str
    job_id: str
    version: int
    project_id: str
    status: RunStatus
    error: str | None = None
    duration_ms: int = 0
    timed_out: bool = False
    trigger: str = ""
    code: int | None = None  # exit code or response code
    attempt: int = 0  # the last one; 0 if none was made
    place: QueuePlace = NOWHERE
    late: timedelta | None = None  # from when it was due until it started; None if it did not
    traceparent: str | None = None

    @classmethod
    def of(
        cls, run: OverRun, status: RunStatus, outcome: Outcome, duration_ms: int = 0, place: QueuePlace = NOWHERE
    ) -> Ended:
        """From the outcome of its last attempt."""
        started_at = run.started_at
        return cls(  # positional: keyword arguments take half as long again, and this is on the path of every run
            run.id,
            run.job_id,
            run.version,
            run.project_id,
            status,
            outcome.error,
            duration_ms,
            outcome.kind is AttemptOutcome.TIMED_OUT,
            run.trigger,
            outcome.code,
            run.attempt,
            place,
            None if started_at is None else started_at - run.due_at,
            run.traceparent,
        )


@dataclass(frozen=True, slots=True)
class Requeue:
    """Requeues a run, without lease and token."""

    id: str
    queue: str
    priority: int
    token: str
    pause: float
    counted: bool


@dataclass(frozen=True, slots=True)
class Tried:
    """An attempt that did not end its run, with an excerpt of its result."""

    run_id: str
    n: int
    worker_id: str | None
    started_at: datetime
    outcome: Outcome
    duration_ms: int
