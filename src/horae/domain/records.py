"""The small values that verbs and the store exchange about jobs, processes and people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from horae.domain.isolation import Isolation
from horae.domain.job import JobSpec
from horae.domain.states import RunStatus, SchedulerStatus, WorkerStatus
from horae.domain.trouble import Trouble

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list; `next` is where the following page begins, None at the end."""

    items: list[T]
    next: str | None


@dataclass(frozen=True, slots=True)
class Project:
    id: str
    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job's first version and its schedule's state."""

    id: str
    project_id: str
    spec: JobSpec
    plan: str
    enabled: bool
    anchor_at: datetime
    next_run_at: datetime | None
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class JobChange:
    """A new version of a job, to be saved only if `version` is still the current one."""

    id: str
    version: int
    spec: JobSpec
    plan: str
    anchor_at: datetime
    next_run_at: datetime | None
    actor: str
    at: datetime
    note: str | None = None


@dataclass(frozen=True, slots=True)
class JobState:
    """What people switch: audited state, not a version."""

    id: str
    enabled: bool
    paused: bool
    paused_until: datetime | None
    next_run_at: datetime | None
    fired_through: datetime | None
    actor: str


@dataclass(frozen=True, slots=True)
class VersionRecord:
    version: int
    spec: JobSpec
    created_by: str
    created_at: datetime
    note: str | None


@dataclass(frozen=True, slots=True)
class Follower:
    """A job that starts when a run of `upstream_id` ends as `on` says."""

    upstream_id: str
    on: str
    id: str
    project_id: str
    version: int
    plan: str
    enabled: bool
    paused: bool
    bounded: bool = False  # whether its project has a quota of live runs


@dataclass(frozen=True, slots=True)
class NewOperation:
    """Long work to be started; `details` are what it needs to go on from where it is."""

    id: str
    project_id: str
    kind: str
    job_id: str | None
    details: dict[str, Any]
    total: int
    actor: str
    fingerprint: str | None = None  # the same work of the same job has the same


@dataclass(frozen=True, slots=True)
class Deletion:
    """A job that was deleted, and who asked for it."""

    job_id: str
    project_id: str
    actor: str


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    project_id: str
    kind: str
    state: str  # running, done, cancelled or failed
    job_id: str | None
    details: dict[str, Any]
    done: int
    total: int
    error: str | None
    created_by: str
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class JobHead:
    """What a trigger needs to know of a job."""

    id: str
    version: int
    plan: str
    bounded: bool = False  # whether its project has a quota of live runs


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A job that was due and could not be fired, because its definition cannot be read; `reason` in words."""

    job_id: str
    version: int
    reason: str


@dataclass(frozen=True, slots=True)
class JobFault:
    """A job whose current definition cannot be read, and why."""

    project: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Portion:
    """Definitions that were tried: how many, those that cannot be read, and the id to go on after; None at the end."""

    tried: int
    faults: tuple[JobFault, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class UnreadableNote:
    """That a process could not read a version of a job: since when it is known, and when it last tried."""

    job_id: str
    version: int
    process_id: str
    reason: str
    found_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job as it stands: its current version and its state."""

    id: str
    project_id: str
    version: int
    spec: JobSpec
    enabled: bool
    paused: bool
    paused_until: datetime | None
    anchor_at: datetime
    next_run_at: datetime | None
    fired_through: datetime | None
    fired_count: int
    live_runs: int
    last_run_at: datetime | None
    last_status: str | None
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Advance:
    """Where a job's schedule goes on after firing."""

    id: str
    next_run_at: datetime | None
    fired_through: datetime
    fired: int


@dataclass(frozen=True, slots=True)
class Dead:
    """A run that ended `failed`, to be looked at by somebody."""

    run_id: str
    job_id: str
    project_id: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What one batch adds to a job's counters."""

    job_id: str
    project_id: str
    status: RunStatus
    count: int
    duration_ms: int = 0
    retries: int = 0
    timed_out: int = 0
    run_id: str | None = None
    reason: str | None = None  # of skipped occurrences


@dataclass(frozen=True, slots=True)
class RecentRun:
    """How one run ended, as a list of jobs shows it."""

    id: str
    status: str
    finished_at: datetime | None
    duration_ms: int | None


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs a list shows; None leaves a field open."""

    job_id: str | None = None
    status: str | None = None
    trigger: str | None = None
    worker_id: str | None = None
    queue: str | None = None
    since: datetime | None = None  # when they were made: from here on
    until: datetime | None = None  # and before this
    outcome: str | None = None  # of the attempt that ended them


@dataclass(frozen=True, slots=True)
class Host:
    """Where a process lives. Two processes with the same `key` see the same process table, so either can tell
    for sure whether the other is gone."""

    hostname: str
    platform: str
    key: str
    pid: int
    pid_started: int


@dataclass(frozen=True, slots=True)
class WorkerSign:
    """A worker introducing itself."""

    id: str
    name: str
    host: Host
    version: str
    queues: tuple[str, ...]
    offers: tuple[str, ...]
    slots: int
    projects: tuple[str, ...] = ()  # that it is bound to, by their slugs
    isolation: Isolation | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """A worker's sign of life."""

    status: str
    busy: int
    runs_done: int
    trouble: str | None = None  # see domain/trouble.py


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    id: str
    name: str
    host: Host
    version: str
    queues: tuple[str, ...]
    offers: tuple[str, ...]
    slots: int
    busy: int
    status: str
    runs_done: int
    started_at: datetime
    heartbeat_at: datetime
    drain_requested_by: str | None = None
    trouble: Trouble | None = None
    projects: tuple[str, ...] = ()  # that it is bound to: then it serves the queues it names, and no others
    isolation: Isolation | None = None  # None of a worker of a version that did not tell

    @property
    def serves_all(self) -> bool:
        return not self.queues and not self.projects

    def serves(self, queue: str) -> bool:
        return self.serves_all or queue in self.queues

    @property
    def there(self) -> bool:
        return self.status not in (WorkerStatus.STOPPED, WorkerStatus.OFFLINE)


@dataclass(frozen=True, slots=True)
class SchedulerSign:
    id: str
    host: Host
    version: str


@dataclass(frozen=True, slots=True)
class SchedulerRecord:
    id: str
    host: Host
    version: str
    started_at: datetime
    heartbeat_at: datetime
    leases: tuple[ShardView, ...]  # those that are not over
    trouble: Trouble | None = None
    silent: bool = False

    @property
    def shards(self) -> list[int]:
        return [lease.shard for lease in self.leases]

    @property
    def status(self) -> SchedulerStatus:
        if self.leases:
            return SchedulerStatus.ACTIVE
        return SchedulerStatus.OFFLINE if self.silent else SchedulerStatus.STANDBY


@dataclass(frozen=True, slots=True)
class ShardView:
    """A slice of the jobs, and who fires it. The epoch counts its owners."""

    shard: int
    owner_id: str | None
    epoch: int
    lease_until: datetime | None
    owned_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key to be stored: never the key itself, only its digest."""

    id: str
    project_id: str
    name: str
    role: str
    prefix: str
    digest: str
    created_by: str
    expires_at: datetime | None = None
    maker_id: str | None = None  # the user who answers for it


@dataclass(frozen=True, slots=True)
class KeyRecord:
    id: str
    project_id: str
    name: str
    role: str
    digest: str
    project_slug: str
    project_name: str
    prefix: str
    maker_id: str | None = None


Json = dict[str, Any]
