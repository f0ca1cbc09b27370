"""Whether this process lives, and whether it can serve."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Depends, Response

from horae.api.auth import public
from horae.api.context import Ctx
from horae.api.schemas import DetailedHealthView, HealthView
from horae.api.views import reply
from horae.domain.errors import StoreUnavailable
from horae.domain.explanation import counted
from horae.domain.records import SchedulerRecord, WorkerRecord
from horae.domain.states import SchedulerStatus
from horae.domain.stranded import in_short
from horae.lifecycle.give_back import NOTED_WITHIN
from horae.ports import Transaction

router = APIRouter(tags=["health"], dependencies=[Depends(public)])

_COUNTED = 1_000  # nobody needs to know more exactly
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
    """Whether all that is needed is there and works: `degraded` otherwise, with `reasons`."""
    try:
        found = await asyncio.wait_for(context.store.read(_look, context.settings.offline_after), PATIENCE)
        stranded = await context.lookout.found()
    except (TimeoutError, StoreUnavailable):
        return reply(
            _details("unhealthy", "disconnected", "unknown", None, None, ["the database does not answer"]), 503
        )
    reasons = found.reasons()
    if stranded is not None and stranded.stranded:
        reasons.append(in_short(stranded.stranded, stranded.at))
    scheduler = "running" if found.schedulers else "stopped"
    return reply(
        _details(
            "degraded" if reasons else "healthy", "connected", scheduler, len(found.workers), found.unreadable, reasons
        )
    )


def _details(
    status: str, database: str, scheduler: str, workers: int | None, unreadable: int | None, reasons: Sequence[str]
) -> dict[str, Any]:
    return {
        "status": status,
        "service": "horae",
        "database": database,
        "scheduler_service": scheduler,
        "workers": workers,
        "unreadable_jobs": unreadable,
        "broker": "none",  # runs wait in the database
        "reasons": reasons,
    }


@dataclass(frozen=True, slots=True)
class Found:
    """Who is alive. Everybody may ask, so reasons count and name nobody."""

    schedulers: Sequence[SchedulerRecord]
    workers: Sequence[WorkerRecord]
    unreadable: int

    def reasons(self) -> list[str]:
        found = []
        if not self.schedulers:
            found.append("no scheduler is alive: schedules do not fire")
        if not self.workers:
            found.append("no worker is alive: runs do not start")
        for noun, processes in (("scheduler", self.schedulers), ("worker", self.workers)):
            tasks = Counter(one.trouble.task for one in processes if one.trouble is not None)
            found += [
                f"{counted(n, noun)} {'keeps' if n == 1 else 'keep'} failing to {task}" for task, n in tasks.items()
            ]
        if self.unreadable:
            found.append(f"{counted(self.unreadable, 'job')} cannot be read by some process, and are left out")
        return found


async def _ask(tx: Transaction) -> None:
    await tx.upkeep.check_writable()


async def _look(tx: Transaction, offline_after: float) -> Found:
    return Found(
        [one for one in await tx.processes.schedulers(_SILENT) if one.status != SchedulerStatus.OFFLINE],
        [one for one in await tx.processes.workers(offline_after) if one.there],
        len(await tx.unreadable.names(NOTED_WITHIN, _COUNTED)),
    )
