"""A job's versions: what each one changed, and rollback."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import Expected, Page, Ref, find_job, hold_writable
from horae.api.routes import PREFIX
from horae.api.schedule_views import version_json
from horae.api.schemas import JobView, Listing
from horae.api.schemas.schedules import LAST_VERSION, RollbackBody, VersionView
from horae.api.views import PAGE_BYTES, fitting, job_reply, listing, render, reply
from horae.domain.errors import NotFound
from horae.domain.jobs.job_record import JobRecord, VersionRecord
from horae.lifecycle import edit
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["jobs"])

_PORTION = 25
Reader = Annotated[Principal, Depends(allow("jobs:read"))]
Writer = Annotated[Principal, Depends(allow("jobs:write"))]


@router.get("/jobs/{id}/versions", response_model=Listing[VersionView])
async def list_versions(context: Ctx, principal: Reader, page: Page, ref: Ref) -> Response:
    """Newest first, each with its changes from the version before."""
    scope = f"versions\0{ref}"
    after = page.after(context, principal, scope)
    before = None if after is None else int(after)
    shown: list[dict[str, Any]] = []
    size, there_are_more = 0, True
    # A few at a time: each may be as long as a definition can be.
    while there_are_more and len(shown) < page.limit and size < PAGE_BYTES:
        wanted = min(_PORTION, page.limit - len(shown))
        # One more than is shown: the last one shown is compared with it, and it shows whether there are more.
        found = await context.store.read(_versions, principal.project_id, ref, wanted + 1, before)
        older: list[VersionRecord | None] = [*found[1:], None]
        pairs = list(zip(found, older, strict=True))[:wanted]
        portion = [version_json(*pair, short=True) for pair in pairs]
        there_are_more = len(found) > wanted
        kept = fitting(portion, PAGE_BYTES - size, least=0 if shown else 1)
        size += sum(len(render(one)) for one in portion[:kept])
        shown += portion[:kept]
        if kept < len(portion):
            there_are_more = True
            break
        before = shown[-1]["version"] if shown else None
    more = str(shown[-1]["version"]) if there_are_more else None
    return reply(listing(shown, page.next(context, principal, scope, more)))


@router.get("/jobs/{id}/versions/{version}", response_model=VersionView)
async def show_version(
    context: Ctx,
    principal: Reader,
    ref: Ref,
    version: Annotated[int, Path(ge=1, le=LAST_VERSION, description="which one")],
) -> Response:
    """One version of a job's definition."""
    found = await context.store.read(_versions, principal.project_id, ref, 2, version + 1)
    if not found or found[0].version != version:
        raise NotFound(f"the job has no version {version}")
    return reply(version_json(found[0], found[1] if len(found) > 1 else None))


@router.post("/jobs/{id}/rollback", response_model=JobView, openapi_extra=takes(RollbackBody))
async def roll_back(request: Request, context: Ctx, principal: Writer, ref: Ref, expected: Expected) -> Response:
    """Saves the definition of an earlier version as a new one. Whether the job is enabled or paused does not change."""
    body = await read_model(request, RollbackBody)
    job = await context.store.transact(_rolled_back, principal, ref, body.version, expected)
    return job_reply(job, context.clock.now())


async def _versions(tx: Transaction, project_id: str, ref: str, limit: int, before: int | None) -> list[VersionRecord]:
    job = await find_job(tx, project_id, ref)
    return await tx.jobs.versions(job.id, limit=limit, before=before)


async def _rolled_back(
    tx: Transaction, principal: Principal, ref: str, version: int, expected: int | None
) -> JobRecord:
    job = await find_job(tx, principal.project_id, ref)
    await hold_writable(tx, principal, job.id)
    for spec in (await tx.jobs.definitions([(job.id, version)])).values():
        principal.may_write(spec)  # a caller who may not write code may not restore it either
    return await edit.rollback(
        tx,
        project_id=principal.project_id,
        ref=job.id,
        version=version,
        expected_version=expected,
        actor=principal.actor,
    )
