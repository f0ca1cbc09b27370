"""Monitoring: current and past numbers of jobs and workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel

from horae.api.auth import Principal, allow
from horae.api.context import Ctx
from horae.api.errors import refuses
from horae.api.params import find_job
from horae.api.routes import PREFIX
from horae.api.schemas.processes import WorkerView
from horae.api.sight import sight_of
from horae.api.views import reply, worker_json
from horae.domain.cluster.process import WorkerRecord
from horae.domain.errors import NotFound
from horae.domain.runs.states import WorkerStatus
from horae.domain.runs.statistics import Hour, Summary
from horae.domain.runs.stranded import why_stranded
from horae.domain.text.ids import is_id
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["monitoring"])

MOST_STRANDED = 100


class JobNumbers(BaseModel):
    total: int
    enabled: int
    disabled: int
    paused: int


class ExecutionNumbers(BaseModel):
    """`success_rate` is in percent of what succeeded or failed; `stuck` are runs whose worker's lease ran out."""

    total: int
    queued: int
    running: int
    success: int
    failure: int
    cancelled: int
    skipped: int
    timed_out: int
    retries: int
    dead_letter: int
    stuck: int
    success_rate: float | None
    avg_duration_ms: float | None


class MonitoredJobsView(BaseModel):
    timestamp: datetime
    jobs: JobNumbers
    executions: ExecutionNumbers


class WorkerNumbers(BaseModel):
    total: int
    idle: int
    busy: int
    draining: int
    stopped: int
    offline: int
    slots: int
    slots_busy: int
    runs_done: int


class MonitoredWorkersView(BaseModel):
    """`slots` and `slots_busy` count live workers only: neither stopped nor offline."""

    timestamp: datetime
    workers: WorkerNumbers
    items: list[WorkerView]


class HourView(BaseModel):
    """Runs that ended in the hour starting at `at`; `avg_duration_ms` covers those that succeeded or failed."""

    at: datetime
    succeeded: int
    failed: int
    cancelled: int
    skipped: int
    avg_duration_ms: float | None


class MonitoredHoursView(BaseModel):
    items: list[HourView]


class DayView(HourView):
    """Runs that ended on the day (UTC) starting at `at`; `avg_duration_ms` covers those that succeeded or failed."""


class MonitoredDaysView(BaseModel):
    items: list[DayView]


class StrandedGroupView(BaseModel):
    """Queued runs with the same requirements, which no live worker meets: how many there are, and since when the oldest
    is due. `cause` is `queue` or `capability`, the closed gate in their explanation."""

    queue: str
    needs: str
    runs: int
    since: datetime
    cause: str
    detail: str
    unblock: str | None


class StrandedView(BaseModel):
    """`timestamp` is null until the first measurement."""

    timestamp: datetime | None
    items: list[StrandedGroupView]


@router.get("/monitoring/jobs", response_model=MonitoredJobsView)
async def monitor_jobs(context: Ctx, principal: Annotated[Principal, Depends(allow("runs:read"))]) -> Response:
    """This project's numbers: all-time and current."""
    return reply(summary_json(await context.store.read(lambda tx: tx.stats.summary(principal.project_id))))


@router.get("/monitoring/hours", response_model=MonitoredHoursView, responses=refuses(404))
async def monitor_hours(
    context: Ctx,
    principal: Annotated[Principal, Depends(allow("runs:read"))],
    hours: Annotated[int, Query(ge=1, le=24 * 31, description="how many, including the current one")] = 24,
    job: Annotated[str | None, Query(min_length=1, max_length=200, description="its name or id")] = None,
) -> Response:
    """How runs ended, hour by hour, oldest first: of the project, or of one job."""
    found = await context.store.read(_hours, principal.project_id, hours, job)
    return reply({"items": [_hour_json(hour) for hour in found]})


@router.get("/monitoring/days", response_model=MonitoredDaysView, responses=refuses(404))
async def monitor_days(
    context: Ctx,
    principal: Annotated[Principal, Depends(allow("runs:read"))],
    days: Annotated[int, Query(ge=1, le=1_095, description="how many, including the current one")] = 30,
    job: Annotated[str | None, Query(min_length=1, max_length=200, description="its name or id")] = None,
) -> Response:
    """How runs ended, day by day (UTC), oldest first: of the project, or of one job."""
    found = await context.store.read(_days, principal.project_id, days, job)
    return reply({"items": [_hour_json(day) for day in found]})


