"""Definitions, their schedules, and their dependents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from horae.domain.jobs.deletion import Deletion
from horae.domain.jobs.fault import LeftOut, Portion, UnreadableNote
from horae.domain.jobs.follower import Follower
from horae.domain.jobs.function import FunctionChange, FunctionRecord, FunctionSign
from horae.domain.jobs.function_path import FunctionPath
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_filter import JobFilter
from horae.domain.jobs.job_record import Advance, JobChange, JobHead, JobRecord, JobState, NewJob, VersionRecord
from horae.domain.jobs.queue import QueueRecord, QueueUse
from horae.domain.pages import Page
from horae.domain.runs.firing import DueJobs, ToWake
from horae.domain.runs.gate import JobGate
from horae.domain.runs.stranded import Stranded, Want


class Jobs(Protocol):
    """Definitions and their schedules' state."""

    async def insert(self, job: NewJob) -> None: ...
    async def change(self, change: JobChange) -> bool:
        """Compare-and-set on the version; False if it has changed meanwhile."""
        ...

    async def set_state(self, state: JobState) -> None: ...
    async def to_wake(self, shards: Collection[int]) -> ToWake: ...
    async def wake_paused(self, shards: Collection[int]) -> int:
        """Ends expired pauses; returns how many."""
        ...

    async def versions(
        self, job_id: str, *, limit: int | None = None, before: int | None = None
    ) -> list[VersionRecord]:
        """Newest first; with `before`, only older ones than that."""
        ...

    async def delete(self, job_id: str) -> None: ...
    async def find(self, project_id: str, ref: str, *, lock: bool = False) -> JobRecord | None:
        """By id or by name; `lock` to change it."""
        ...

    async def names_like(self, project_id: str, text: str) -> list[str]:
        """Some names with the same beginning: suggestions for a wrong one."""
        ...

    async def page(
        self, project_id: str, where: JobFilter, *, limit: int, after: str | None, sort: str = "name"
    ) -> Page[JobRecord]:
        """Sorted by `name`, `created_at`, `updated_at` or `next_run_at`; descending with a leading `-`."""
        ...

    async def head(self, project_id: str, ref: str) -> JobHead | None:
        """By id or by name: as much of a job as a trigger needs. It is locked, so it cannot be deleted until the
        transaction ends."""
        ...

    async def recent_head(self, project_id: str, ref: str) -> JobHead | None:
        """The same without a lock, and perhaps stale: for callers that add runs only if it still holds."""
        ...

    async def due(
        self, shards: Collection[int], limit: int, *, without: Collection[str] = (), only: str | None = None
    ) -> DueJobs:
        """Locks and returns jobs whose `next_run_at` has come, skipping locked rows; `without` those of some projects,
        or `only` those of one."""
        ...

    async def due_in(self, shards: Collection[int], left_out: Collection[tuple[str, int]] = ()) -> float | None:
        """Seconds until the next job is due that is not left out (by id and version: an edit may have fixed it), a
        pause ends, or a run requested for later may look for a place. Negative if that is overdue."""
        ...

    async def advance(self, advances: Sequence[Advance]) -> None: ...
    async def queues(self) -> list[str]:
        """Every queue that some job names."""
        ...

    async def definitions(self, pairs: Collection[tuple[str, int]]) -> dict[tuple[str, int], JobSpec]:
        """An unreadable one is included, with its `fault`."""
        ...


class Unreadables(Protocol):
    """Which processes could not read which definitions."""

    async def note(self, process_id: str, left_out: Collection[LeftOut]) -> None:
        """Records it, or that it is still so."""
        ...

    async def of(self, pairs: Collection[tuple[str, int]]) -> list[UnreadableNote]: ...
    async def names(self, within: float, limit: int) -> list[str]:
        """For jobs that some process could not read within that many seconds."""
        ...

    async def portion(self, after: str | None, limit: int) -> Portion:
        """Tries to read the definitions of the next `limit` jobs of all projects, by id."""
        ...

    async def forget(self, job_id: str) -> None: ...
    async def prune(self, older_than: float) -> int: ...


class Gates(Protocol):
    """How many runs of a job may be active, and whose turn is next."""

    async def lock(self, job_ids: Collection[str]) -> dict[str, JobGate]:
        """Locks the gates of these jobs in id order; returns those that exist, by job."""
        ...

    async def open(self, job_ids: Collection[str]) -> None:
        """Lets held runs take free places, oldest first."""
        ...

    async def fit(self, job_ids: Collection[str]) -> None:
        """Holds back what is queued beyond the limit, the newest first and retries last."""
        ...

    async def put_off(self, job_id: str) -> None:
        """For a job that had no limit before: runs requested for later take no place until then."""
        ...

    async def sleepers(self, limit: int) -> set[str]:
        """Jobs of runs that were requested for later, and whose time has come."""
        ...

    async def wake(self, job_ids: Collection[str], limit: int) -> None:
        """Lets up to that many of these runs wait for their turn, and start if there is a place."""
        ...

    async def release(self, job_id: str) -> None:
        """Lets all held runs of a job without a limit start."""
        ...


