"""Retries: run an ended run again, as a new run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext
from horae.api.enqueuing import new_input
from horae.api.params import Ref, RunId
from horae.api.routes import PREFIX
from horae.api.schemas import RunView
from horae.api.views import reply, run_json
from horae.domain.runs.run_record import RunRecord
from horae.lifecycle import rerun

router = APIRouter(prefix=PREFIX)

Runner = Annotated[Principal, Depends(allow("jobs:run"))]


class RetryBody(BaseModel):
    """Input for the new run; by default, the input of the old one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    input: Any = None


@router.post(
    "/runs/{id}/retry",
    status_code=202,
    response_model=RunView,
    openapi_extra=takes(RetryBody, required=False),
    tags=["runs"],
)
async def retry_run(request: Request, context: Ctx, principal: Runner, run_id: RunId) -> Response:
    """Creates a new run with the job's current definition and `rerun_of` set. The old run is unchanged, but is no
    longer a dead letter."""
    return await _again(request, context, principal, rerun.retry_run, run_id=run_id)


@router.post(
    "/jobs/{id}/retry",
    status_code=202,
    response_model=RunView,
    openapi_extra=takes(RetryBody, required=False),
    tags=["jobs"],
)
async def retry_job(request: Request, context: Ctx, principal: Runner, ref: Ref) -> Response:
    """Retries the job's latest failed run; 409 if there is none."""
    return await _again(request, context, principal, rerun.retry_job, ref=ref)


async def _again(
    request: Request,
    context: RequestContext,
    principal: Principal,
    verb: Callable[..., Awaitable[RunRecord]],
    **which: str,
) -> Response:
    given = new_input(await read_model(request, RetryBody))
    who = {"project_id": principal.project_id, "actor": principal.actor}
    run = await context.store.transact(verb, **who, **which, new_id=context.ids.new(), input=given)
    return reply(run_json(run), 202, {"location": f"/api/v1/runs/{run.id}"})
