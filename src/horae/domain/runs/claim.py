"""Claims: what a worker requests, and the runs that it then holds a lease on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Claimant:
    """A worker that claims runs, what it can execute, and the projects it is limited to, if any."""

    worker_id: str
    offers: Collection[str]
    project_ids: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Ahead:
    """How many runs a worker claims beyond its free slots, and the seconds within which each must start or be released.
    Only first attempts without a `start_by` qualify: if the worker dies, they lose one attempt at most, and a run with
    a deadline never waits here."""

    runs: int
    seconds: float


NOT_AHEAD = Ahead(0, 0.0)


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """A request for up to `limit` due runs of these queues, in this order, and more ahead of its slots. With `run_ids`,
    only these runs, if the same rules allow it; `queues` may then be None, for any queue. `token` becomes the fencing
    token of every claimed run."""

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


class Claimed(NamedTuple):
    """A run that a worker holds a lease on. `token` fences what is written about this attempt. `ahead`: it was claimed
    before a slot was free, so its row does not have its start."""

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
    traceparent: str | None = None  # from the request that triggered it

    def starting(self, at: datetime) -> Claimed:
        """The same with its actual start: `_replace` takes twice as long, and every prefetched run passes here."""
        return Claimed._make((*self[:_STARTED_AT], at, *self[_STARTED_AT + 1 :]))


_STARTED_AT = Claimed._fields.index("started_at")


@dataclass(frozen=True, slots=True)
class Taken:
    """The claimed runs, and their queues. `more`: there is more right now, so no lookup is needed."""

    runs: list[Claimed]
    queues: Sequence[str]
    more: bool


class QueuePlace(NamedTuple):
    """Where a run belongs: its queue, and the kind of its target."""

    queue: str | None
    kind: str | None


NOWHERE = QueuePlace(None, None)


def kind_of(needs: str) -> str:
    """The kind of target, from a run's needs."""
    return needs.partition(":")[0]


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
    due_at: datetime
    parked: bool = False
    needs: str = ""
    traceparent: str | None = None

    @property
    def place(self) -> QueuePlace:
        return QueuePlace(self.queue, kind_of(self.needs))

    def as_of(self, now: datetime) -> Leased:
        """The `started_at` of a prefetched run may still be in the future."""
        return replace(self, started_at=min(self.started_at, now))

    def age_ms(self, now: datetime) -> int:
        """How long the attempt has taken, where no worker measured it."""
        return max(int((now - self.started_at) / timedelta(milliseconds=1)), 0)


@dataclass(frozen=True, slots=True)
class Park:
    """Detaches a run from its worker until its callback arrives or that many seconds have passed."""

    id: str
    token: str
    seconds: float
    started_at: datetime | None = None  # if the row does not have it
