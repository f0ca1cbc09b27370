"""API keys of a project: list, create, revoke."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from horae.accounts import keys
from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import Page
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.accounts import KeyBody, KeyView, NewKeyView
from horae.api.signing_in.tokens import mint
from horae.api.views import listing, reply, shown
from horae.domain import pages
from horae.domain.errors import NotAllowed
from horae.domain.people.account import KeyFilter, KeyInfo, title
from horae.domain.people.key import ApiKey
from horae.domain.text.ids import is_id
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["keys"])

Reader = Annotated[Principal, Depends(allow("keys:read"))]
Writer = Annotated[Principal, Depends(allow("keys:write"))]


@router.get("/api-keys", response_model=Listing[KeyView])
async def list_keys(
    context: Ctx,
    principal: Reader,
    page: Page,
    maker: Annotated[str | None, Query(min_length=1, max_length=200, description="a user's name or id")] = None,
    all_projects: Annotated[bool, Query(description="include all projects; admins only")] = False,
) -> Response:
    """Newest first. `last_used_at` is updated at most once a minute."""
    if all_projects and principal.role != "admin":
        raise NotAllowed("all_projects is for admins: leave it out to see your own project's")
    scope = "\0".join(["keys", *(("all",) if all_projects else ()), *((maker.lower(),) if maker else ())])
    after = page.after(context, principal, scope)
    project_id = None if all_projects else principal.project_id
    found = await context.store.read(_page, project_id, maker and maker.lower(), page.limit, after)
    next_cursor = page.next(context, principal, scope, found.next)
    return reply(listing((shown(KeyView, key) for key in found.items), next_cursor))


@router.post("/api-keys", status_code=201, response_model=NewKeyView, openapi_extra=takes(KeyBody))
async def create_key(request: Request, context: Ctx, principal: Writer) -> Response:
    """Creates a key. The key itself is shown only once. Its role must not exceed your own."""
    body = await read_model(request, KeyBody)
    token = mint()
    key = ApiKey(
        context.ids.new(),
        principal.project_id,
        title(body.name),
        body.role,
        token.prefix,
        token.digest,
        principal.actor,
        body.expires_at,
        principal.caller.maker.id,
    )
    made = await context.store.transact(keys.create_key, key=key, maker=principal.role, by=principal.caller.maker)
    return reply({**shown(KeyView, made), "token": token.text}, 201)


@router.delete("/api-keys/{id}", status_code=204)
async def revoke_key(
    context: Ctx, principal: Writer, key_id: Annotated[str, Path(alias="id", description="a key's id")]
) -> Response:
    """Revokes a key; it stops working within seconds."""
    await context.store.transact(
        keys.revoke_key,
        project_id=principal.project_id,
        key_id=key_id,
        revoker=principal.role,
        actor=principal.actor,
    )
    return Response(status_code=204)


async def _page(
    tx: Transaction, project_id: str | None, maker: str | None, limit: int, after: str | None
) -> pages.Page[KeyInfo]:
    where = KeyFilter(project_id)
    if maker is not None:
        if not (maker.isascii() and maker.isprintable()):
            return pages.Page([], None)  # there is no such user
        user = await tx.accounts.user(maker)
        if user is not None:
            where = KeyFilter(project_id, user.id, f"user:{user.username}", user.created_at)
        else:  # deleted, but their keys may still exist
            where = KeyFilter(project_id, maker if is_id(maker) else None, f"user:{maker}")
    return await tx.access.keys(where, limit=limit, after=after)
