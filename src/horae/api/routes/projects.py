"""Projects."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from horae.accounts import projects
from horae.accounts.projects import find_project
from horae.api.auth import Caller, Principal, allow_admin, allow_in_path, allow_own
from horae.api.body import read_model, read_object, takes, validate
from horae.api.context import Ctx
from horae.api.params import Page
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.accounts import ProjectBody, ProjectPatch, ProjectView
from horae.api.views import listing, reply, shown
from horae.domain import pages
from horae.domain.people.account import ProjectInfo, slug, title
from horae.domain.people.project import Project
from horae.domain.people.quota import Quota
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["projects"])


async def project_ref(id: Annotated[str, Path(description="a project's id or slug")]) -> str:
    return id


Named = Depends(project_ref)  # the guard reads it; this describes it


@router.get("/projects", response_model=Listing[ProjectView])
async def list_projects(
    context: Ctx, caller: Annotated[Caller, Depends(allow_own("projects:read"))], page: Page
) -> Response:
    """The projects you have access to, by slug."""
    after = page.after(context, caller, f"projects\0{caller.actor}")
    found = await context.store.read(_page, caller, page.limit, after)
    next_cursor = page.next(context, caller, f"projects\0{caller.actor}", found.next)
    return reply(listing((shown(ProjectView, project) for project in found.items), next_cursor))


@router.post("/projects", status_code=201, response_model=ProjectView, openapi_extra=takes(ProjectBody))
async def create_project(
    request: Request, context: Ctx, caller: Annotated[Caller, Depends(allow_admin("projects:manage"))]
) -> Response:
    """Creates a project without members. Admins have access to it and can invite others."""
    body = await read_model(request, ProjectBody)
    name = title(body.name if body.name is not None else body.slug)
    project = Project(context.ids.new(), slug(body.slug), name)
    limits = {Quota(quota): most for quota, most in context.settings.project_quotas.items()}
    made = await context.store.transact(projects.create_project, project=project, actor=caller.actor, limits=limits)
    return reply(shown(ProjectView, made), 201, {"location": f"/api/v1/projects/{made.id}"})


@router.get("/projects/{id}", response_model=ProjectView, dependencies=[Named])
async def show_project(
    context: Ctx, principal: Annotated[Principal, Depends(allow_in_path("projects:read"))]
) -> Response:
    """One project, by id or slug."""
    return reply(shown(ProjectView, await context.store.read(find_project, principal.project_id)))


@router.patch(
    "/projects/{id}", response_model=ProjectView, dependencies=[Named], openapi_extra=takes(ProjectPatch, merge=True)
)
async def rename_project(
    request: Request, context: Ctx, principal: Annotated[Principal, Depends(allow_in_path("projects:edit"))]
) -> Response:
    """Changes the project's name. The slug cannot be changed, since programs refer to it."""
    body = validate(ProjectPatch, await read_object(request, merge=True))
    changed = await context.store.transact(
        projects.rename_project, project_id=principal.project_id, name=title(body.name), actor=principal.actor
    )
    return reply(shown(ProjectView, changed))


@router.delete("/projects/{id}", status_code=204, dependencies=[Named])
async def delete_project(
    context: Ctx, principal: Annotated[Principal, Depends(allow_in_path("projects:manage"))]
) -> Response:
    """Deletes a project with its members, keys and invitations; 409 while it has jobs, live runs or secrets."""
    await context.store.transact(projects.delete_project, project_id=principal.project_id, actor=principal.actor)
    return Response(status_code=204)


async def _page(tx: Transaction, caller: Caller, limit: int, after: str | None) -> pages.Page[ProjectInfo]:
    if caller.user is None and not caller.is_admin:
        return pages.Page([await find_project(tx, caller.places[0].project_id)], None)
    mine = None if caller.is_admin or caller.user is None else caller.user.id
    return await tx.access.projects(mine, limit=limit, after=after)
