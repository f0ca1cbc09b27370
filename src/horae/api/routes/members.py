"""The members of a project."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from horae.accounts import projects
from horae.accounts.departure import Leaving
from horae.api.auth import Principal, allow_in_path
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import Page, RevokeKeys
from horae.api.routes import PREFIX
from horae.api.routes.projects import Named
from horae.api.schemas import Listing
from horae.api.schemas.accounts import ChangedMemberView, LeftView, MemberBody, MemberView
from horae.api.views import left_json, listing, reply, shown

router = APIRouter(prefix=PREFIX, tags=["projects"], dependencies=[Named])

Reader = Annotated[Principal, Depends(allow_in_path("members:read"))]
Writer = Annotated[Principal, Depends(allow_in_path("members:write"))]


async def member_ref(user: Annotated[str, Path(description="a user's id or name")]) -> str:
    return user.lower()


Ref = Annotated[str, Depends(member_ref)]


@router.get("/projects/{id}/members", response_model=Listing[MemberView])
async def list_members(context: Ctx, principal: Reader, page: Page) -> Response:
    """Members by name."""
    after = page.after(context, principal, "members")
    found = await context.store.read(
        lambda tx: tx.accounts.members(principal.project_id, limit=page.limit, after=after)
    )
    next_cursor = page.next(context, principal, "members", found.next)
    return reply(listing((shown(MemberView, member) for member in found.items), next_cursor))


@router.put("/projects/{id}/members/{user}", response_model=ChangedMemberView, openapi_extra=takes(MemberBody))
async def set_member(
    request: Request, context: Ctx, principal: Writer, ref: Ref, revoke_keys: RevokeKeys = False
) -> Response:
    """Changes a member's role. Admins can also add a user who is not yet a member; everyone else sends an invitation.
    The last owner cannot be changed. A former owner loses the open invitations they created here; `keys` lists the keys
    they created."""
    body = await read_model(request, MemberBody)
    member, left = await context.store.transact(
        projects.set_member,
        project_id=principal.project_id,
        ref=ref,
        role=body.role,
        actor=principal.actor,
        leaving=Leaving(principal.role, revoke_keys),
        may_add=principal.role == "admin",
    )
    return reply({**shown(MemberView, member), **left_json(left)})


@router.delete("/projects/{id}/members/{user}", response_model=LeftView)
async def remove_member(context: Ctx, principal: Writer, ref: Ref, revoke_keys: RevokeKeys = False) -> Response:
    """Removes a member from the project and withdraws the open invitations they created here; `keys` lists the keys
    they created."""
    left = await context.store.transact(
        projects.remove_member,
        project_id=principal.project_id,
        ref=ref,
        actor=principal.actor,
        leaving=Leaving(principal.role, revoke_keys),
    )
    return reply(left_json(left))
