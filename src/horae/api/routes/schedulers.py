"""Schedulers, and the shards that each one leases."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from horae.api.auth import Principal, allow
from horae.api.context import Ctx
from horae.api.routes import PREFIX
from horae.api.schemas.processes import SchedulersView
from horae.api.views import listing, reply, scheduler_json
from horae.domain.cluster.process import SchedulerRecord
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["schedulers"])


@router.get("/schedulers", response_model=SchedulersView)
async def list_schedulers(context: Ctx, _: Annotated[Principal, Depends(allow("schedulers:read"))]) -> Response:
    """All schedulers: active, on standby, or offline."""
    shards, found = await context.store.read(_schedulers, context.settings.shard_lease)
    return reply({**listing(scheduler_json(scheduler) for scheduler in found), "shard_count": shards})


async def _schedulers(tx: Transaction, silent_after: float) -> tuple[int, list[SchedulerRecord]]:
    return len(await tx.processes.shards()), await tx.processes.schedulers(silent_after)
