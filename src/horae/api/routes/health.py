"""Whether this process lives, and whether it can serve."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Depends, Response

from horae.api.auth import public
from horae.api.context import Ctx
from horae.api.schemas import DetailedHealthView, HealthView
from horae.api.views import reply
from horae.domain.errors import StoreUnavailable
from horae.domain.states import WorkerStatus
from horae.ports import Transaction

router = APIRouter(tags=["health"], dependencies=[Depends(public)])

_SILENT = 15.0  # seconds without a sign of life of a scheduler, which gives one every two
PATIENCE = 3.0  # seconds; load balancers ask again soon


@router.get("/health", response_model=HealthView)
async def health() -> Response:
    """The API answers; `starting` until this process has found its database for the first time."""
    return await live()


@router.get("/health/live", response_model=HealthView)
async def live() -> Response:
    """This process lives."""
    return reply({"status": "healthy", "service": "horae"})


@router.get("/health/ready", response_model=HealthView)
async def ready(context: Ctx) -> Response:
    """This process can reach its database, and that takes changes."""
    try:
        await asyncio.wait_for(context.store.read(_ask), PATIENCE)
    except TimeoutError:
        raise StoreUnavailable("the database did not answer in time") from None
    return reply({"status": "ready", "service": "horae"})


@router.get(
    "/health/detailed",
    response_model=DetailedHealthView,
    responses={503: {"model": DetailedHealthView, "description": "The database does not answer"}},
)
async def detailed(context: Ctx) -> Response:
    """Whether all that is needed is there: `degraded` without a scheduler or a worker."""
    try:
        schedulers, workers = await asyncio.wait_for(
            context.store.read(_count, context.settings.offline_after), PATIENCE
        )
    except (TimeoutError, StoreUnavailable):
        return reply(_details("unhealthy", "disconnected", "unknown", None), 503)
    status = "healthy" if schedulers and workers else "degraded"
    return reply(_details(status, "connected", "running" if schedulers else "stopped", workers))


def _details(status: str, database: str, scheduler: str, workers: int | None) -> dict[str, Any]:
    return {
        "status": status,
        "service": "horae",
        "database": database,
        "scheduler_service": scheduler,
        "workers": workers,
        "broker": "none",  # runs wait in the database
    }


async def _ask(tx: Transaction) -> None:
    await tx.upkeep.check_writable()


async def _count(tx: Transaction, offline_after: float) -> tuple[int, int]:
    """Schedulers and workers that are alive."""
    workers = await tx.processes.workers(offline_after)
    alive = sum(worker.status != WorkerStatus.OFFLINE for worker in workers)
    return len(await tx.processes.live_schedulers(_SILENT)), alive
