"""An ended run once more: the same work as a new run."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx
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
    run = await context.store.transact(
        rerun.retry_run,
        project_id=principal.project_id,
        run_id=run_id,
        new_id=context.ids.new(),
        actor=principal.actor,
        input=await _input(request),
    )
    return _accepted(run)


@router.post(
    "/jobs/{id}/retry",
    status_code=202,
    response_model=RunView,
    openapi_extra=takes(RetryBody, required=False),
    tags=["jobs"],
)
async def retry_job(request: Request, context: Ctx, principal: Runner, ref: Ref) -> Response:
    """Retries the job's latest failed run; 409 if there is none."""
    run = await context.store.transact(
        rerun.retry_job,
        project_id=principal.project_id,
        ref=ref,
        new_id=context.ids.new(),
        actor=principal.actor,
        input=await _input(request),
    )
    return _accepted(run)


async def _input(request: Request) -> rerun.NewInput | None:
    return new_input(await read_model(request, RetryBody))


def _accepted(run: RunRecord) -> Response:
    return reply(run_json(run), 202, {"location": f"/api/v1/runs/{run.id}"})
