"""The shapes of requests (validated) and of answers (described for OpenAPI; views.py builds them)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from horae.domain.jobs.job import JobSpec, Priority
from horae.domain.jobs.policy import Defaults
from horae.domain.runs.states import JobStatus, RunStatus, Trigger
from horae.domain.targets import Target
from horae.domain.text.refusal import refusal
from horae.domain.time.instants import Instant
from horae.domain.time.schedule import CronSchedule, EverySchedule, Schedule

T = TypeVar("T")

Ending = Literal["succeeded", "failed", "timed_out", "lost", "interrupted", "cancelled"]  # of an attempt
STATE = frozenset({"enabled"})  # part of a job's JSON, but not of its versions
BATCH_LIMIT = 1_000


class JobBody(JobSpec):
    """A job as clients send it: its definition, and whether it is enabled."""

    enabled: bool = True

    def spec(self, defaults: Defaults) -> JobSpec:
        given = {name: getattr(self, name) for name in JobSpec.model_fields}
        if "timeout" not in self.model_fields_set:
            given["timeout"] = defaults.timeout
        if "start_within" not in self.model_fields_set:  # null means never, regardless of the default
            given["start_within"] = defaults.start_within
        given["retry"] = self.retry.filled_in(defaults.retry)
        return JobSpec(**given)


class RecurringJobBody(JobBody):
    """A job with a recurring schedule."""

    @model_validator(mode="after")
    def _recurs(self) -> RecurringJobBody:
        if not isinstance(self.schedule, CronSchedule | EverySchedule):
            raise refusal("schedule", "must be cron or every: a recurring job needs one of them")
        return self


class JobStateView(BaseModel):
    """What a job's JSON contains besides its definition."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    enabled: bool = True


class JobPatch(BaseModel):
    """Any fields of a job (JSON merge patch); null restores a default. For the API description only: an edit is
    validated as the resulting job."""

    model_config = ConfigDict(extra="allow")


class TriggerBody(BaseModel):
    """The parameters of one run."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    input: Any = None
    run_at: Instant | None = None
    priority: Priority | None = None


class BatchBody(BaseModel):
    """Many runs of one job."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    runs: Annotated[tuple[TriggerBody, ...], Field(min_length=1, max_length=BATCH_LIMIT, strict=False)]


class JobView(JobSpec):
    """A job with its current state."""

    id: str
    target: Target | None  # type: ignore[assignment]  # null if it cannot be read
    schedule: Schedule | None  # type: ignore[assignment]
    unreadable: str | None = Field(description="why its definition cannot be read; usually null")
    enabled: bool
    version: int
    status: JobStatus
    next_run_at: datetime | None
    last_run_at: datetime | None
    last_status: str | None
    paused: bool
    paused_until: datetime | None
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime


class RecentRunView(BaseModel):
    id: str
    status: RunStatus
    finished_at: datetime | None
    duration_ms: int | None


class ListedJobView(JobView):
    """A job in a list; the last two fields are present only if `include` requests them."""

    stranded: bool = Field(default=False, description="whether it has queued runs that no live worker can execute")
    words: str | None = Field(default=None, description="the schedule as a sentence")
    recent: list[RecentRunView] | None = Field(default=None, description="how its newest runs ended, newest first")


class RunView(BaseModel):
    """A run, live or ended."""

    id: str
    job_id: str
    job_name: str
    version: int
    project_id: str
    trigger: Trigger
    scheduled_for: datetime | None
    due_at: datetime | None
    queue: str
    priority: int
    status: RunStatus
    outcome: Ending | None = Field(description="outcome of the attempt that ended it; null if none did")
    attempt: int = Field(description="the number of the latest attempt, whether it counts or not")
    uncounted: int = Field(description="number of attempts that do not count towards max_attempts")
    max_attempts: int
    parked: bool
    worker_id: str | None
    started_at: datetime | None
    finished_at: datetime | None
    duration_ms: int | None = Field(description="duration of the attempt that ended it, as measured by its worker")
    response_code: int | None
    exit_code: int | None
    result: Any
    error: str | None
    reason: str | None
    occurrences: int
    scheduled_until: datetime | None
    input: Any
    truncated: list[Literal["input", "result"]] = Field(
        default=[], description="in lists: fields omitted because they are longer than 4 KiB"
    )
    progress: Any
    parent_run_id: str | None
    rerun_of: str | None
    triggered_by: str | None
    scheduler_id: str | None = Field(description="the scheduler that fired it; null if none did")
    trace_id: str = Field(description="the trace it is part of: that of its caller's `traceparent`, or its own")
    created_at: datetime


class RunDetailView(RunView):
    """A run in full; `dead_since` is null unless it is currently a dead letter."""

    lease_until: datetime | None = Field(description="while it runs: when its worker's lease expires unless renewed")
    worker_heartbeat_at: datetime | None = Field(description="while it runs: the last heartbeat of its worker")
    trace_url: str | None = Field(description="its trace in the viewer that `HORAE_TRACE_URL` names")
    traceback: str | None
    cancel_requested_at: datetime | None
    dead_since: datetime | None


class AttemptView(BaseModel):
    """One attempt of a run by one worker. `outcome` is null while it is in progress. The result of a retried attempt is
    cut to 4,096 characters."""

    n: int
    worker_id: str | None
    started_at: datetime | None
    finished_at: datetime | None
    duration_ms: int | None
    outcome: Ending | None
    error: str | None
    exit_code: int | None
    response_code: int | None
    result: Any
    traceback: str | None


class LogLineView(BaseModel):
    attempt: int
    seq: int
    at: datetime
    stream: Literal["stdout", "stderr", "system"]
    text: str


class RecoveredView(BaseModel):
    recovered: int


class Listing(BaseModel, Generic[T]):
    """One page of a list; `next_cursor` is null on the last."""

    items: list[T]
    next_cursor: str | None


class FieldError(BaseModel):
    field: str
    message: str


class ReachedQuota(BaseModel):
    name: str
    limit: int
    used: float


class Problem(BaseModel):
    """RFC 9457 problem details. `challenge`, `enrol` and `expires_in` are of `second-factor`: what the next step of
    signing in takes, whether a second factor should be enrolled first, and for how many seconds. `quota` is of
    `quota-reached`."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str
    field: str | None = None
    errors: list[FieldError] | None = None
    challenge: str | None = None
    enrol: bool | None = None
    expires_in: int | None = None
    quota: ReachedQuota | None = None
