"""Why a job or a run does, did or does not run."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response

from horae.api.auth import Principal, allow
from horae.api.context import Ctx
from horae.api.params import Ref, RunId
from horae.api.routes import PREFIX
from horae.api.schemas.explanations import GateView, JobExplanationView, RunExplanationView
from horae.api.views import reply, shown
from horae.domain.explain.explanation import Explanation
from horae.lifecycle import explain

router = APIRouter(prefix=PREFIX)


@router.get("/jobs/{id}/explain", response_model=JobExplanationView, tags=["jobs"])
async def explain_job(context: Ctx, principal: Annotated[Principal, Depends(allow("jobs:read"))], ref: Ref) -> Response:
    """What the job is waiting for: every gate before its next run, and how to open those that are closed."""
    found = await context.store.read(
        explain.explain_job,
        project_id=principal.project_id,
        ref=ref,
        offline_after=context.settings.offline_after,
        engines=context.settings.engines,
    )
    return reply(_json(found))


@router.get("/runs/{id}/explain", response_model=RunExplanationView, tags=["runs"])
async def explain_run(
    context: Ctx, principal: Annotated[Principal, Depends(allow("runs:read"))], run_id: RunId
) -> Response:
    """What the run is waiting for or how it ended, and its timeline."""
    found = await context.store.read(
        explain.explain_run,
        project_id=principal.project_id,
        run_id=run_id,
        offline_after=context.settings.offline_after,
        engines=context.settings.engines,
    )
    return reply({**_json(found), "timeline": found.timeline})


def _json(found: Explanation) -> dict[str, Any]:
    gates = [shown(GateView, gate) for gate in found.gates]
    return shown(JobExplanationView, found, cause=found.cause.name if found.cause else None, gates=gates)
