"""What a batch of ends adds to the counters."""

from __future__ import annotations

from dataclasses import dataclass

from horae.domain.runs.states import RunStatus


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
