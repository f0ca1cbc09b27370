"""Queues: their backlog, their workers, their engine, pausing and reserving them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from horae.api.auth import Caller, Principal, allow, allow_admin
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext
from horae.api.params import Paging
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.views import listing, reply, shown
from horae.domain.cluster.process import WorkerRecord
from horae.domain.errors import InvalidInput
from horae.domain.jobs.job import QueueName
from horae.domain.jobs.queue import QueueRecord, QueueUse
from horae.domain.pages import Page
from horae.domain.runs.engine_choice import CELERY, DATABASE, DATABASE_ONLY, ENGINES, EngineChoice
from horae.domain.runs.states import WorkerStatus
from horae.domain.text.ids import NIL
from horae.lifecycle import queues, reservations
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["queues"])

Holder = Annotated[Caller, Depends(allow_admin("queues:pause"))]
Reserving = Annotated[Caller, Depends(allow_admin("queues:reserve"))]
Choosing = Annotated[Caller, Depends(allow_admin("queues:engine"))]
Name = Annotated[str, Path(max_length=100, description="the queue's name")]
Reserved = Annotated[QueueName, Path(description="the queue's name; it need not exist yet")]
_SERVING = (WorkerStatus.IDLE, WorkerStatus.BUSY)


class QueueStateView(BaseModel):
    """`engine` is what an admin chose, null for the engine of the settings; `carried_by` is the engine that carries its
    runs now."""

    name: str
    paused: bool
    paused_at: datetime | None
    paused_by: str | None
    engine: str | None
    carried_by: str


class QueueView(QueueStateView):
    """`queued` and `running` count this project's runs; `workers` counts the live workers that its runs can reach.
    `stranded` counts the queued runs that none of them can execute. `projects` are those that the queue is `reserved`
    for; only admins see other projects. `engines` can be chosen for it."""

    queued: int
    running: int
    workers: int
    served: bool
    stranded: int
    reserved: bool
    projects: list[str]
    engines: list[str]


class QueuePatch(BaseModel):
    """The engine that carries the queue's runs; null: that of the settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    engine: Literal["database", "celery"] | None


class ReservationBody(BaseModel):
    """The slugs of the projects whose jobs may use the queue; empty: open to all."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    projects: Annotated[tuple[Annotated[str, Field(max_length=100)], ...], Field(max_length=100, strict=False)]


class ReservationView(BaseModel):
    name: str
    projects: list[str]


@router.get("/queues", response_model=Listing[QueueView])
async def list_queues(
    context: Ctx,
    principal: Annotated[Principal, Depends(allow("queues:read"))],
    limit: Annotated[int, Query(ge=1, le=queues.PAGE, description="how many items")] = queues.PAGE,
    cursor: Annotated[str | None, Query(max_length=1_000, description="`next_cursor` of the previous page")] = None,
) -> Response:
    """By name: the queues that the project's jobs use or that are reserved for it, and `default`; for admins, every
    queue that any job uses or has used."""
    page = Paging(limit, cursor)
    after = page.after(context, principal, "queues")
    use = await context.queue_uses.of(principal.project_id)
    look = partial(_look, use=use, everything=principal.role == "admin", limit=limit, after=after)
    found, workers = await context.store.read(look, principal.project_id, context.settings.offline_after)
    stranded = await context.lookout.of(principal.project_id)
    waiting = Counter[str]()
    for group in stranded.stranded if stranded else ():
        waiting[group.queue] += group.runs
    sees = (
        None
        if principal.role == "admin"
        else next(place.slug for place in principal.caller.places if place.project_id == principal.project_id)
    )
    items = (queue_json(one, workers, sees, waiting[one.name], context.settings.engines) for one in found.items)
    return reply(listing(items, page.next(context, principal, "queues", found.next)))


@router.patch("/queues/{name}", response_model=QueueStateView, openapi_extra=takes(QueuePatch))
async def change_queue(context: Ctx, caller: Choosing, name: Name, request: Request) -> Response:
    """Chooses the engine that carries the queue's runs, of all projects. Processes follow within seconds; no run is
    lost or executed twice."""
    body = await read_model(request, QueuePatch)
    if body.engine == CELERY and not context.settings.engines.has_broker:
        raise InvalidInput("engine", "there is no broker: set HORAE_BROKER_URL for every process, and restart them")
    found = await context.store.transact(
        queues.choose_engine, project_id=NIL, name=name, engine=body.engine, actor=caller.actor
    )
    return reply(_state(found, context))


@router.post("/queues/{name}/pause", response_model=QueueStateView)
async def pause_queue(context: Ctx, caller: Holder, name: Name) -> Response:
    """Pauses the queue for all projects: no more of its runs start. Running ones continue."""
    found = await context.store.transact(queues.pause_queue, project_id=NIL, name=name, actor=caller.actor)
    return reply(_state(found, context))


@router.post("/queues/{name}/resume", response_model=QueueStateView)
async def resume_queue(context: Ctx, caller: Holder, name: Name) -> Response:
    """Resumes a paused queue."""
    found = await context.store.transact(queues.resume_queue, project_id=NIL, name=name, actor=caller.actor)
    return reply(_state(found, context))


@router.put("/queues/{name}/projects", response_model=ReservationView, openapi_extra=takes(ReservationBody))
async def reserve_queue(context: Ctx, caller: Reserving, name: Reserved, request: Request) -> Response:
    """Reserves a queue for projects, or opens it to all. Rejected while other projects use it."""
    body = await read_model(request, ReservationBody)
    slugs = sorted(set(body.projects))
    await context.store.transact(reservations.reserve_queue, name=name, slugs=slugs, actor=caller.actor)
    return reply({"name": name, "projects": slugs})


async def _look(
    tx: Transaction,
    project_id: str,
    offline_after: float,
    *,
    use: QueueUse,
    everything: bool,
    limit: int,
    after: str | None,
) -> tuple[Page[QueueRecord], list[WorkerRecord]]:
    found = await queues.list_queues(tx, project_id, use, everything=everything, limit=limit, after=after)
    return found, await tx.processes.workers(offline_after)


def queue_json(
    queue: QueueRecord,
    workers: Sequence[WorkerRecord],
    sees: str | None,
    stranded: int,
    engines: EngineChoice = DATABASE_ONLY,
) -> dict[str, Any]:
    """`sees` is the only project whose name the caller may see; None means all. `engines` are those of the settings."""
    engine = _carrier(queue, engines)
    serving = [one for one in workers if one.status in _SERVING and one.takes(queue.name, engine)]
    return shown(
        QueueView,
        queue,
        paused=queue.paused_at is not None,
        carried_by=engine,
        workers=len(serving),
        served=bool(serving),
        stranded=stranded,
        reserved=bool(queue.projects),
        engines=list(ENGINES) if engines.has_broker else [DATABASE],
        projects=[slug for slug in queue.projects if sees in (None, slug)],
    )


def _state(queue: QueueRecord, context: RequestContext) -> dict[str, Any]:
    carried_by = _carrier(queue, context.settings.engines)
    return shown(QueueStateView, queue, paused=queue.paused_at is not None, carried_by=carried_by)


def _carrier(queue: QueueRecord, engines: EngineChoice) -> str:
    chosen = {queue.name: queue.engine} if queue.engine and engines.has_broker else {}
    return engines.with_chosen(chosen).of(queue.name)
