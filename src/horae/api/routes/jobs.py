"""Jobs: create, read, change and delete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Depends, Query, Request, Response

from horae.api import merge
from horae.api.auth import Principal, allow
from horae.api.body import read_model, read_object, read_patch, takes, validate
from horae.api.context import Ctx, RequestContext
from horae.api.params import Expected, Page, Ref, find_job, hold_writable
from horae.api.routes import PREFIX
from horae.api.schemas import STATE, JobBody, JobPatch, JobStateView, JobView, ListedJobView, Listing, RecurringJobBody
from horae.api.views import PAGE_BYTES, fitting, job_json, job_reply, render
from horae.domain import pages
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_filter import JobFilter
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.kinds import ScheduleKind
from horae.domain.jobs.unreadable import UnreadableSpec
from horae.domain.runs.run_filter import RecentRun
from horae.domain.runs.states import JobStatus
from horae.domain.targets import TargetKind
from horae.domain.time.schedule_words import in_words
from horae.lifecycle import state, submit
from horae.lifecycle.edit import edit_job
from horae.lifecycle.functions import with_defaults
from horae.lifecycle.stranded import StrandedRuns, stranded_jobs
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["jobs"])

Reader = Annotated[Principal, Depends(allow("jobs:read"))]
Writer = Annotated[Principal, Depends(allow("jobs:write"))]
Ended = Literal["succeeded", "failed", "cancelled"]
Include = Literal["recent", "words", "recent,words"]
RECENT = 20  # of the newest runs of each job
Sort = Literal["name", "-name", "created_at", "-created_at", "updated_at", "-updated_at", "next_run_at", "-next_run_at"]


async def job_filter(
    q: Annotated[str | None, Query(min_length=1, max_length=200, description="part of the name")] = None,
    kind: Annotated[TargetKind | None, Query(description="of the target")] = None,
    schedule: Annotated[ScheduleKind | None, Query(description="kind of schedule")] = None,
    status: Annotated[JobStatus | None, Query(description="only jobs in this state")] = None,
    enabled: Annotated[bool | None, Query(description="only enabled or only disabled jobs")] = None,
    paused: Annotated[bool | None, Query(description="only paused jobs, or only others")] = None,
    tag: Annotated[str | None, Query(min_length=1, max_length=100, description="one of the tags")] = None,
    queue: Annotated[str | None, Query(min_length=1, max_length=100, description="the queue of their runs")] = None,
    last_status: Annotated[Ended | None, Query(description="how the last run ended")] = None,
    recurring: Annotated[bool | None, Query(description="only cron and every schedules, or only others")] = None,
) -> JobFilter:
    return JobFilter(q, kind, schedule, status, enabled, paused, tag, queue, last_status, recurring)


# First, because routes are tried in order, and this one is called most.
@router.get("/jobs/{id}", response_model=JobView)
async def show_job(context: Ctx, principal: Reader, ref: Ref) -> Response:
    """One job, by id or name, with its definition and current state."""
    return job_reply(await context.store.read(find_job, principal.project_id, ref), context.clock.now())


@router.get("/jobs", response_model=Listing[ListedJobView])
async def list_jobs(
    context: Ctx,
    principal: Reader,
    page: Page,
    where: Annotated[JobFilter, Depends(job_filter)],
    sort: Annotated[Sort, Query(description="prefix with - to reverse the order")] = "name",
    include: Annotated[Include | None, Query(description="what else to include for each job")] = None,
) -> Response:
    """Jobs, by name unless `sort` says otherwise; jobs without a next run come last."""
    scope = "\0".join(["jobs", sort, *("" if value is None else str(value) for value in astuple(where))])
    after = page.after(context, principal, scope)
    asked = _Asked(where, page.limit, after, sort, frozenset((include or "").split(",")))
    stranded = await context.lookout.of(principal.project_id)
    async with context.long_pages:
        parts, after = await _parts(context, principal, asked, stranded)
    cursor = render(page.next(context, principal, scope, after))
    content = b'{"items":[' + b",".join(parts) + b'],"next_cursor":' + cursor + b"}"
    return Response(content, media_type="application/json")


@router.post("/jobs", status_code=201, response_model=JobView, openapi_extra=takes(JobBody))
async def create_job(request: Request, context: Ctx, principal: Writer) -> Response:
    """Creates a job. Its name must be unique in the project."""
    return await _create(context, principal, await read_model(request, JobBody))


@router.post("/jobs/recurring", status_code=201, response_model=JobView, openapi_extra=takes(RecurringJobBody))
async def create_recurring_job(request: Request, context: Ctx, principal: Writer) -> Response:
    """Creates a job whose schedule must be `cron` or `every`."""
    return await _create(context, principal, await read_model(request, RecurringJobBody))


@router.put("/jobs/{id}", response_model=JobView, openapi_extra=takes(JobBody))
async def replace_job(request: Request, context: Ctx, principal: Writer, ref: Ref, expected: Expected) -> Response:
    """Replaces the definition, and enables or disables the job if `enabled` is given. Read-only fields may be sent back
    unchanged; they are ignored."""
    given = merge.without_read_only(await read_object(request))
    body = validate(JobBody, given)
    spec = body.spec(context.settings.defaults)
    enabled = body.enabled if "enabled" in given else None
    return await _apply(context, principal, _Edit(ref, expected, enabled, lambda _: spec))


@router.patch("/jobs/{id}", response_model=JobView, openapi_extra=takes(JobPatch, merge=True))
async def change_job(request: Request, context: Ctx, principal: Writer, ref: Ref, expected: Expected) -> Response:
    """Changes some fields (JSON merge patch): null restores the default. A schedule or target of another kind replaces
    the old one entirely."""
    patch = await read_patch(request, merge.READ_ONLY)
    given = validate(JobStateView, {name: patch[name] for name in STATE & patch.keys() if patch[name] is not None})
    enabled = given.enabled if "enabled" in patch else None
    return await _apply(context, principal, _Edit(ref, expected, enabled, lambda spec: merge.patched(spec, patch)))


@router.delete("/jobs/{id}", status_code=204)
async def delete_job(context: Ctx, principal: Writer, ref: Ref, expected: Expected) -> Response:
    """Deletes a job: cancels its queued runs, asks running ones to stop, keeps the history."""
    await context.store.transact(_deleted, principal, ref, expected)
    return Response(status_code=204)


async def _create(context: RequestContext, principal: Principal, body: JobBody) -> Response:
    spec = body.spec(context.settings.defaults)
    principal.may_write(spec)
    spec = await context.store.read(with_defaults, spec, body.model_fields_set)
    job = await context.store.transact(
        submit.create_job,
        job_id=context.ids.new(),
        project_id=principal.project_id,
        spec=spec,
        enabled=body.enabled,
        actor=principal.actor,
    )
    return job_reply(job, context.clock.now(), 201, {"location": f"/api/v1/jobs/{job.id}"})


@dataclass(frozen=True, slots=True)
class _Edit:
    ref: str
    version: int | None
    enabled: bool | None
    change: Callable[[JobSpec], JobSpec]


async def _apply(context: RequestContext, principal: Principal, edit: _Edit) -> Response:
    return job_reply(await context.store.transact(_edited, principal, edit), context.clock.now())


async def _edited(tx: Transaction, principal: Principal, edit: _Edit) -> JobRecord:
    def change(spec: JobSpec) -> JobSpec:
        principal.may_write(spec)
        new = edit.change(spec)
        principal.may_write(new)
        return new

    who = {"project_id": principal.project_id, "actor": principal.actor}
    job = await edit_job(tx, ref=edit.ref, change=change, expected_version=edit.version, **who)
    if edit.enabled is None or edit.enabled == job.enabled:
        return job
    switch = state.enable if edit.enabled else state.disable
    return await switch(tx, ref=job.id, **who)


async def _deleted(tx: Transaction, principal: Principal, ref: str, expected: int | None) -> None:
    await hold_writable(tx, principal, ref)
    await submit.delete_job(
        tx, project_id=principal.project_id, ref=ref, actor=principal.actor, expected_version=expected
    )


_PORTION = 100


class _Asked(NamedTuple):
    where: JobFilter
    limit: int
    after: str | None
    sort: str
    include: frozenset[str]


_Recent = dict[str, list[RecentRun]]


async def _parts(
    context: RequestContext, principal: Principal, asked: _Asked, stranded: StrandedRuns | None
) -> tuple[list[bytes], str | None]:
    """The jobs of a page as JSON, and the last one, after which the next page begins. They are read a few at a time:
    each may be as long as a definition can be."""
    parts: list[bytes] = []
    room, left = PAGE_BYTES, asked.limit
    while left:
        portion = asked._replace(limit=min(_PORTION, left))
        items, after = await _items(context, principal, portion, stranded)
        part = render(items)[1:-1]
        if len(part) > room and len(parts) + len(items) > 1:
            kept = fitting(items, room, least=0 if parts else 1)
            if kept:
                items, after = await _items(context, principal, portion._replace(limit=kept), stranded)
                parts.append(render(items)[1:-1])
            return parts, after if kept else asked.after
        parts += [part] if items else []
        if after is None:
            return parts, None
        room, left = room - len(part), left - len(items)
        asked = asked._replace(after=after)
    return parts, asked.after


async def _items(
    context: RequestContext, principal: Principal, asked: _Asked, stranded: StrandedRuns | None
) -> tuple[list[dict[str, Any]], str | None]:
    """The jobs of a page, and the last one, after which the next page begins."""
    found, recent, waiting = await context.store.read(_page, principal.project_id, asked, stranded)
    now = context.clock.now()
    items = [
        {**job_json(job, now), "stranded": job.id in waiting, **_included(job, asked.include, recent)}
        for job in found.items
    ]
    return items, found.next


async def _page(
    tx: Transaction, project_id: str, asked: _Asked, stranded: StrandedRuns | None
) -> tuple[pages.Page[JobRecord], _Recent, set[str]]:
    found = await tx.jobs.page(project_id, asked.where, limit=asked.limit, after=asked.after, sort=asked.sort)
    ids = [job.id for job in found.items] if "recent" in asked.include else []
    waiting = set() if stranded is None else await stranded_jobs(tx, found.items, stranded)
    return found, await tx.history.recent(ids, RECENT), waiting


def _included(job: JobRecord, include: frozenset[str], recent: _Recent) -> dict[str, Any]:
    more: dict[str, Any] = {}
    if "words" in include:
        unknown = isinstance(job.spec, UnreadableSpec) and "schedule" in job.spec.missing
        more["words"] = "unknown: it cannot be read" if unknown else in_words(job.spec.schedule)
    if "recent" in include:
        more["recent"] = [asdict(run) for run in recent[job.id]]
    return more
