"""Secrets: written, listed by name and deleted. Nothing here reads a value back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from horae.accounts import secrets
from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import Page
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.secrets import SecretBody, SecretView
from horae.api.views import listing, reply, shown
from horae.domain.secrets.secret import check_name, check_value
from horae.lifecycle.forget import forget_secret

router = APIRouter(prefix=PREFIX, tags=["secrets"])

Reader = Annotated[Principal, Depends(allow("secrets:read"))]
Writer = Annotated[Principal, Depends(allow("secrets:write"))]


async def secret_name(name: Annotated[str, Path(description="letters, digits and _")]) -> str:
    return name


Name = Annotated[str, Depends(secret_name)]


@router.get("/secrets", response_model=Listing[SecretView])
async def list_secrets(context: Ctx, principal: Reader, page: Page) -> Response:
    """Names of all secrets, in order; never their values."""
    after = page.after(context, principal, "secrets")
    found = await context.store.read(lambda tx: tx.secrets.page(principal.project_id, limit=page.limit, after=after))
    next_cursor = page.next(context, principal, "secrets", found.next)
    return reply(listing((shown(SecretView, secret) for secret in found.items), next_cursor))


@router.put(
    "/secrets/{name}",
    response_model=SecretView,
    responses={201: {"model": SecretView, "description": "It is new"}},
    openapi_extra=takes(SecretBody),
)
async def set_secret(request: Request, context: Ctx, principal: Writer, name: Name) -> Response:
    """Creates a secret or replaces its value; runs that start from now on get the new value."""
    body = await read_model(request, SecretBody)
    value = check_value(body.value.get_secret_value())
    sealed = context.seals.seal(principal.project_id, check_name(name), value)
    saved, new = await context.store.transact(secrets.set_secret, sealed=sealed, actor=principal.actor)
    return reply(shown(SecretView, saved), 201 if new else 200)


@router.delete("/secrets/{name}", status_code=204)
async def delete_secret(
    context: Ctx,
    principal: Writer,
    name: Name,
    force: Annotated[bool, Query(description="delete it even if jobs use it: their next runs will fail")] = False,
) -> Response:
    """Rejected with 409 while the current definition of a job uses it."""
    await context.store.transact(
        forget_secret, project_id=principal.project_id, name=name, force=force, actor=principal.actor
    )
    return Response(status_code=204)
