"""Runs from queued to history, their output, and the data derived from their ends."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Protocol

from horae.domain.cluster.process import ShardView
from horae.domain.explain.facts import LiveRuns, SchedulerFact, UpstreamFact
from horae.domain.jobs.job_record import JobHead
from horae.domain.pages import Page
from horae.domain.runs.attempts import AttemptRecord
from horae.domain.runs.changes import Glance
from horae.domain.runs.claim import Claimed, ClaimRequest, Leased, Park
from horae.domain.runs.dead_letter import Dead, DeadFilter, DeadGroup, DeadLetter, DeadLetterRecord
from horae.domain.runs.ending import Ending, Over, Overdue, Requeue, Tried
from horae.domain.runs.log import LogLines, LogPiece, LogPosition, Progress
from horae.domain.runs.operation import NewOperation, Operation
from horae.domain.runs.run import NewRun
from horae.domain.runs.run_filter import RunFilter
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.statistics import Backlog, ChosenJob, Hour, JobStats, Summary
from horae.domain.runs.tally import Tally


class Runs(Protocol):
    """Live runs, and their move to history."""

    async def insert(self, runs: Sequence[NewRun]) -> None: ...
    async def add(self, runs: Sequence[NewRun], still: JobHead | None = None) -> list[RunRecord]:
        """Inserts runs, all of one project, and shows them; but none that has ended already, and none at all unless
        their job, its function and its project's quotas are `still` like this."""
        ...

    async def claim(self, request: ClaimRequest) -> list[Claimed]:
        """In the order in which they start: as many as there are free slots, then those claimed ahead, whose
        `started_at` is when they were claimed."""
        ...

    async def next_due(self, queues: Sequence[str] | None, offers: Collection[str]) -> dict[str, datetime]:
        """For each of these queues, or all: when the first run that a worker with these `offers` can execute is due. It
        may be in the past if another worker is about to claim it."""
        ...

    async def claimed(self, worker_id: str, token: str) -> list[Claimed]:
        """What this worker claimed with this token."""
        ...

    async def renew(self, worker_id: str, run_ids: Collection[str], lease: float) -> list[tuple[str, str, bool]]:
        """Renews a worker's leases on these runs: (run id, token, cancel requested) for each it still holds."""
        ...

    async def cancelling(self, worker_id: str) -> list[tuple[str, str]]:
        """(run id, token) of this worker's runs whose cancellation was requested."""
        ...

    async def leased(self, pairs: Sequence[tuple[str, str]]) -> list[Leased]:
        """Locks the running runs among these (id, token) pairs whose token still matches."""
        ...

    async def expired(self, limit: int, dead_workers: Collection[str] = ()) -> list[Leased]:
        """Locks running runs whose lease has expired or whose worker is certainly dead."""
        ...

    async def park(self, parks: Sequence[Park]) -> None:
        """Detaches runs from their workers until their callbacks arrive; a stale token parks nothing."""
        ...

    async def parked(self, run_ids: Collection[str]) -> list[Leased]:
        """Those of these runs that wait for a callback; the caller holds their locks."""
        ...

    async def answering(self, run_id: str, attempt: int) -> Leased | None:
        """Locks a run that is at this attempt, parked or about to be; None if that attempt is over."""
        ...

    async def over(self, run_id: str, attempt: int) -> Over | None:
        """The outcome of an attempt; None if it has not ended or is unknown."""
        ...

    async def overdue(self, limit: int) -> list[Overdue]:
        """Locks queued runs that should have started by now (`start_within`)."""
        ...

    async def live(self, project_id: str, run_ids: Collection[str], *, lock: bool = False) -> list[RunRecord]: ...
    async def under_way(self, job_ids: Collection[str]) -> list[tuple[str, str]]:
        """(run id, project id) of every run of these jobs that is not waiting for a place."""
        ...

    async def end(self, endings: Sequence[Ending]) -> set[str]:
        """Moves runs to history; returns the ids that were moved. A stale token moves nothing."""
        ...

    async def requeue(self, requeues: Sequence[Requeue]) -> None: ...
    async def release(self, runs: Sequence[Leased]) -> None:
        """Undoes claims: each run gets its place in the queue and its attempt back."""
        ...

    async def request_cancel(self, run_ids: Collection[str], actor: str) -> None: ...
    async def tried(self, attempts: Sequence[Tried]) -> None: ...
    async def find(self, project_id: str, run_id: str) -> RunRecord | None:
        """Live or ended: the live table is read first, so that a run that is moving to history is never missed."""
        ...

    async def page(
        self, project_id: str, where: RunFilter, *, limit: int, after: str | None, oldest_first: bool = False
    ) -> Page[RunRecord]: ...
    async def glance(self, project_id: str, limit: int) -> list[Glance]:
        """The state of the newest live runs of a project."""
        ...

    async def some(self, project_id: str, run_ids: Collection[str]) -> list[RunRecord]:
        """Those of these runs that exist, live or ended, as in a list: `truncated` names omitted documents."""
        ...

    async def attempts(self, run_id: str) -> list[AttemptRecord]:
        """Those that did not end it, in order."""
        ...


