"""Who carries out runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from horae.api.auth import Caller, Principal, allow, allow_admin
from horae.api.context import Ctx
from horae.api.routes import PREFIX
from horae.api.schemas import Listing, WorkerView
from horae.api.views import listing, reply, worker_json
from horae.domain.errors import NotFound
from horae.domain.ids import is_id
from horae.domain.records import WorkerRecord
from horae.lifecycle.drain import drain
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["workers"])


@router.get("/workers", response_model=Listing[WorkerView])
async def list_workers(context: Ctx, _: Annotated[Principal, Depends(allow("workers:read"))]) -> Response:
    """All workers: idle, busy, draining, or offline."""
    found = await context.store.read(_workers, context.settings.offline_after)
    return reply(listing(worker_json(worker) for worker in found))


@router.post("/workers/{id}/drain", status_code=202, response_model=WorkerView)
async def drain_worker(
    context: Ctx,
    caller: Annotated[Caller, Depends(allow_admin("workers:drain"))],
    id: Annotated[str, Path(description="a worker's id")],
) -> Response:
    """It ends what it has and takes nothing more, until it is started anew; it learns of it by its next heartbeat."""
    if not is_id(id):
        raise NotFound("there is no such worker")
    worker = await context.store.transact(
        drain, worker_id=id, actor=caller.actor, offline_after=context.settings.offline_after
    )
    return reply(worker_json(worker), 202)


async def _workers(tx: Transaction, offline_after: float) -> list[WorkerRecord]:
    return await tx.processes.workers(offline_after)
