"""Users, for admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from horae.accounts import users
from horae.accounts.departure import Leaving
from horae.accounts.users import find_user
from horae.api.auth import Caller, allow_admin
from horae.api.body import read_model, read_object, takes, validate
from horae.api.context import Ctx
from horae.api.params import Page, RevokeKeys
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.accounts import ChangedUserView, LeftView, UserBody, UserPatch, UserView
from horae.api.signing_in.authenticator import Auth
from horae.api.views import left_json, listing, reply, shown
from horae.domain.errors import InvalidInput
from horae.domain.people import account
from horae.domain.people.password import check_password

router = APIRouter(prefix=PREFIX, tags=["users"])

Reader = Annotated[Caller, Depends(allow_admin("users:read"))]
Writer = Annotated[Caller, Depends(allow_admin("users:write"))]


async def user_ref(id: Annotated[str, Path(description="a user's id or name")]) -> str:
    return id.lower()


Ref = Annotated[str, Depends(user_ref)]


@router.get("/users", response_model=Listing[UserView])
async def list_users(context: Ctx, caller: Reader, page: Page) -> Response:
    """Users by name."""
    found = await context.store.read(
        lambda tx: tx.accounts.users(limit=page.limit, after=page.after(context, caller, "users"))
    )
    next_cursor = page.next(context, caller, "users", found.next)
    return reply(listing((shown(UserView, user) for user in found.items), next_cursor))


@router.post("/users", status_code=201, response_model=UserView, openapi_extra=takes(UserBody))
async def create_user(request: Request, context: Ctx, authenticator: Auth, caller: Writer) -> Response:
    """Creates a user with a password of your choice, which they should change."""
    body = await read_model(request, UserBody)
    name = account.username(body.username)
    password = check_password(body.password.get_secret_value(), name)
    user = account.NewUser(
        context.ids.new(), name, await authenticator.passwords.hash(password), body.is_admin, caller.actor
    )
    made = await context.store.transact(users.create_user, user=user)
    return reply(shown(UserView, made), 201, {"location": f"/api/v1/users/{made.id}"})


@router.get("/users/{id}", response_model=UserView)
async def show_user(context: Ctx, caller: Reader, ref: Ref) -> Response:
    """One user, by id or name."""
    return reply(shown(UserView, await context.store.read(find_user, ref)))


@router.patch("/users/{id}", response_model=ChangedUserView, openapi_extra=takes(UserPatch, merge=True))
async def change_user(
    request: Request, context: Ctx, authenticator: Auth, caller: Writer, ref: Ref, revoke_keys: RevokeKeys = False
) -> Response:
    """Grants or revokes admin, deactivates or reactivates a user, or sets a new password. The last active admin cannot
    be removed. A user who is deactivated or no longer admin loses their open invitations; `keys` lists the keys they
    created."""
    given = await read_object(request, merge=True)
    for field, value in given.items():
        if value is None and field in UserPatch.model_fields:
            raise InvalidInput(field, "must not be null: leave it out to keep its value")
    body = validate(UserPatch, given)
    password = None
    if body.password is not None:
        user = await context.store.read(find_user, ref)
        password = await authenticator.passwords.hash(check_password(body.password.get_secret_value(), user.username))
    changed, left = await context.store.transact(
        users.change_user,
        ref=ref,
        is_admin=body.is_admin,
        is_active=body.is_active,
        password=password,
        actor=caller.actor,
        leaving=Leaving("admin", revoke_keys),
    )
    return reply({**shown(UserView, changed), **left_json(left)})


@router.delete("/users/{id}", response_model=LeftView)
async def delete_user(context: Ctx, caller: Writer, ref: Ref, revoke_keys: RevokeKeys = False) -> Response:
    """Deletes a user with their memberships, sessions and open invitations. The audit trail keeps their name; `keys`
    lists the keys they created. To keep the name from being reused, deactivate them instead."""
    left = await context.store.transact(
        users.delete_user, ref=ref, actor=caller.actor, leaving=Leaving("admin", revoke_keys)
    )
    return reply(left_json(left))


@router.delete("/users/{id}/sessions", status_code=204)
async def end_sessions(context: Ctx, caller: Writer, ref: Ref) -> Response:
    """Signs the user out everywhere; they can sign in again with their password."""
    await context.store.transact(users.end_sessions, ref=ref, actor=caller.actor)
    return Response(status_code=204)
