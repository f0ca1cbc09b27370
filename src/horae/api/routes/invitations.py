"""Invitations: links by which people join a project."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from horae.accounts import projects, signup
from horae.api.auth import Caller, Principal, allow_in_path, allow_own
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import Page
from horae.api.routes import PREFIX
from horae.api.routes.projects import Named
from horae.api.schemas import Listing
from horae.api.schemas.accounts import InvitationBody, InvitationView, NewInvitationView, ProjectView, TokenBody
from horae.api.signing_in.authenticator import Auth
from horae.api.signing_in.tokens import digest
from horae.api.views import listing, reply, shown
from horae.domain.errors import NotAllowed
from horae.domain.people.account import ProjectInfo, title
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["projects"])

Reader = Annotated[Principal, Depends(allow_in_path("members:read"))]
Writer = Annotated[Principal, Depends(allow_in_path("members:write"))]


@router.get("/projects/{id}/invitations", response_model=Listing[InvitationView], dependencies=[Named])
async def list_invitations(context: Ctx, principal: Reader, page: Page) -> Response:
    """Newest first, including accepted ones."""
    after = page.after(context, principal, "invitations")
    found = await context.store.read(
        lambda tx: tx.invitations.page(principal.project_id, limit=page.limit, after=after)
    )
    next_cursor = page.next(context, principal, "invitations", found.next)
    return reply(listing((shown(InvitationView, one) for one in found.items), next_cursor))


@router.post(
    "/projects/{id}/invitations",
    status_code=201,
    response_model=NewInvitationView,
    dependencies=[Named],
    openapi_extra=takes(InvitationBody),
)
async def create_invitation(request: Request, context: Ctx, principal: Writer) -> Response:
    """Creates a link that can be used once. Its token is shown only once."""
    body = await read_model(request, InvitationBody)
    token = f"hi1_{secrets.token_urlsafe(32)}"
    note = None if body.note is None else title(body.note, "note")
    link = projects.InvitationLink(context.ids.new(), body.role, digest(token), note, body.expires_at)
    made = await context.store.transact(
        projects.invite,
        project_id=principal.project_id,
        link=link,
        actor=principal.actor,
        maker=principal.caller.maker,
    )
    return reply({**shown(InvitationView, made), "token": token}, 201)


@router.delete("/projects/{id}/invitations/{invitation}", status_code=204, dependencies=[Named])
async def revoke_invitation(
    context: Ctx, principal: Writer, invitation: Annotated[str, Path(description="an invitation's id")]
) -> Response:
    """409 once it was accepted."""
    await context.store.transact(
        projects.revoke_invitation,
        project_id=principal.project_id,
        invitation_id=invitation,
        actor=principal.actor,
    )
    return Response(status_code=204)


@router.post("/invitations/accept", response_model=ProjectView, openapi_extra=takes(TokenBody))
async def accept_invitation(
    request: Request, context: Ctx, authenticator: Auth, caller: Annotated[Caller, Depends(allow_own("account:own"))]
) -> Response:
    """Joins the project with an existing account. A higher role that you already have there is kept."""
    body = await read_model(request, TokenBody)
    if caller.user is None or caller.session_id is None:
        raise NotAllowed("an API key belongs to one project only: sign in as a user")
    project = await context.store.transact(_join, caller.user.id, digest(body.token.get_secret_value()))
    authenticator.forget(caller.session_id)
    return reply(shown(ProjectView, project))


async def _join(tx: Transaction, user_id: str, link: str) -> ProjectInfo:
    return await projects.find_project(tx, await signup.join(tx, user_id=user_id, digest=link))
