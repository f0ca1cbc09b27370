"""How a job stands, in one word."""

from __future__ import annotations

from datetime import datetime

from horae.domain.records import JobRecord
from horae.domain.states import JobStatus


def job_status(job: JobRecord, now: datetime) -> JobStatus:
    """What people decided comes first: a disabled job that still runs is disabled. A manual job waits to be started
    and is never finished; a scheduled one is when no occurrence is left."""
    if not job.enabled:
        return JobStatus.DISABLED
    if job.paused and (job.paused_until is None or job.paused_until > now):
        return JobStatus.PAUSED
    if job.live_runs:
        return JobStatus.RUNNING
    if job.spec.scheduled and job.next_run_at is None:
        return JobStatus.FINISHED
    return JobStatus.SCHEDULED
