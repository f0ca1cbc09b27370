"""Previews: the next occurrences of a job's schedule, or of one that is not saved yet."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.errors import refuses
from horae.api.params import Ref, find_job
from horae.api.routes import PREFIX
from horae.api.schedule_views import comparison_json, next_json, preview_json
from horae.api.schemas.schedules import PREVIEW_LIMIT, NextView, PreviewBody, PreviewView
from horae.api.views import reply
from horae.domain.errors import NotAllowed
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.standing import upcoming_after
from horae.domain.time.instants import TICK
from horae.domain.time.preview import Upcoming, first_preview, preview

router = APIRouter(prefix=PREFIX, tags=["schedules"])


@router.post("/schedules/preview", response_model=PreviewView, responses=refuses(404), openapi_extra=takes(PreviewBody))
async def preview_schedule(
    request: Request, context: Ctx, principal: Annotated[Principal, Depends(allow("schedules:preview"))]
) -> Response:
    """The next occurrences, computed by the same functions that fire them. With `compare` (another schedule) or `job`
    (a job's current schedule), also shows the differences."""
    body = await read_model(request, PreviewBody)
    start = body.from_ or context.clock.now()
    if body.job is None:
        new = _saved(body, start)
        shown = preview_json(body.schedule, new)
        if body.compare is not None:
            old = preview(body.compare, start, start - TICK, body.count)
            shown["compare"] = comparison_json(new, body.compare, old, body.count)
        return reply(shown)
    if not principal.may("jobs:read"):
        raise NotAllowed("comparing with a job needs the permission jobs:read")
    job = await context.store.read(find_job, principal.project_id, body.job)
    same = body.schedule == job.spec.schedule
    # Otherwise its grid starts when it is saved, and its previous runs count.
    new = _upcoming(job, start, body.count) if same else _saved(body, start, job.fired_through, job.fired_count)
    old = _upcoming(job, start, body.count)
    compared = comparison_json(new, job.spec.schedule, old, body.count)
    return reply({**preview_json(body.schedule, new), "compare": compared})


@router.get("/jobs/{id}/next", response_model=NextView)
async def next_occurrences(
    context: Ctx,
    principal: Annotated[Principal, Depends(allow("jobs:read"))],
    ref: Ref,
    count: Annotated[int, Query(ge=1, le=PREVIEW_LIMIT, description="how many occurrences")] = 10,
) -> Response:
    """When the job runs next with its current schedule. For a disabled or paused job: when it would run."""
    job = await context.store.read(find_job, principal.project_id, ref)
    now = context.clock.now()
    return reply(next_json(job, _upcoming(job, now, count), now))


def _upcoming(job: JobRecord, now: datetime, count: int) -> list[Upcoming]:
    return preview(job.spec.schedule, job.anchor_at, upcoming_after(job, now), count, job.fired_count)


def _saved(body: PreviewBody, start: datetime, through: datetime | None = None, fired: int = 0) -> list[Upcoming]:
    """What the schedule would do if it were saved now, from the given instant on."""
    if body.from_ is None:
        return first_preview(body.schedule, start, body.count, through, fired)
    after = start - TICK if through is None else max(start - TICK, through)
    return preview(body.schedule, start, after, body.count, fired)
