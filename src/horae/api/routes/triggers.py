"""Triggers: start one or many runs of a job."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext
from horae.api.enqueuing import requested
from horae.api.params import Ref
from horae.api.routes import PREFIX
from horae.api.schemas import BatchBody, Listing, RunView, TriggerBody
from horae.api.views import listing, reply, run_json
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import Trigger
from horae.lifecycle import submit

router = APIRouter(prefix=PREFIX, tags=["jobs"])

Runner = Annotated[Principal, Depends(allow("jobs:run"))]


@router.post(
    "/jobs/{id}/run",
    status_code=202,
    response_model=RunView,
    openapi_extra=takes(TriggerBody, required=False),
)
async def run_job(request: Request, context: Ctx, principal: Runner, ref: Ref) -> Response:
    """Starts a run now, or at `run_at`. If the job is at its limit, the run waits its turn."""
    body = await read_model(request, TriggerBody)
    (run,) = await _trigger(request, context, principal, ref, (body,))
    return reply(run_json(run), 202, {"location": f"/api/v1/runs/{run.id}"})


@router.post(
    "/jobs/{id}/runs:batch",
    status_code=202,
    response_model=Listing[RunView],
    openapi_extra=takes(BatchBody),
)
async def run_job_many_times(request: Request, context: Ctx, principal: Runner, ref: Ref) -> Response:
    """Starts up to 1,000 runs, all or none."""
    body = await read_model(request, BatchBody)
    runs = await _trigger(request, context, principal, ref, body.runs)
    return reply(listing(run_json(run) for run in runs), 202)


async def _trigger(
    request: Request, context: RequestContext, principal: Principal, ref: str, bodies: tuple[TriggerBody, ...]
) -> list[RunRecord]:
    # The portal and the command line say so; what a person starts is `manual`, what a program starts is `api`.
    by_hand = request.headers.get("horae-client") in ("cli", "portal")
    return await context.store.autocommit(
        submit.trigger,
        project_id=principal.project_id,
        ref=ref,
        runs=requested(bodies, context.ids, request.scope["state"].get("trace")),
        trigger=Trigger.MANUAL if by_hand else Trigger.API,
        actor=principal.actor,
    )
