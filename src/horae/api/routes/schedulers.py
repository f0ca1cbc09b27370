"""Who fires schedules, and which shards each one leases."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from horae.api.auth import Principal, allow
from horae.api.context import Ctx
from horae.api.routes import PREFIX
from horae.api.schemas import Listing, SchedulerView
from horae.api.views import listing, reply, scheduler_json
from horae.domain.records import SchedulerRecord
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["schedulers"])


@router.get("/schedulers", response_model=Listing[SchedulerView])
async def list_schedulers(context: Ctx, _: Annotated[Principal, Depends(allow("schedulers:read"))]) -> Response:
    """All schedulers."""
    found = await context.store.read(_schedulers)
    return reply(listing(scheduler_json(scheduler) for scheduler in found))


async def _schedulers(tx: Transaction) -> list[SchedulerRecord]:
    return await tx.processes.schedulers()