class Logs(Protocol):
    """Captured output."""

    async def append(self, lines: Sequence[LogLines]) -> None:
        """Only for attempts whose token still matches."""
        ...

    async def progress(self, reports: Sequence[Progress]) -> None:
        """Only for attempts whose token still matches."""
        ...

    async def lengths(self, run_ids: Collection[str]) -> dict[tuple[str, int], int]:
        """How much output of each attempt of these runs there is."""
        ...

    async def read(self, run_id: str, *, after: LogPosition = ..., limit: int = 1000) -> list[LogPiece]:
        """Chunks in order of attempt and position."""
        ...


class DeadLetters(Protocol):
    """Failed runs that have been neither redriven nor discarded."""

    async def add(self, dead: Sequence[Dead]) -> None: ...
    async def page(
        self, project_id: str, where: DeadFilter, *, limit: int, after: str | None
    ) -> Page[DeadLetterRecord]:
        """With their runs, newest first."""
        ...

    async def groups(self, project_id: str, where: DeadFilter, *, limit: int, after: str | None) -> Page[DeadGroup]:
        """By fingerprint, the largest group first."""
        ...

    async def count(self, project_id: str, where: DeadFilter, *, of_jobs: bool) -> int:
        """`of_jobs`: only of jobs that still exist."""
        ...

    async def newest(self, project_id: str) -> str | None: ...
    async def latest_failed(self, job_id: str) -> str | None:
        """The newest failed run of a job: a dead letter, or one among its newest runs that was resolved."""
        ...

    async def take(
        self, project_id: str, where: DeadFilter, *, of_jobs: bool, after: str, through: str, limit: int
    ) -> list[DeadLetter]:
        """Locks the oldest of them."""
        ...

    async def resolve(self, run_ids: Collection[str]) -> int: ...


class Operations(Protocol):
    """Long-running operations with progress."""

    async def insert(self, operation: NewOperation) -> None: ...
    async def find(self, project_id: str | None, operation_id: str, *, lock: bool = False) -> Operation | None: ...
    async def same(self, job_id: str, fingerprint: str) -> Operation | None:
        """The newest operation with this fingerprint for this job, unless it was cancelled or failed."""
        ...

    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[Operation]: ...
    async def progress(self, operation_id: str, *, done: int, details: dict[str, Any]) -> None: ...
    async def finish(self, operation_id: str, state: str, error: str | None = None) -> None: ...
    async def of_ended(self, run_ids: Collection[str]) -> list[str]:
        """The operations that these ended runs belong to, one entry per run."""
        ...

    async def unfinished(self, operation_id: str) -> list[str]:
        """Its runs that have not ended."""
        ...

    async def running_of(self, job_id: str) -> list[str]:
        """The running operations of a job, locked in id order."""
        ...

    async def prune(self, older_than: float, limit: int) -> int:
        """Deletes those that ended longer ago, oldest first."""
        ...

    async def under_way(self, kinds: Collection[str], limit: int) -> list[str]:
        """Locks running operations of these kinds, skipping those that other transactions have locked."""
        ...


class Stats(Protocol):
    """Counters, kept without ever scanning history."""

    async def add(self, tallies: Sequence[Tally]) -> None: ...
    async def roll_up(self, limit: int) -> int: ...
    async def recount(self) -> int:
        """Sets the totals to what the counters of the jobs add up to; how many were wrong."""
        ...

    async def of_job(self, job_id: str) -> JobStats: ...
    async def summary(self, project_id: str | None) -> Summary:
        """Of one project, or of all."""
        ...

    async def hours(self, project_id: str, count: int, job_id: str | None = None) -> list[Hour]:
        """The last `count` hours of a project or of one of its jobs, oldest first, including the current one."""
        ...

    async def days(self, project_id: str, count: int, job_id: str | None = None) -> list[Hour]:
        """Likewise by days (UTC)."""
        ...

    async def overall(self) -> dict[str, dict[str, int]]:
        """For all projects: `ended` by status, `skipped` occurrences by reason, `live` runs by status; `dead` has the
        number of dead `letters`."""
        ...

    async def chosen(self, jobs: Collection[tuple[str, str]]) -> list[ChosenJob]:
        """Those of these jobs, each a project's slug and a job's name, that exist."""
        ...

    async def backlog(self) -> list[Backlog]:
        """Every queue in which due runs wait for a worker, longest first."""
        ...


class Facts(Protocol):
    """The input of explanations. Read-only, and only the newest part of history."""

    async def shard(self, shard: int) -> ShardView:
        """Who owns it."""
        ...

    async def live_runs(
        self, job_id: str, *, backfill: bool = False, before: str | None = None, limit: int = 10
    ) -> LiveRuns:
        """The live runs of a job that share its places (or those of its backfills, which have their own)."""
        ...

    async def upstream(self, project_id: str, job_id: str) -> list[UpstreamFact]:
        """The jobs that this one depends on."""
        ...

    async def schedulers(self) -> list[SchedulerFact]: ...
    async def ahead(self, run: RunRecord) -> int:
        """How many due runs come before this one in its queue, counted up to a thousand."""
        ...

    async def heard_from(self, worker_id: str | None) -> datetime | None:
        """The last heartbeat of a worker; None if it is unknown."""
        ...

    async def dead_since(self, run_id: str) -> datetime | None:
        """Since when a run has been a dead letter; None if it is not one (any longer)."""
        ...
