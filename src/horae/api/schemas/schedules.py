"""The shapes of requests and answers about schedules: pauses, versions, previews, backfills and statistics."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from horae.domain.text.refusal import refusal
from horae.domain.time.instants import Instant
from horae.domain.time.schedule import Schedule

PREVIEW_LIMIT = 1_000
MOST_PARALLEL = 1_000
LAST_VERSION = 999_999_999
_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)

Count = Annotated[int, Field(ge=1, le=PREVIEW_LIMIT)]
Version = Annotated[int, Field(ge=1, le=LAST_VERSION)]


class PauseBody(BaseModel):
    """End of the pause; without it, until the job is resumed."""

    model_config = _STRICT

    until: Instant | None = None


class RollbackBody(BaseModel):
    model_config = _STRICT

    version: Version


class BackfillBody(BaseModel):
    """The range to backfill, both ends inclusive, and the maximum number of concurrent runs."""

    model_config = _STRICT

    start: Instant
    end: Instant
    parallelism: Annotated[int, Field(ge=1, le=MOST_PARALLEL)] = 1
    again: bool = False
    dry_run: bool = False

    @model_validator(mode="after")
    def _in_order(self) -> BackfillBody:
        if self.end < self.start:
            raise refusal("end", "must not be before start")
        return self


class PreviewBody(BaseModel):
    """A schedule, and what to compare it with: another schedule, or a job's current one."""

    model_config = _STRICT

    schedule: Schedule
    count: Count = 10
    from_: Annotated[Instant | None, Field(alias="from")] = None
    compare: Schedule | None = None
    job: Annotated[str, Field(min_length=1, max_length=200)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> PreviewBody:
        if self.compare is not None and self.job is not None:
            raise refusal("job", "must not be given together with compare")
        return self


class OccurrenceView(BaseModel):
    at: datetime
    local: str
    note: str | None = None


class ComparisonView(BaseModel):
    """The schedule to compare with; `added` are the instants that it lacks, `removed` those that only it has, as far as
    both lists reach (`until`; null if both end)."""

    occurrences: list[OccurrenceView]
    words: str
    added: list[datetime]
    removed: list[datetime]
    until: datetime | None


class PreviewView(BaseModel):
    occurrences: list[OccurrenceView]
    words: str
    compare: ComparisonView | None = None


class NextView(BaseModel):
    """`note` says why these may not happen: the job is paused or disabled."""

    occurrences: list[OccurrenceView]
    words: str
    note: str | None = None


class ChangeView(BaseModel):
    path: str
    old: Any
    new: Any


class VersionView(BaseModel):
    """A version of a job, and its changes from the version before."""

    version: int
    created_by: str
    created_at: datetime
    note: str | None
    definition: dict[str, Any]
    changes: list[ChangeView]


class BackfillPlanView(BaseModel):
    """What a backfill would do."""

    total: int
    first: datetime | None
    last: datetime | None
    existing: str | None


class OperationView(BaseModel):
    """A long-running operation with progress; `state` is running, done, cancelled or failed."""

    id: str
    kind: str
    state: str
    job_id: str | None
    done: int
    total: int
    start: datetime | None
    end: datetime | None
    parallelism: int | None
    version: int | None
    rate: float | None
    reason: str | None
    error: str | None
    created_by: str
    created_at: datetime
    finished_at: datetime | None


class RecentView(BaseModel):
    """`skipped_by_reason` covers the newest 1,000 rows of the job's history."""

    since: datetime
    succeeded: int
    failed: int
    cancelled: int
    skipped: int
    skipped_by_reason: dict[str, int]


class JobStatsView(BaseModel):
    """A job's results, all-time and in the last 24 hours (by full hours). `success_rate` is a percentage of the runs
    that succeeded or failed."""

    job_id: str
    queued: int
    running: int
    succeeded: int
    failed: int
    cancelled: int
    skipped: int
    retries: int
    timed_out: int
    success_rate: float | None
    avg_duration_ms: int | None
    last_run_id: str | None
    last_run_at: datetime | None
    last_status: str | None
    recent: RecentView
