"""A run on its way: the shapes in which the verbs hand it to each other. Those that every run takes are named tuples,
which cost a third of a frozen dataclass to make."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from horae.domain.jobs.job import JobSpec
from horae.domain.runs.firing import Plan, SkippedRange
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, RunStatus, Trigger


class JobVersion(Protocol):
    """A version of a job, of which runs are made."""

    @property
    def id(self) -> str: ...
    @property
    def project_id(self) -> str: ...
    @property
    def version(self) -> int: ...


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


class NewRun(NamedTuple):
    """A run to be queued. `due_at` None means: now, by the database's clock."""

    id: str
    job_id: str
    version: int
    project_id: str
    trigger: Trigger
    queue: str
    priority: int
    needs: str
    due_at: datetime | None = None
    start_by: datetime | None = None
    occurrence: datetime | None = None
    scheduled_for: datetime | None = None
    held: bool = False
    wake_at: datetime | None = None  # asked for later: it takes no place before that
    in_order: bool = False  # caught up: it starts when the one before it has ended
    input: str | None = None
    parent_run_id: str | None = None
    rerun_of: str | None = None
    scheduler_id: str | None = None
    triggered_by: str | None = None
    operation_id: str | None = None

    @classmethod
    def of(
        cls, job: JobVersion, plan: Plan, *, id: str, trigger: Trigger, priority: int | None = None, **more: Any
    ) -> NewRun:
        """Where and how its job's plan says; `more` are the fields that are this run's own."""
        return cls(
            id=id,
            job_id=job.id,
            version=job.version,
            project_id=job.project_id,
            trigger=trigger,
            queue=plan.queue,
            priority=plan.priority if priority is None else priority,
            needs=plan.needs,
            **more,
        )


@dataclass(frozen=True, slots=True)
class Claimant:
    """A worker that claims, and what it can take: what it offers to carry out, of these projects if it names any."""

    worker_id: str
    offers: Collection[str]
    project_ids: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Ahead:
    """How many runs a worker claims beyond its free slots, and the seconds within which each of them has started or was
    released again. Only first attempts without a `start_by` are: if the worker dies, that costs them no more than one
    attempt, and nothing waits here that must start soon."""

    runs: int
    seconds: float


NOT_AHEAD = Ahead(0, 0.0)


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """What a worker asks for: up to `limit` runs that are due in these queues, the queues in this order, and more ahead
    of its slots. With `run_ids`, only these runs, as far as they can be claimed by the same rules; then `queues` may be
    None, for any queue. `token` becomes the fencing token of every run that is claimed."""

    claimant: Claimant
    token: str
    lease: float
    limit: int
    queues: Sequence[str] | None
    ahead: Ahead = NOT_AHEAD
    run_ids: Collection[str] | None = None

    def __post_init__(self) -> None:
        if self.queues is None and self.run_ids is None:
            raise ValueError("a claim names queues or run ids")

    @property
    def most(self) -> int:
        return self.limit + self.ahead.runs

    def within(self, queues: Sequence[str]) -> ClaimRequest:
        """Restricted to these queues."""
        return replace(self, queues=queues if self.queues is None else [q for q in self.queues if q in queues])


@dataclass(frozen=True, slots=True)
class Skipped:
    """Occurrences that do not run: `occurrences` of them, from `scheduled_for` to `scheduled_until`."""

    id: str
    job_id: str
    version: int
    project_id: str
    queue: str
    priority: int
    reason: str
    occurrences: int
    scheduled_for: datetime
    scheduled_until: datetime
    scheduler_id: str | None = None
    trigger: str = "schedule"
    parent_run_id: str | None = None

    @classmethod
    def of(cls, job: JobVersion, plan: Plan | JobSpec, gap: SkippedRange, *, id: str, **more: Any) -> Skipped:
        return cls(
            id=id,
            job_id=job.id,
            version=job.version,
            project_id=job.project_id,
            queue=plan.queue,
            priority=plan.priority,
            reason=gap.reason,
            occurrences=gap.count,
            scheduled_for=gap.first,
            scheduled_until=gap.last,
            **more,
        )


