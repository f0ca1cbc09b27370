"""A run to be queued, and occurrences that do not run.

Here and in `claim` and `ending`, the types that every run passes through are named tuples: creating one costs a third
of a frozen dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from horae.domain.jobs.job import JobSpec
from horae.domain.runs.firing import Plan, SkippedRange
from horae.domain.runs.states import Trigger


class JobVersion(Protocol):
    """The version of a job that runs are created from."""

    @property
    def id(self) -> str: ...
    @property
    def project_id(self) -> str: ...
    @property
    def version(self) -> int: ...


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
    wake_at: datetime | None = None  # requested for later: it takes no place before that
    in_order: bool = False  # caught up: it starts when the previous one has ended
    input: str | None = None
    parent_run_id: str | None = None
    rerun_of: str | None = None
    scheduler_id: str | None = None
    triggered_by: str | None = None
    operation_id: str | None = None
    traceparent: str | None = None  # from the request that triggered it

    @classmethod
    def of(
        cls, job: JobVersion, plan: Plan, *, id: str, trigger: Trigger, priority: int | None = None, **more: Any
    ) -> NewRun:
        """From the job's plan; `more` are the fields of this run."""
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
