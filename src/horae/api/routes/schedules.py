"""What a schedule does next: of a job, or before it is anybody's."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import Ref, find_job
from horae.api.schemas import PREVIEW_LIMIT, PreviewBody, PreviewView
from horae.api.views import preview_json, reply

router = APIRouter(tags=["schedules"])

_TICK = timedelta(microseconds=1)


@router.post("/schedules/preview", response_model=PreviewView, openapi_extra=takes(PreviewBody))
async def preview_schedule(
    request: Request, context: Ctx, _: Annotated[Principal, Depends(allow("schedules:preview"))]
) -> Response:
    """The next occurrences, by the very functions that fire."""
    body = await read_model(request, PreviewBody)
    start = body.from_ or context.clock.now()
    return reply(preview_json(body.schedule, anchor=start, after=start - _TICK, count=body.count))


@router.get("/jobs/{id}/next", response_model=PreviewView)
async def next_occurrences(
    context: Ctx,
    principal: Annotated[Principal, Depends(allow("jobs:read"))],
    ref: Ref,
    count: Annotated[int, Query(ge=1, le=PREVIEW_LIMIT)] = 10,
) -> Response:
    """When the job runs next, if nobody changes it. Of one that is off: when it would."""
    job = await context.store.read(find_job, principal.project_id, ref)
    after = (job.next_run_at or context.clock.now()) - _TICK
    if job.fired_through is not None:
        after = max(after, job.fired_through)
    return reply(preview_json(job.spec.schedule, anchor=job.anchor_at, after=after, count=count))