class Claimed(NamedTuple):
    """A run that a worker holds a lease on. `token` is the right to write about this attempt. `ahead`: its row does not
    know when it starts, because it was claimed before there was a slot for it."""

    id: str
    job_id: str
    version: int
    project_id: str
    trigger: str
    scheduled_for: datetime | None
    attempt: int
    uncounted: int
    input: str | None
    due_at: datetime
    started_at: datetime
    token: str
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Leased:
    """A running run as its finisher or the sweep sees it, its row locked."""

    id: str
    job_id: str
    version: int
    project_id: str
    queue: str
    priority: int
    attempt: int
    uncounted: int
    token: str
    worker_id: str | None
    started_at: datetime
    cancel_requested_at: datetime | None
    trigger: str
    parked: bool = False
    needs: str = ""

    def as_of(self, now: datetime) -> Leased:
        """Of one that was claimed ahead, the row has a start that may be still to come."""
        return replace(self, started_at=min(self.started_at, now))

    def age_ms(self, now: datetime) -> int:
        """How long the attempt has taken, where no worker measured it."""
        return max(int((now - self.started_at) / timedelta(milliseconds=1)), 0)


@dataclass(frozen=True, slots=True)
class Over:
    """How an attempt went that is over; if it ended its run, `outcome` is the run's status. `result` is JSON text."""

    job_id: str
    version: int
    project_id: str
    outcome: str
    error: str | None
    result: str | None


@dataclass(frozen=True, slots=True)
class Park:
    """Takes a run from its worker, until its callback comes or so many seconds have passed."""

    id: str
    token: str
    seconds: float
    started_at: datetime | None = None  # where the row does not know it


@dataclass(frozen=True, slots=True)
class Overdue:
    """A queued run that no worker started in time, its row locked."""

    id: str
    job_id: str
    version: int
    project_id: str
    trigger: str


class Finished(NamedTuple):
    """An attempt that is over, as the worker reports it."""

    run: Claimed
    outcome: Outcome
    duration_ms: int = 0


class Ending(NamedTuple):
    """Moves a run to history. `token` fences: None for a run that is queued (no worker holds it)."""

    id: str
    token: str | None
    status: RunStatus
    reason: str | None = None
    outcome: Outcome | None = None
    duration_ms: int | None = None
    started_at: datetime | None = None  # where the row does not know it


class Ended(NamedTuple):
    """A run that was moved to history, for whatever its end brings about."""

    id: str
    job_id: str
    version: int
    project_id: str
    status: RunStatus
    error: str | None = None
    duration_ms: int = 0
    timed_out: bool = False
    trigger: str = ""
    code: int | None = None  # that it exited with, or that of the response

    @classmethod
    def of(cls, run: RunOfJob, status: RunStatus, outcome: Outcome, duration_ms: int = 0) -> Ended:
        """By the outcome of its last attempt."""
        return cls(  # by position: keywords take half as long again, and every run comes by here
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
        )


@dataclass(frozen=True, slots=True)
class Requeue:
    """Queues a run once more; its lease and token are taken away."""

    id: str
    queue: str
    priority: int
    token: str
    pause: float
    counted: bool


@dataclass(frozen=True, slots=True)
class Tried:
    """An attempt that did not end its run; of its result an excerpt."""

    run_id: str
    n: int
    worker_id: str | None
    started_at: datetime
    outcome: Outcome
    duration_ms: int


@dataclass(frozen=True, slots=True)
class LogLines:
    """A piece of an attempt's output."""

    run_id: str
    token: str
    attempt: int
    seq: int
    at: datetime
    stream: str
    text: str


_POSITION = re.compile(r"\d{1,9}\.\d{1,9}", re.ASCII)


class LogPosition(NamedTuple):
    """A place in a run's log: after this piece of this attempt. As text `attempt.seq`."""

    attempt: int = 0
    seq: int = 0

    def __str__(self) -> str:
        return f"{self.attempt}.{self.seq}"

    @classmethod
    def parse(cls, text: str | None) -> LogPosition:
        """Raises ValueError."""
        if text is None:
            return cls()
        if not _POSITION.fullmatch(text):
            raise ValueError("not a position")
        attempt, _, seq = text.partition(".")
        return cls(int(attempt), int(seq))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an attempt is, as it told last; `value` is JSON text."""

    run_id: str
    token: str
    value: str
