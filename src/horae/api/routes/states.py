"""Pause, resume, enable and disable a job's schedule."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import Ref, hold_writable
from horae.api.routes import PREFIX
from horae.api.schemas import JobView
from horae.api.schemas.schedules import PauseBody
from horae.api.views import job_reply
from horae.domain.jobs.job_record import JobRecord
from horae.lifecycle import state
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["jobs"])

Pauser = Annotated[Principal, Depends(allow("jobs:pause"))]
Writer = Annotated[Principal, Depends(allow("jobs:write"))]


@router.post("/jobs/{id}/pause", response_model=JobView, openapi_extra=takes(PauseBody, required=False))
async def pause_job(request: Request, context: Ctx, principal: Pauser, ref: Ref) -> Response:
    """Pauses the schedule until `until`, or until it is resumed. Runs already queued still run, and so do manual
    ones."""
    body = await read_model(request, PauseBody)
    job = await context.store.transact(
        state.pause, project_id=principal.project_id, ref=ref, until=body.until, actor=principal.actor
    )
    return job_reply(job, context.clock.now())


@router.post("/jobs/{id}/resume", response_model=JobView)
async def resume_job(context: Ctx, principal: Pauser, ref: Ref) -> Response:
    """Ends a pause. The job's catch-up rule decides about occurrences missed meanwhile."""
    job = await context.store.transact(state.resume, project_id=principal.project_id, ref=ref, actor=principal.actor)
    return job_reply(job, context.clock.now())


@router.post("/jobs/{id}/enable", response_model=JobView)
async def enable_job(context: Ctx, principal: Writer, ref: Ref) -> Response:
    """Enables the schedule from now on. One skipped row covers the time it was disabled."""
    job = await context.store.transact(_switched, state.enable, principal, ref)
    return job_reply(job, context.clock.now())


@router.post("/jobs/{id}/disable", response_model=JobView)
async def disable_job(context: Ctx, principal: Writer, ref: Ref) -> Response:
    """Disables the schedule. Runs already queued still run, and so do manual ones."""
    job = await context.store.transact(_switched, state.disable, principal, ref)
    return job_reply(job, context.clock.now())


async def _switched(tx: Transaction, verb: Callable[..., Awaitable[JobRecord]], who: Principal, ref: str) -> JobRecord:
    await hold_writable(tx, who, ref)
    return await verb(tx, project_id=who.project_id, ref=ref, actor=who.actor)
