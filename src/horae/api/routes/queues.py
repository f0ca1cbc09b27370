"""Queues: what waits in them, who serves them, and holding them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response
from pydantic import BaseModel

from horae.api.auth import Caller, Principal, allow, allow_admin
from horae.api.context import Ctx
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.views import listing, reply
from horae.domain.queue import QueueRecord
from horae.domain.records import WorkerRecord
from horae.domain.states import WorkerStatus
from horae.lifecycle import queues
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["queues"])

Holder = Annotated[Caller, Depends(allow_admin("queues:pause"))]
Name = Annotated[str, Path(max_length=100, description="the queue's name")]
_SERVING = (WorkerStatus.IDLE, WorkerStatus.BUSY)
_NOBODY = "00000000-0000-0000-0000-000000000000"


class QueueView(BaseModel):
    """`queued` and `running` are this project's; `workers` are those alive that serve it. `stranded` of the queued ones
    wait for what none of those offers."""

    name: str
    paused: bool
    paused_at: datetime | None
    paused_by: str | None
    queued: int
    running: int
    workers: int
    served: bool
    stranded: int


class QueueStateView(BaseModel):
    name: str
    paused: bool
    paused_at: datetime | None
    paused_by: str | None


@router.get("/queues", response_model=Listing[QueueView])
async def list_queues(context: Ctx, principal: Annotated[Principal, Depends(allow("queues:read"))]) -> Response:
    """Every queue that some job names or named, by name."""
    found, workers = await context.store.read(_look, principal.project_id, context.settings.offline_after)
    stranded = await context.lookout.of(principal.project_id)
    waiting = Counter[str]()
    for group in stranded.stranded if stranded else ():
        waiting[group.queue] += group.runs
    return reply(listing({**queue_json(one, workers), "stranded": waiting[one.name]} for one in found))


@router.post("/queues/{name}/pause", response_model=QueueStateView)
async def pause_queue(context: Ctx, caller: Holder, name: Name) -> Response:
    """Starts no more of its runs, in any project; running ones go on."""
    found = await context.store.transact(queues.pause_queue, project_id=_NOBODY, name=name, actor=caller.actor)
    return reply(_state(found))


@router.post("/queues/{name}/resume", response_model=QueueStateView)
async def resume_queue(context: Ctx, caller: Holder, name: Name) -> Response:
    """Starts its waiting runs again."""
    found = await context.store.transact(queues.resume_queue, project_id=_NOBODY, name=name, actor=caller.actor)
    return reply(_state(found))


async def _look(tx: Transaction, project_id: str, offline_after: float) -> tuple[list[QueueRecord], list[WorkerRecord]]:
    return await queues.list_queues(tx, project_id), await tx.processes.workers(offline_after)


def queue_json(queue: QueueRecord, workers: Sequence[WorkerRecord]) -> dict[str, Any]:
    serving = [one for one in workers if one.status in _SERVING and (not one.queues or queue.name in one.queues)]
    return {
        **_state(queue),
        "queued": queue.queued,
        "running": queue.running,
        "workers": len(serving),
        "served": bool(serving),
    }


def _state(queue: QueueRecord) -> dict[str, Any]:
    return {
        "name": queue.name,
        "paused": queue.paused_at is not None,
        "paused_at": queue.paused_at,
        "paused_by": queue.paused_by,
    }