class Dependencies(Protocol):
    """Which jobs start when another one's run ends."""

    async def lock(self) -> None:
        """Serializes edits of the graph."""
        ...

    async def set(self, downstream_id: str, upstream_id: str | None, on: str | None) -> None: ...
    async def upstream_of(self, job_id: str) -> str | None: ...
    async def names_downstream(self, job_id: str) -> list[str]: ...
    async def followers(self, upstream_ids: Collection[str]) -> list[Follower]: ...


class Queues(Protocol):
    """The queues that jobs name, in the whole installation, with counts of one project."""

    async def page(
        self, use: QueueUse, *, limit: int, after: str | None, names: Collection[str] | None = None
    ) -> Page[QueueRecord]:
        """By name: all of them, or those with these names."""
        ...

    async def use_of(self, project_id: str) -> QueueUse:
        """Reads every job of the project and every live run."""
        ...

    async def find(self, project_id: str, name: str, *, lock: bool = False) -> QueueRecord | None: ...
    async def paused(self, names: Collection[str]) -> dict[str, QueueRecord]:
        """Those of them that are paused, by name; without counts."""
        ...

    async def add(self, name: str) -> None:
        """Whether or not a job names it."""
        ...

    async def pause(self, name: str, actor: str) -> None: ...
    async def resume(self, name: str) -> None: ...
    async def engines(self) -> dict[str, str]:
        """The queues for which an engine was chosen."""
        ...

    async def choose_engine(self, name: str, engine: str | None) -> None: ...
    async def unused(self, older_than: float) -> list[str]:
        """Queues that no job and no run has used for that many seconds, that are not paused and have no engine of their
        own."""
        ...

    async def forget(self, names: Collection[str], older_than: float) -> int:
        """Deletes those of them that were not named or paused since; returns how many."""
        ...

    async def wants(self) -> list[Want]:
        """All requirements of queued runs, in queues that are not paused."""
        ...

    async def stranded(self, wanted: Sequence[Want], patience: float) -> list[Stranded]:
        """The runs that need one of these and have been due for that many seconds, by project and requirement."""
        ...

    async def waiting_jobs(self, job_ids: Sequence[str], patience: float) -> set[str]:
        """Those of the jobs that have a queued run that has been due for that many seconds."""
        ...


class Reservations(Protocol):
    """Which queues are reserved for which projects; the others are open to all."""

    async def lock(self, queue: str) -> None:
        """Before its reservation is changed; waits for all transactions that hold it."""
        ...

    async def hold(self, queue: str) -> None:
        """Until the transaction ends, its reservation cannot be changed."""
        ...

    async def projects(self, queues: Collection[str]) -> dict[str, dict[str, str]]:
        """Slugs by id, by queue; queues that are open to all are left out."""
        ...

    async def queues(self, project_ids: Collection[str], *, hold: bool = False) -> list[str]:
        """Those reserved for some of these projects and for no others, by name; optionally held."""
        ...

    async def queues_of(self, project_id: str, *, limit: int, after: str | None) -> list[str]:
        """Those reserved for this project, and perhaps for others, by name."""
        ...

    async def reserve(self, queue: str, project_ids: Collection[str], actor: str) -> None:
        """Replaces the reservation; without projects, the queue is open to all. The caller holds its lock."""
        ...

    async def strangers(self, queue: str, project_ids: Collection[str]) -> dict[str, tuple[int, int]]:
        """How many jobs name a queue, and how many runs are in it, by slug, for all projects except these."""
        ...


class Functions(Protocol):
    """The functions that workers have registered, of the whole installation."""

    async def register(self, signs: Sequence[FunctionSign]) -> None:
        """One statement; users' decisions are left alone."""
        ...

    async def find(self, name: str, *, lock: bool = False) -> FunctionRecord | None: ...
    async def disabled(self, names: Collection[str]) -> set[str]:
        """Those of these functions that are."""
        ...

    async def names(self, limit: int) -> list[str]: ...
    async def page(self, *, limit: int, after: str | None) -> Page[FunctionRecord]:
        """In the order of their names."""
        ...

    async def change(self, name: str, change: FunctionChange) -> None: ...
    async def delete(self, name: str) -> None: ...
    async def add_path(self, new: FunctionPath) -> None:
        """Raises DuplicateKey if the name is taken."""
        ...

    async def paths(self, limit: int) -> dict[str, str]:
        """The paths of functions that admins registered, by name."""
        ...

    async def imported(self, sign: FunctionSign, path: str) -> None:
        """A worker imported this path."""
        ...

    async def not_imported(self, name: str, path: str, error: str, unless_within: float) -> None:
        """A worker could not; recorded unless another one could within so many seconds."""
        ...


class Deletions(Protocol):
    """Deleted jobs whose runs are still being cancelled."""

    async def add(self, deletion: Deletion) -> None: ...
    async def take(self) -> Deletion | None:
        """One that no other transaction has locked; locks it."""
        ...

    async def left(self, job_id: str, limit: int) -> list[str]:
        """Its runs whose cancellation is not requested yet."""
        ...

    async def done(self, job_id: str) -> None: ...
