"""Queues: their backlog, their workers, pausing and reserving them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from horae.api.auth import Caller, Principal, allow, allow_admin
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import Paging
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.views import listing, reply, shown
from horae.domain.cluster.process import WorkerRecord
from horae.domain.jobs.job import QueueName
from horae.domain.jobs.queue import QueueRecord, QueueUse
from horae.domain.pages import Page
from horae.domain.runs.states import WorkerStatus
from horae.domain.text.ids import NIL
from horae.lifecycle import queues, reservations
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["queues"])

Holder = Annotated[Caller, Depends(allow_admin("queues:pause"))]
Reserving = Annotated[Caller, Depends(allow_admin("queues:reserve"))]
Name = Annotated[str, Path(max_length=100, description="the queue's name")]
Reserved = Annotated[QueueName, Path(description="the queue's name; it need not exist yet")]
_SERVING = (WorkerStatus.IDLE, WorkerStatus.BUSY)


class QueueStateView(BaseModel):
    name: str
    paused: bool
    paused_at: datetime | None
    paused_by: str | None


class QueueView(QueueStateView):
    """`queued` and `running` count this project's runs; `workers` counts the live workers that serve the queue.
    `stranded` counts the queued runs that none of them can execute. `projects` are those that the queue is `reserved`
    for; only admins see other projects."""

    queued: int
    running: int
    workers: int
    served: bool
    stranded: int
    reserved: bool
    projects: list[str]


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
    items = (queue_json(one, workers, sees, waiting[one.name]) for one in found.items)
    return reply(listing(items, page.next(context, principal, "queues", found.next)))


@router.post("/queues/{name}/pause", response_model=QueueStateView)
async def pause_queue(context: Ctx, caller: Holder, name: Name) -> Response:
    """Pauses the queue for all projects: no more of its runs start. Running ones continue."""
    found = await context.store.transact(queues.pause_queue, project_id=NIL, name=name, actor=caller.actor)
    return reply(_state(found))


@router.post("/queues/{name}/resume", response_model=QueueStateView)
async def resume_queue(context: Ctx, caller: Holder, name: Name) -> Response:
    """Resumes a paused queue."""
    found = await context.store.transact(queues.resume_queue, project_id=NIL, name=name, actor=caller.actor)
    return reply(_state(found))


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


def queue_json(queue: QueueRecord, workers: Sequence[WorkerRecord], sees: str | None, stranded: int) -> dict[str, Any]:
    """`sees` is the only project whose name the caller may see; None means all."""
    serving = [one for one in workers if one.status in _SERVING and one.serves(queue.name)]
    return shown(
        QueueView,
        queue,
        paused=queue.paused_at is not None,
        workers=len(serving),
        served=bool(serving),
        stranded=stranded,
        reserved=bool(queue.projects),
        projects=[slug for slug in queue.projects if sees in (None, slug)],
    )


def _state(queue: QueueRecord) -> dict[str, Any]:
    return shown(QueueStateView, queue, paused=queue.paused_at is not None)
