"""Whether this process lives, and whether it can serve."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends, Response

from horae.api.auth import public
from horae.api.context import Ctx
from horae.api.schemas import HealthView
from horae.api.views import reply
from horae.domain.errors import StoreUnavailable
from horae.ports import Transaction

router = APIRouter(tags=["health"], dependencies=[Depends(public)])

PATIENCE = 3.0  # seconds; load balancers ask again soon


@router.get("/health", response_model=HealthView)
@router.get("/health/live", response_model=HealthView)
async def live() -> Response:
    """This process answers."""
    return reply({"status": "healthy", "service": "horae"})


@router.get("/health/ready", response_model=HealthView)
async def ready(context: Ctx) -> Response:
    """This process can reach its database."""
    try:
        await asyncio.wait_for(context.store.read(_ask), PATIENCE)
    except TimeoutError:
        raise StoreUnavailable("the database did not answer in time") from None
    return reply({"status": "ready", "service": "horae"})


async def _ask(tx: Transaction) -> None:
    await tx.now()
