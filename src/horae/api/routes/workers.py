"""Who carries out runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from horae.api.auth import Principal, allow
from horae.api.context import Ctx
from horae.api.schemas import Listing, WorkerView
from horae.api.views import listing, reply, worker_json
from horae.domain.records import WorkerRecord
from horae.ports import Transaction

router = APIRouter(tags=["workers"])


@router.get("/workers", response_model=Listing[WorkerView])
async def list_workers(context: Ctx, _: Annotated[Principal, Depends(allow("workers:read"))]) -> Response:
    """All workers: idle, busy, draining, or offline."""
    found = await context.store.read(_workers, context.settings.offline_after)
    return reply(listing(worker_json(worker) for worker in found))


async def _workers(tx: Transaction, offline_after: float) -> list[WorkerRecord]:
    return await tx.processes.workers(offline_after)
