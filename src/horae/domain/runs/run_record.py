"""A run, live or ended: the fields of the API by name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from horae.domain.runs.trace import trace_id_of


class RunRecord(NamedTuple):
    """Fields with a default exist only for live runs, or only for ended ones. The store fills the fields that are
    columns of the table (store/runs/run_record.py). A named tuple, because lists have many."""

    id: str
    job_id: str
    job_name: str
    version: int
    project_id: str
    trigger: str
    due_at: datetime
    queue: str
    priority: int
    status: str
    attempt: int
    uncounted: int
    max_attempts: int
    created_at: datetime
    scheduled_for: datetime | None = None
    worker_id: str | None = None
    started_at: datetime | None = None
    input: Any = None
    progress: Any = None
    parent_run_id: str | None = None
    rerun_of: str | None = None
    scheduler_id: str | None = None
    triggered_by: str | None = None
    operation_id: str | None = None
    cancel_requested_by: str | None = None
    traceparent: str | None = None
    truncated: Sequence[str] = ()  # documents that a list omits

    held: bool = False
    parked: bool = False
    start_by: datetime | None = None
    lease_until: datetime | None = None
    cancel_requested_at: datetime | None = None

    occurrences: int = 1
    scheduled_until: datetime | None = None
    finished_at: datetime | None = None
    duration_ms: int | None = None
    reason: str | None = None
    outcome: str | None = None
    result: Any = None
    error: str | None = None
    traceback: str | None = None
    exit_code: int | None = None
    response_code: int | None = None

    @property
    def trace_id(self) -> str:
        return trace_id_of(self.id, self.traceparent)
