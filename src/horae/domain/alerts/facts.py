"""The facts that alert rules evaluate, and the thresholds that apply to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from horae.domain.alerts.spec import NO_PROJECT_RULES, NONE, JobRules, ProjectAlertSpec
from horae.domain.alerts.thresholds import Thresholds
from horae.domain.cluster.process import SchedulerRecord, WorkerRecord
from horae.domain.runs.engine_choice import DATABASE_ONLY, EngineChoice
from horae.domain.runs.stranded import Stranded


@dataclass(frozen=True, slots=True)
class AlertSubjects:
    """Whether there is anything of each kind; usually there is little, and the rest need not be asked about."""

    settings: bool  # of any job or project
    projects: bool  # with settings
    failing: bool  # jobs
    running: bool  # runs
    due: bool  # jobs
    dead_letters: bool
    alerts: bool  # that are open


@dataclass(frozen=True, slots=True)
class FailingJob:
    """A job that failed so many times in a row."""

    project_id: str
    job_id: str
    name: str
    version: int
    streak: int
    since: datetime | None
    last_run_id: str | None


@dataclass(frozen=True, slots=True)
class WaitingJob:
    """A job with runs that are due and wait in a queue, the first of them since then; and how many runs of how many
    jobs of the same project wait in that queue."""

    project_id: str
    job_id: str
    name: str
    queue: str
    since: datetime
    queue_runs: int
    queue_jobs: int


@dataclass(frozen=True, slots=True)
class OverdueJob:
    """A job whose occurrence is due and has not been fired."""

    project_id: str
    job_id: str
    name: str
    due_at: datetime


@dataclass(frozen=True, slots=True)
class LiveRunFact:
    """A run that has been running since then, or whose lease expired then."""

    project_id: str
    job_id: str
    name: str
    run_id: str
    since: datetime


@dataclass(frozen=True, slots=True)
class LongRun(LiveRunFact):
    """A run that has been running for longer than its job's limit, in milliseconds."""

    limit_ms: int


@dataclass(frozen=True, slots=True)
class WatchedJob:
    """A job with its own thresholds, and its current state."""

    project_id: str
    job_id: str
    name: str
    rules: JobRules
    created_at: datetime
    next_run_at: datetime | None
    fired_through: datetime | None
    last_run_id: str | None
    last_run_at: datetime | None
    last_status: str | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    last_duration_ms: int | None
    missed_at: datetime | None


@dataclass(frozen=True, slots=True)
class ProjectNumber:
    """A number of a project: runs that ended and failed recently, or new dead letters."""

    project_id: str
    slug: str
    ended: int
    failed: int


@dataclass(frozen=True, slots=True)
class UnknownSecret:
    """A job that names a secret that does not exist."""

    project_id: str
    job_id: str
    name: str
    secret: str


class LastError(NamedTuple):
    """The error of an ended run."""

    id: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes of the file system that holds the database."""

    free: int
    total: int


@dataclass(frozen=True, slots=True)
class WatchFacts:
    """As of `now`. `errors` are those of last runs, by run, if the history still has them; `founded_at` is when the
    installation was set up."""

    now: datetime
    founded_at: datetime
    thresholds: Thresholds = field(default_factory=Thresholds)
    by_project: Mapping[str, ProjectAlertSpec] = field(default_factory=dict)
    by_job: Mapping[str, JobRules] = field(default_factory=dict)
    workers: tuple[WorkerRecord, ...] = ()
    schedulers: tuple[SchedulerRecord, ...] = ()
    engines: EngineChoice = DATABASE_ONLY
    stranded: tuple[Stranded, ...] = ()
    waiting: tuple[WaitingJob, ...] = ()
    overdue: tuple[OverdueJob, ...] = ()
    stuck: tuple[LiveRunFact, ...] = ()
    long: tuple[LongRun, ...] = ()
    failing: tuple[FailingJob, ...] = ()
    errors: Mapping[str, str | None] = field(default_factory=dict)
    watched: tuple[WatchedJob, ...] = ()
    failures: Mapping[str, Mapping[datetime, int]] = field(default_factory=dict)  # by job and hour
    outcomes: tuple[ProjectNumber, ...] = ()
    dead_letters: tuple[ProjectNumber, ...] = ()
    secrets: tuple[UnknownSecret, ...] = ()
    disk: Disk | None = None
    missing_partitions: tuple[str, ...] = ()

    def failing_limit(self, job: FailingJob) -> int:
        own = (self._job(job.job_id).failing, self._project(job.project_id).failing)
        return next((value for value in own if value is not None), self.thresholds.failing)

    def late_limit(self, project_id: str, job_id: str) -> float:
        own = (self._job(job_id).late, self._project(project_id).late)
        return next((value for value in own if value is not None), self.thresholds.late)

    def explicit_late(self, job_id: str) -> bool:
        return self._job(job_id).late is not None

    def queued_limit(self, project_id: str) -> float:
        own = self._project(project_id).queued
        return self.thresholds.queued if own is None else own

    def rate_limit(self, project_id: str) -> float:
        own = self._project(project_id).failure_rate
        return self.thresholds.failure_rate if own is None else own

    def dead_limit(self, project_id: str) -> int:
        own = self._project(project_id).dead_letters
        return self.thresholds.dead_letters if own is None else own

    def _job(self, job_id: str) -> JobRules:
        return self.by_job.get(job_id, NONE)

    def _project(self, project_id: str) -> ProjectAlertSpec:
        return self.by_project.get(project_id, NO_PROJECT_RULES)
