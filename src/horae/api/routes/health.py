"""Liveness and readiness: whether this process is alive, and whether it can serve."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from horae.accounts.usage import strained
from horae.api.auth import authenticate, public
from horae.api.context import Ctx, RequestContext
from horae.api.schemas.processes import DetailedHealthView, HealthView
from horae.api.views import reply
from horae.domain.cluster.process import SchedulerRecord, WorkerRecord
from horae.domain.errors import HoraeError, StoreUnavailable
from horae.domain.explain.explanation import counted
from horae.domain.explain.strain import strain_in_words
from horae.domain.runs.states import SchedulerStatus
from horae.domain.runs.stranded import in_short
from horae.domain.sinks.words import failing_in_words
from horae.lifecycle.give_back import NOTED_WITHIN
from horae.ports import Transaction

router = APIRouter(tags=["health"], dependencies=[Depends(public)])

_WAITING = "no live worker can execute some of the queued runs"
_UNHEARD = "this process cannot send wake-ups: what it queues starts only when workers poll"
_NOTICES = 20
_COUNTED = 1_000  # no caller needs the exact number
_SILENT = 15.0  # seconds without a heartbeat of a scheduler, which sends one every two
PATIENCE = 3.0  # seconds; load balancers poll often


@router.get("/health", response_model=HealthView)
async def health() -> Response:
    """The API is up; `starting` until this process has reached its database for the first time."""
    return await live()


@router.get("/health/live", response_model=HealthView)
async def live() -> Response:
    """This process is alive."""
    return reply({"status": "healthy", "service": "horae"})


@router.get("/health/ready", response_model=HealthView)
async def ready(context: Ctx) -> Response:
    """This process can reach its database, and the database accepts writes."""
    try:
        await asyncio.wait_for(context.store.read(lambda tx: tx.upkeep.check_writable()), PATIENCE)
    except TimeoutError:
        raise StoreUnavailable("the database did not respond in time") from None
    return reply({"status": "ready", "service": "horae"})


@router.get(
    "/health/detailed",
    response_model=DetailedHealthView,
    responses={503: {"model": DetailedHealthView, "description": "The database is not responding"}},
)
async def detailed(request: Request, context: Ctx) -> Response:
    """Whether everything that runs need is present and working; otherwise `degraded`, with `reasons`. Only admins get
    numbers: `workers` and `unreadable_jobs` are null for everyone else."""
    in_numbers = await _by_admin(request)
    try:
        found = await asyncio.wait_for(context.store.read(_look, context.settings.offline_after), PATIENCE)
        stranded = await context.lookout.found()
    except (TimeoutError, StoreUnavailable):
        return reply(
            _details("unhealthy", "disconnected", "unknown", None, None, ["the database is not responding"]), 503
        )
    reasons, broker = found.reasons(in_numbers=in_numbers), context.settings.broker()
    if broker == "unreachable":
        reasons.append("the broker is unreachable: runs of the queues that it carries do not start")
    if stranded is not None and stranded.stranded:
        reasons.append(in_short(stranded.stranded, stranded.at) if in_numbers else _WAITING)
    if request.app.state.hints_trouble() is not None:
        reasons.append(_UNHEARD)
    scheduler = "running" if found.schedulers else "stopped"
    workers, unreadable = (len(found.workers), found.unreadable) if in_numbers else (None, None)
    status = "degraded" if reasons else "healthy"
    notices = await _notices(context) if in_numbers else []
    return reply(_details(status, "connected", scheduler, workers, unreadable, reasons, notices, broker))


async def _notices(context: RequestContext) -> list[str]:
    """Sinks that fail, and projects that are near a quota; none if counting takes too long because they are large."""
    try:
        return await asyncio.wait_for(context.store.read(_strained), PATIENCE)
    except (TimeoutError, StoreUnavailable):
        return []


async def _strained(tx: Transaction) -> list[str]:
    now = await tx.now()
    sinks = [failing_in_words(one, now) for one in await tx.sinks.failing(_NOTICES)]
    return [*sinks, *(strain_in_words(one, now) for one in (await strained(tx))[:_NOTICES])]


async def _by_admin(request: Request) -> bool:
    """Whether the caller is an admin; everyone else may ask, too."""
    if "authorization" not in request.headers:
        return False
    try:
        return (await authenticate(request)).is_admin
    except HoraeError:  # no key, or no database to look it up in
        return False


def _details(
    status: str,
    database: str,
    scheduler: str,
    workers: int | None,
    unreadable: int | None,
    reasons: Sequence[str],
    notices: Sequence[str] = (),
    broker: str = "unknown",
) -> dict[str, Any]:
    return {
        "status": status,
        "service": "horae",
        "database": database,
        "scheduler_service": scheduler,
        "workers": workers,
        "unreadable_jobs": unreadable,
        "broker": broker,
        "reasons": reasons,
        "notices": notices,
    }


@dataclass(frozen=True, slots=True)
class Findings:
    """Cluster health. Everyone may ask, so reasons contain no names, and numbers only for admins."""

    schedulers: Sequence[SchedulerRecord]
    workers: Sequence[WorkerRecord]
    unreadable: int

    def reasons(self, *, in_numbers: bool) -> list[str]:
        found = []
        if not self.schedulers:
            found.append("no scheduler is alive: schedules do not fire")
        if not self.workers:
            found.append("no worker is alive: runs do not start")
        for noun, processes in (("scheduler", self.schedulers), ("worker", self.workers)):
            tasks = Counter(one.trouble.task for one in processes if one.trouble is not None)
            for task, n in tasks.items():
                who = f"{counted(n, noun)} {'keeps' if n == 1 else 'keep'}" if in_numbers else f"some {noun}s keep"
                found.append(f"{who} failing to {task}")
        if self.unreadable:
            jobs = counted(self.unreadable, "job") if in_numbers else "some jobs"
            found.append(f"{jobs} cannot be read by at least one process, and are skipped there")
        return found


async def _look(tx: Transaction, offline_after: float) -> Findings:
    return Findings(
        [one for one in await tx.processes.schedulers(_SILENT) if one.status != SchedulerStatus.OFFLINE],
        [one for one in await tx.processes.workers(offline_after) if one.there],
        len(await tx.unreadable.names(NOTED_WITHIN, _COUNTED)),
    )
