"""Time series: how things went over the last hour, day or month, for charts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel

from horae.api.auth import Principal, allow
from horae.api.context import Ctx
from horae.api.params import instant_param
from horae.api.routes import PREFIX
from horae.api.views import reply
from horae.domain.errors import InvalidInput, NotAllowed
from horae.domain.runs.points import ENDED, Point, Window, points, seconds, window
from horae.domain.runs.series import INSTALLATION, WHOLE, queue_subject, worker_subject
from horae.domain.runs.spread import Spread
from horae.domain.text.ids import is_id
from horae.domain.time.durations import parse_duration
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["monitoring"])

_METRIC = "some of `ended`, `queued`, `running`, `lateness`, `duration`, separated by commas; default: all"


class EndedPoint(BaseModel):
    """Runs that ended, by status, and occurrences that were skipped; attempts that were retried, and runs whose last
    attempt timed out."""

    succeeded: int
    failed: int
    cancelled: int
    skipped: int
    retries: int
    timed_out: int


class QueuedPoint(BaseModel):
    """Due runs that wait for a worker, and for how long the oldest one had waited at most. Sampled once a minute."""

    mean: float
    max: int
    oldest_seconds: float


class RunningPoint(BaseModel):
    """Runs that are being executed. `slots` and `utilisation` are of all workers. Sampled once a minute."""

    mean: float
    max: int
    slots: float
    utilisation: float | None


class SpreadPoint(BaseModel):
    """Percentiles in seconds, of the runs that ended and had started; each is accurate to within a fifth."""

    count: int
    p50: float | None
    p90: float | None
    p99: float | None


class SeriesPoint(BaseModel):
    """What happened from `at` on, for one step. Null: not requested, or not known because no scheduler was running.
    `lateness` is from when runs were due until they started, `duration` of their last attempt. `done` is what a worker
    executed."""

    at: datetime
    ended: EndedPoint | None = None
    queued: QueuedPoint | None = None
    running: RunningPoint | None = None
    lateness: SpreadPoint | None = None
    duration: SpreadPoint | None = None
    done: int | None = None


class SeriesView(BaseModel):
    """`step` is in seconds."""

    since: datetime
    until: datetime
    step: int
    points: list[SeriesPoint]


class Asked(NamedTuple):
    project_id: str
    subject: str
    since: datetime | None
    until: datetime | None
    step: int | None


@router.get("/monitoring/series", response_model=SeriesView)
async def monitor_series(
    context: Ctx,
    principal: Annotated[Principal, Depends(allow("runs:read"))],
    metric: Annotated[str | None, Query(max_length=200, description=_METRIC)] = None,
    since: Annotated[str | None, Query(max_length=40, description="default: an hour before `until`")] = None,
    until: Annotated[str | None, Query(max_length=40, description="default: now")] = None,
    step: Annotated[str | None, Query(max_length=40, description="whole minutes, such as 5m, 6h or 1d")] = None,
    queue: Annotated[str | None, Query(min_length=1, max_length=100, description="only this queue")] = None,
    worker: Annotated[str | None, Query(min_length=1, max_length=36, description="a worker's id")] = None,
    all_projects: Annotated[bool, Query(description="the whole installation; admins only")] = False,
) -> Response:
    """How runs went and what waited, point by point: of the project, of one of its queues, or of a worker."""
    if all_projects and principal.role != "admin":
        raise NotAllowed("all_projects is for admins: leave it out to see your own project's")
    wanted = _metrics(metric, of_worker=worker is not None)
    project_id, subject = _whose(principal, queue, worker, all_projects)
    first, last = instant_param("since", since), instant_param("until", until)
    asked = Asked(project_id, subject, first, last, _seconds(step))
    found, told = await context.store.read(_read, asked)
    return reply(
        {
            "since": found.since,
            "until": found.until,
            "step": found.step,
            "points": [_point_json(point, wanted) for point in told],
        }
    )


async def _read(tx: Transaction, asked: Asked) -> tuple[Window, list[Point]]:
    found = window(await tx.now(), asked.since, asked.until, asked.step)
    span = (found.length, found.since, found.until)
    whole = await tx.series.read(INSTALLATION, WHOLE, *span)
    if (asked.project_id, asked.subject) == (INSTALLATION, WHOLE):
        return found, points(found, whole, whole)
    # One step earlier too: what a worker has done is a counter.
    earlier = found.since - timedelta(seconds=found.step)
    mine = await tx.series.read(asked.project_id, asked.subject, found.length, earlier, found.until)
    return found, points(found, mine, whole)


def _whose(principal: Principal, queue: str | None, worker: str | None, all_projects: bool) -> tuple[str, str]:
    if worker is not None:
        if queue is not None:
            raise InvalidInput("worker", "cannot be combined with queue")
        if not is_id(worker):
            raise InvalidInput("worker", "must be the id of a worker")
        if not principal.may("workers:read"):
            raise NotAllowed(f"this needs the permission workers:read, which your role {principal.role} lacks")
        return INSTALLATION, worker_subject(worker)
    return INSTALLATION if all_projects else principal.project_id, WHOLE if queue is None else queue_subject(queue)


def _metrics(text: str | None, *, of_worker: bool) -> tuple[str, ...]:
    known = ("running", "done") if of_worker else tuple(_METRICS)
    if text is None:
        return known
    wanted = tuple(name.strip() for name in text.split(","))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InvalidInput("metric", f"must be some of {', '.join(known)}, separated by commas")
    return wanted


def _seconds(step: str | None) -> int | None:
    if step is None:
        return None
    try:
        found = parse_duration(step).total_seconds()
    except ValueError as error:
        raise InvalidInput("step", str(error)) from None
    if not found.is_integer():
        raise InvalidInput("step", "must be a whole number of minutes")
    return int(found)


def _point_json(point: Point, wanted: tuple[str, ...]) -> dict[str, Any]:
    return {"at": point.at, **{name: _VALUES[name](point) for name in wanted}}


def _ended(point: Point) -> dict[str, int] | None:
    mine = point.mine
    if mine is None:
        return None
    counts = {status: mine.ended.get(status, 0) for status in ENDED}
    return {**counts, "retries": mine.retries, "timed_out": mine.timed_out}


def _queued(point: Point) -> dict[str, float] | None:
    mine = point.sampled
    if mine is None:
        return None
    return {"mean": point.mean(mine.queued), "max": mine.most_queued, "oldest_seconds": mine.oldest_ms / 1000}


def _running(point: Point) -> dict[str, float | None] | None:
    mine = point.sampled
    if mine is None:
        return None
    return {
        "mean": point.mean(mine.running),
        "max": mine.most_running,
        "slots": point.mean(point.slots),
        "utilisation": point.utilisation,
    }


def _spread(spread: Spread) -> dict[str, float | None]:
    percentiles = {f"p{share}": seconds(spread, share / 100) for share in (50, 90, 99)}
    return {"count": sum(spread.values()), **percentiles}


_METRICS = {
    "ended": _ended,
    "queued": _queued,
    "running": _running,
    "lateness": lambda point: None if point.mine is None else _spread(point.mine.lateness),
    "duration": lambda point: None if point.mine is None else _spread(point.mine.duration),
}
_VALUES = {**_METRICS, "done": lambda point: None if point.mine is None else point.done}
