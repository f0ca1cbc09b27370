"""`/metrics`: the endpoint for Prometheus."""

from __future__ import annotations

import asyncio
import hmac
from datetime import timedelta
from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel

from horae.api.auth import AllowAdmin
from horae.api.context import Ctx, RequestContext
from horae.api.routes.monitoring import MonitoredJobsView, summary_json
from horae.api.views import reply
from horae.domain.errors import StoreUnavailable
from horae.domain.runs.series import INSTALLATION, MINUTE, WHOLE, Bucket, begin
from horae.ports import Transaction
from horae.watch.exposition import exposed
from horae.watch.installation import Numbers, installation

router = APIRouter(tags=["health"])

PATIENCE = 5.0  # seconds; Prometheus waits for ten


class WorkerRates(BaseModel):
    """`runs_per_minute` are those that ended in the last complete minute."""

    total: int
    alive: int
    slots: int
    slots_busy: int
    runs_per_minute: int


class SchedulerLag(BaseModel):
    """How long the longest overdue job has been due without being fired."""

    lag_seconds: float


class MetricsView(MonitoredJobsView):
    """Of all projects together."""

    workers: WorkerRates
    scheduler: SchedulerLag


class _Reader(AllowAdmin):
    """Callers with the metrics token, if one is set, or with a key that has the permission."""

    async def __call__(self, request: Request) -> None:  # type: ignore[override]
        token = request.app.state.context.settings.metrics_token
        given = request.headers.get("authorization", "").encode()
        if token is None or not hmac.compare_digest(given, f"Bearer {token}".encode()):
            await super().__call__(request)


@router.get(
    "/metrics",
    dependencies=[Depends(_Reader("metrics:read"))],
    response_model=MetricsView,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request, context: Ctx) -> Response:
    """The installation as the database counts it, and what this process does, in Prometheus' text form or as
    OpenMetrics; a few numbers as JSON for clients that accept only that. While the database does not respond, the text
    has only the metrics of this process."""
    accept = request.headers.get("accept", "")
    if _wants_json(accept):
        return reply(await context.store.read(_in_short, context.settings.offline_after))
    text, kind = exposed(request.app.state.meters, accept, await _counted(context))
    return Response(text, headers={"content-type": kind})


async def _counted(context: RequestContext) -> Numbers:
    """Nothing while the database does not answer: what this process does is known all the same."""
    settings = context.settings
    reading = context.store.read(
        installation,
        offline_after=settings.offline_after,
        shard_lease=settings.shard_lease,
        jobs=settings.metrics_jobs,
    )
    try:
        return await asyncio.wait_for(reading, PATIENCE)
    except (TimeoutError, StoreUnavailable):
        return []


async def _in_short(tx: Transaction, offline_after: float) -> dict[str, Any]:
    summary = await tx.stats.summary(None)
    workers = await tx.processes.workers(offline_after)
    alive = [worker for worker in workers if worker.there]
    minute = begin(summary.at, MINUTE)  # the last complete one is before it
    ended = await tx.series.read(INSTALLATION, WHOLE, MINUTE, minute - timedelta(seconds=MINUTE), minute)
    due_in = await tx.jobs.due_in([shard.shard for shard in await tx.processes.shards()])
    return {
        **summary_json(summary),
        "workers": {
            "total": len(workers),
            "alive": len(alive),
            "slots": sum(worker.slots for worker in alive),
            "slots_busy": sum(worker.busy for worker in alive),
            "runs_per_minute": sum(_runs(bucket) for _, bucket in ended),
        },
        "scheduler": {"lag_seconds": 0.0 if due_in is None else max(-due_in, 0.0)},
    }


def _runs(bucket: Bucket) -> int:
    """Ended runs, without skipped occurrences."""
    return sum(count for status, count in bucket.ended.items() if status != "skipped")


def _wants_json(accept: str) -> bool:
    """Whether the client accepts only JSON: one that also takes text, as Prometheus does, gets text."""
    kinds = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    return "application/json" in kinds and not kinds & {"text/plain", "text/*"}
