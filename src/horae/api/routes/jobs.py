"""Jobs: making, reading, changing and deleting them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response

from horae.api import merge
from horae.api.auth import Principal, allow
from horae.api.body import read_model, read_object, takes, validate
from horae.api.context import Context, Ctx
from horae.api.params import Page, Ref, find_job
from horae.api.schemas import STATE, JobBody, JobPatch, JobState, JobView, Listing, RecurringJobBody
from horae.api.views import job_json, listing, reply
from horae.domain import records
from horae.domain.errors import InvalidInput, StaleVersion
from horae.domain.job import JobSpec
from horae.domain.records import JobRecord
from horae.domain.schedule import AfterSchedule
from horae.lifecycle import submit
from horae.lifecycle.edit import edit_job
from horae.ports import Transaction

router = APIRouter(tags=["jobs"])

Reader = Annotated[Principal, Depends(allow("jobs:read"))]
Writer = Annotated[Principal, Depends(allow("jobs:write"))]
IfMatch = Annotated[str | None, Header(description="the version you read, as its ETag: refused with 412 if older")]
_ETAG = re.compile(r'"(\d{1,9})"', re.ASCII)


@router.get("/jobs", response_model=Listing[JobView])
async def list_jobs(
    context: Ctx,
    principal: Reader,
    page: Page,
    q: Annotated[str | None, Query(min_length=1, max_length=200, description="part of the name")] = None,
) -> Response:
    """Jobs in the order of their names."""
    scope = f"jobs\0{q or ''}"
    found = await context.store.read(_page, principal.project_id, page.limit, page.after(context, principal, scope), q)
    now = context.clock.now()
    next_cursor = page.next(context, principal, scope, found.next)
    return reply(listing((job_json(job, now) for job in found.items), next_cursor))


@router.post("/jobs", status_code=201, response_model=JobView, openapi_extra=takes(JobBody))
async def create_job(request: Request, context: Ctx, principal: Writer) -> Response:
    """Makes a job. Its name is unique in the project."""
    return await _create(context, principal, await read_model(request, JobBody))


@router.post("/jobs/recurring", status_code=201, response_model=JobView, openapi_extra=takes(RecurringJobBody))
async def create_recurring_job(request: Request, context: Ctx, principal: Writer) -> Response:
    """Makes a job whose schedule must be `cron` or `every`."""
    return await _create(context, principal, await read_model(request, RecurringJobBody))


@router.get("/jobs/{id}", response_model=JobView)
async def show_job(context: Ctx, principal: Reader, ref: Ref) -> Response:
    return _shown(context, await context.store.read(find_job, principal.project_id, ref))


@router.put("/jobs/{id}", response_model=JobView, openapi_extra=takes(JobBody))
async def replace_job(
    request: Request, context: Ctx, principal: Writer, ref: Ref, if_match: IfMatch = None
) -> Response:
    """Replaces the definition. Read-only fields may be sent back as they came; they are passed over."""
    given = merge.without_read_only(await read_object(request))
    body = validate(JobBody, given)
    spec = body.spec(context.settings.default_timeout)
    enabled = body.enabled if "enabled" in given else None
    return await _apply(context, principal, _Edit(ref, _version(if_match), enabled, lambda _: spec))


@router.patch("/jobs/{id}", response_model=JobView, openapi_extra=takes(JobPatch, merge=True))
async def change_job(request: Request, context: Ctx, principal: Writer, ref: Ref, if_match: IfMatch = None) -> Response:
    """Changes some fields (JSON merge patch): null brings back a default. A schedule or target of another kind
    replaces the old one as a whole."""
    patch = await read_object(request, merge=True)
    merge.refuse_read_only(patch)
    state = validate(JobState, {name: patch[name] for name in STATE & patch.keys()})
    edit = _Edit(ref, _version(if_match), state.enabled, lambda spec: merge.patched(spec, patch))
    return await _apply(context, principal, edit)


@router.delete("/jobs/{id}", status_code=204)
async def delete_job(context: Ctx, principal: Writer, ref: Ref) -> Response:
    """Cancels what is queued, asks what runs to stop, keeps the history."""
    await context.store.transact(submit.delete_job, project_id=principal.project_id, ref=ref, actor=principal.actor)
    return Response(status_code=204)


async def _create(context: Context, principal: Principal, body: JobBody) -> Response:
    spec = body.spec(context.settings.default_timeout)
    _check(principal, spec)
    job = await context.store.transact(
        submit.create_job,
        job_id=context.ids.new(),
        project_id=principal.project_id,
        spec=spec,
        enabled=body.enabled,
        actor=principal.actor,
    )
    return _shown(context, job, 201, {"location": f"/api/v1/jobs/{job.id}"})


def _check(principal: Principal, spec: JobSpec) -> None:
    """What a definition may be, beyond being well-formed."""
    if isinstance(spec.schedule, AfterSchedule):  # until the end of a run starts others: no job may wait in silence
        raise InvalidInput("schedule.after", "is not available yet")
    principal.may_write(spec)


@dataclass(frozen=True, slots=True)
class _Edit:
    ref: str
    version: int | None
    enabled: bool | None
    change: Callable[[JobSpec], JobSpec]


async def _apply(context: Context, principal: Principal, edit: _Edit) -> Response:
    return _shown(context, await context.store.transact(_edited, principal, edit))


async def _edited(tx: Transaction, principal: Principal, edit: _Edit) -> JobRecord:
    def change(spec: JobSpec) -> JobSpec:
        new = edit.change(spec)
        _check(principal, new)
        return new

    job = await edit_job(
        tx,
        project_id=principal.project_id,
        ref=edit.ref,
        change=change,
        expected_version=edit.version,
        actor=principal.actor,
    )
    if edit.enabled is not None and edit.enabled != job.enabled:
        raise InvalidInput("enabled", "is not changed by an edit")
    return job


def _version(if_match: str | None) -> int | None:
    if if_match is None or if_match.strip() == "*":
        return None
    match = _ETAG.fullmatch(if_match.strip())
    if match is None:
        raise StaleVersion('If-Match must be the ETag of the version you read, such as "3"')
    return int(match[1])


def _shown(context: Context, job: JobRecord, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    headers = {"etag": f'"{job.version}"', **(headers or {})}
    return reply(job_json(job, context.clock.now()), status, headers)


async def _page(
    tx: Transaction, project_id: str, limit: int, after: str | None, text: str | None
) -> records.Page[JobRecord]:
    return await tx.jobs.page(project_id, limit=limit, after=after, text=text)