@router.get("/monitoring/stranded", response_model=StrandedView)
async def monitor_stranded(context: Ctx, principal: Annotated[Principal, Depends(allow("runs:read"))]) -> Response:
    """Runs of this project that no live worker can execute, and how to fix it; up to a few seconds old."""
    found = await context.lookout.of(principal.project_id)
    if found is None:
        return reply({"timestamp": None, "items": []})
    items = []
    for one in found.stranded[:MOST_STRANDED]:
        cause = why_stranded(one.queue, one.needs, found.workers, found.at, found.engines)
        items.append(
            {
                "queue": one.queue,
                "needs": one.needs,
                "runs": one.runs,
                "since": one.since,
                "cause": cause.name,
                "detail": cause.detail,
                "unblock": cause.unblock,
            }
        )
    return reply({"timestamp": found.at, "items": items})


@router.get("/monitoring/workers", response_model=MonitoredWorkersView)
async def monitor_workers(context: Ctx, principal: Annotated[Principal, Depends(allow("workers:read"))]) -> Response:
    """Workers by state, and how busy they are."""
    now, workers = await context.store.read(_workers, context.settings.offline_after)
    sight = await sight_of(context, principal)
    items = [worker_json(one, sight) for one in workers]
    return reply({"timestamp": now, "workers": _numbers(workers), "items": items})


async def _hours(tx: Transaction, project_id: str, count: int, job: str | None) -> list[Hour]:
    job_id, is_there = await _job_id(tx, project_id, job)
    return _of_a_job(await tx.stats.hours(project_id, count, job_id), is_there)


async def _days(tx: Transaction, project_id: str, count: int, job: str | None) -> list[Hour]:
    job_id, is_there = await _job_id(tx, project_id, job)
    return _of_a_job(await tx.stats.days(project_id, count, job_id), is_there)


async def _job_id(tx: Transaction, project_id: str, job: str | None) -> tuple[str | None, bool]:
    """And whether there is such a job; a deleted job's numbers are found by its id alone."""
    if job is None:
        return None, True
    if is_id(job):
        return job, await tx.jobs.find(project_id, job) is not None
    return (await find_job(tx, project_id, job)).id, True


def _of_a_job(found: list[Hour], is_there: bool) -> list[Hour]:
    if not is_there and not any(any(hour.ended.values()) for hour in found):
        raise NotFound("there is no such job")
    return found


def _hour_json(hour: Hour) -> dict[str, Any]:
    decided = hour.ended["succeeded"] + hour.ended["failed"]
    average = round(hour.duration_ms / decided, 1) if decided else None
    return {"at": hour.at, **hour.ended, "avg_duration_ms": average}


async def _workers(tx: Transaction, offline_after: float) -> tuple[datetime, list[WorkerRecord]]:
    return await tx.now(), await tx.processes.workers(offline_after)


def summary_json(found: Summary) -> dict[str, Any]:
    ended = found.ended
    return {
        "timestamp": found.at,
        "jobs": {
            "total": found.jobs,
            "enabled": found.enabled,
            "disabled": found.jobs - found.enabled,
            "paused": found.paused,
        },
        "executions": {
            "total": found.total,
            "queued": found.queued,
            "running": found.running,
            "success": ended["succeeded"],
            "failure": ended["failed"],
            "cancelled": ended["cancelled"],
            "skipped": ended["skipped"],
            "timed_out": ended["timed_out"],
            "retries": ended["retries"],
            "dead_letter": found.dead_letters,
            "stuck": found.stuck,
            "success_rate": found.success_rate,
            "avg_duration_ms": found.average_ms,
        },
    }


def _numbers(workers: Sequence[WorkerRecord]) -> dict[str, int]:
    counts = Counter(worker.status for worker in workers)
    alive = [worker for worker in workers if worker.there]
    return {
        "total": len(workers),
        **{status.value: counts[status] for status in WorkerStatus},
        "slots": sum(worker.slots for worker in alive),
        "slots_busy": sum(worker.busy for worker in alive),
        "runs_done": sum(worker.runs_done for worker in workers),
    }
