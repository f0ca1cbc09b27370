"""The current state of a job and its schedule."""

from __future__ import annotations

from datetime import datetime, timedelta

from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.firing import DueJob, plan_of
from horae.domain.runs.states import JobStatus
from horae.domain.time.calendar import Calendar, calendar_of
from horae.domain.time.schedule import AfterSchedule, AtSchedule, ManualSchedule, Schedule

TICK = timedelta(microseconds=1)


def job_status(job: JobRecord, now: datetime) -> JobStatus:
    """A user's decision comes first: a disabled job that still runs is disabled. A manual job waits to be triggered and
    is never finished; a scheduled one is finished when no occurrence is left."""
    if not job.enabled:
        return JobStatus.DISABLED
    if paused_at(job, now):
        return JobStatus.PAUSED
    if job.live_runs:
        return JobStatus.RUNNING
    if job.spec.scheduled and job.next_run_at is None:
        return JobStatus.FINISHED
    return JobStatus.SCHEDULED


def due_job(job: JobRecord) -> DueJob:
    """As firing sees it."""
    return DueJob(
        job.id,
        job.project_id,
        job.version,
        plan_of(job.spec),
        job.anchor_at,
        job.next_run_at or job.anchor_at,
        job.fired_through,
        job.fired_count,
    )


def calendar_for(job: JobRecord) -> Calendar | None:
    """Its occurrences; None for a job without a schedule by time."""
    schedule = job.spec.schedule
    if isinstance(schedule, ManualSchedule | AfterSchedule):
        return None
    return calendar_of(schedule, job.anchor_at)


def fired_after(job: JobRecord) -> datetime:
    """The instant up to which a job's occurrences are accounted for. Those before the anchor belong to an earlier
    schedule; only an `at` may lie before it."""
    schedule = job.spec.schedule
    begins = min(job.anchor_at, schedule.at) if isinstance(schedule, AtSchedule) else job.anchor_at
    return begins - TICK if job.fired_through is None else max(begins - TICK, job.fired_through)


def runs_left(schedule: Schedule, fired_count: int) -> bool:
    """Whether `max_runs` allows any more."""
    if isinstance(schedule, ManualSchedule | AfterSchedule) or schedule.max_runs is None:
        return True
    return fired_count < schedule.max_runs


def paused_at(job: JobRecord, now: datetime) -> bool:
    """A pause that has expired is over, even if no scheduler has noticed yet."""
    return job.paused and (job.paused_until is None or job.paused_until > now)


def upcoming_after(job: JobRecord, now: datetime) -> datetime:
    """The instant after which a job's occurrences are upcoming: due occurrences that have not been fired are included,
    unless the schedule is paused or disabled."""
    after = now - TICK
    if job.enabled and job.next_run_at is not None and not paused_at(job, now):
        after = min(after, job.next_run_at - TICK)
    return after if job.fired_through is None else max(after, job.fired_through)
