"""The audit trail: page by page, or all of it as JSON lines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import astuple
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from horae.accounts.audit import read_audit
from horae.api.auth import Principal, allow
from horae.api.context import Ctx, RequestContext
from horae.api.params import Page, instant_param
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.schedules import ChangeView
from horae.api.signing_in.authenticator import Auth
from horae.api.streams.staying import Stay
from horae.api.views import listing, render, reply, shown
from horae.domain.errors import NotAllowed
from horae.domain.pages import Page as Found
from horae.domain.people.audit import AuditFilter, AuditRecord

router = APIRouter(prefix=PREFIX, tags=["audit"])

_EXPORTED = 500  # rows at a time
Projects = tuple[str | None, ...] | None  # None: all


class SubjectView(BaseModel):
    kind: str
    id: str | None
    name: str | None


class AuditView(BaseModel):
    """One recorded action; `project_id` is null if it concerns the whole installation."""

    id: str
    at: datetime
    actor: str
    action: str
    subject: SubjectView
    changes: list[ChangeView]
    address: str | None
    request_id: str | None
    project_id: str | None


async def audit_filter(
    actor: Annotated[str | None, Query(min_length=1, max_length=200, description="as in key:deploy")] = None,
    action: Annotated[str | None, Query(min_length=1, max_length=50, description="as in job.edit")] = None,
    kind: Annotated[str | None, Query(min_length=1, max_length=20, description="of the subject, such as job")] = None,
    subject: Annotated[str | None, Query(min_length=1, max_length=200, description="its id or name")] = None,
    since: Annotated[str | None, Query(max_length=40, description="only entries at or after this instant")] = None,
    until: Annotated[str | None, Query(max_length=40, description="an instant: before")] = None,
) -> AuditFilter:
    return AuditFilter(actor, action, kind, subject, instant_param("since", since), instant_param("until", until))


@router.get(
    "/audit",
    response_model=Listing[AuditView],
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def list_audit(
    context: Ctx,
    authenticator: Auth,
    principal: Annotated[Principal, Depends(allow("audit:read"))],
    page: Page,
    where: Annotated[AuditFilter, Depends(audit_filter)],
    format: Annotated[Literal["json", "jsonl"], Query(description="jsonl: all entries, one per line")] = "json",
    all_projects: Annotated[bool, Query(description="include all projects, deleted ones too; admins only")] = False,
) -> Response:
    """The audit trail of this project, newest first; admins also see entries about the installation."""
    projects = _projects(principal, all_projects)
    asked = ("" if value is None else str(value) for value in (*astuple(where), all_projects or None))
    scope = "\0".join(["audit", *asked])
    after = page.after(context, principal, scope)
    if format == "jsonl":
        first = await context.store.read(read_audit, projects, where, _EXPORTED, after)
        headers = {"content-disposition": 'attachment; filename="audit.jsonl"'}
        needed = "audit:read" if None not in (projects or (None,)) else "users:read"  # the installation is for admins
        lines = _lines(context, Stay(authenticator, principal, needed), projects, where, first)
        return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)
    found = await context.store.read(read_audit, projects, where, page.limit, after)
    return reply(listing((audit_json(one) for one in found.items), page.next(context, principal, scope, found.next)))


def _projects(principal: Principal, all_projects: bool) -> Projects:
    if principal.role != "admin":
        if all_projects:
            raise NotAllowed("all_projects is for admins: leave it out to see your own project's")
        return (principal.project_id,)
    return None if all_projects else (principal.project_id, None)


async def _lines(
    context: RequestContext, stay: Stay, projects: Projects, where: AuditFilter, found: Found[AuditRecord]
) -> AsyncIterator[bytes]:
    while True:
        await stay.check()
        yield b"".join(render(audit_json(one)) + b"\n" for one in found.items)
        if found.next is None:
            return
        found = await context.store.read(read_audit, projects, where, _EXPORTED, found.next)


def audit_json(one: AuditRecord) -> dict[str, Any]:
    subject = {"kind": one.subject_kind, "id": one.subject_id, "name": one.subject_name}
    return shown(AuditView, one, subject=subject)
