"""The facts behind an explanation: a job or a run, and everything around it that can block it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from horae.domain.cluster.process import ShardView, WorkerRecord
from horae.domain.cluster.trouble import Trouble
from horae.domain.jobs.fault import UnreadableNote
from horae.domain.jobs.function import FunctionRecord
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.queue import QueueRecord
from horae.domain.jobs.standing import paused_at
from horae.domain.people.quota import Usage
from horae.domain.runs.attempts import AttemptRecord
from horae.domain.runs.engine_choice import DATABASE_ONLY, EngineChoice
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import RunStatus
from horae.domain.time.openings import Timed
from horae.domain.time.schedule import AfterSchedule, ManualSchedule


@dataclass(frozen=True, slots=True)
class LiveRun:
    id: str
    status: str
    held: bool
    due_at: datetime
    started_at: datetime | None
    worker_id: str | None
    created_at: datetime
    attempt: int
    queue: str
    needs: str
    lease_until: datetime | None = None
    parked: bool = False

    def waits_like(self, queue: str, needs: str) -> bool:
        """Whether it waits for a worker, and for the same workers as a run of this queue and these needs."""
        return (self.status, self.queue, self.needs) == (RunStatus.QUEUED, queue, needs)


@dataclass(frozen=True, slots=True)
class LiveRuns:
    """The live runs of a job that share its places: how many, and the `first` few, started ones before held ones.
    `limit` is how many may be live; `held_before` is how many held ones are older than a given run."""

    limit: int | None
    under_way: int
    held: int
    held_before: int
    first: tuple[LiveRun, ...]


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A row of a job's history, in short."""

    id: str
    status: str
    reason: str | None
    occurrences: int
    scheduled_for: datetime | None
    scheduled_until: datetime | None
    finished_at: datetime
    error: str | None


@dataclass(frozen=True, slots=True)
class UpstreamFact:
    """A job that another one waits for."""

    id: str
    name: str
    run_on: str
    enabled: bool
    paused: bool
    live: int
    last_status: str | None
    last_ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class SchedulerFact:
    id: str
    hostname: str
    pid: int
    heartbeat_at: datetime
    trouble: Trouble | None = None

    @property
    def name(self) -> str:
        return f"{self.hostname} (process {self.pid})"


@dataclass(frozen=True, slots=True)
class JobFacts:
    """`recent` is the newest part of its history, newest first; `paused_queues` are, by name, the paused queues of the
    job and its live runs."""

    now: datetime
    job: JobRecord
    live: LiveRuns
    recent: tuple[EndedRun, ...]
    workers: tuple[WorkerRecord, ...]
    schedulers: tuple[SchedulerFact, ...] = ()
    shard: ShardView | None = None  # of a job that a scheduler fires
    upstream: tuple[UpstreamFact, ...] = ()
    paused_queues: Mapping[str, QueueRecord] = field(default_factory=dict)
    unreadable: tuple[UnreadableNote, ...] = ()
    live_quota: Usage | None = None  # of the project, if it has one
    function: FunctionRecord | None = None  # that it calls, if it calls one that is registered
    engines: EngineChoice = DATABASE_ONLY

    @property
    def spec(self) -> JobSpec:
        return self.job.spec

    @property
    def timed(self) -> Timed | None:
        """Its schedule, if that is time-based."""
        schedule = self.spec.schedule
        return None if isinstance(schedule, ManualSchedule | AfterSchedule) else schedule

    @property
    def paused(self) -> bool:
        return paused_at(self.job, self.now)

    @property
    def due(self) -> bool:
        """Whether an occurrence is due now."""
        at = self.job.next_run_at
        return self.job.enabled and not self.paused and at is not None and at <= self.now


@dataclass(frozen=True, slots=True)
class RunFacts:
    """`spec` is of the run's own version; `attempts` those that did not end it; `live` only for a held run; `ahead`
    how many due runs come before it in its queue; `dead_since` if it is a dead letter."""

    now: datetime
    run: RunRecord
    spec: JobSpec | None
    attempts: tuple[AttemptRecord, ...]
    workers: tuple[WorkerRecord, ...]
    schedulers: tuple[SchedulerFact, ...]
    live: LiveRuns | None = None
    ahead: int = 0
    dead_since: datetime | None = None
    paused_queues: Mapping[str, QueueRecord] = field(default_factory=dict)
    unreadable: tuple[UnreadableNote, ...] = ()
    engines: EngineChoice = DATABASE_ONLY
