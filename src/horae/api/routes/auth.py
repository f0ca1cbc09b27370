"""Signing up, in and out; refreshing; and the caller's own account."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from horae.accounts import sessions, signup, users
from horae.api.auth import Caller, allow_own, public
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext
from horae.api.errors import Unauthenticated, refuses
from horae.api.routes import PREFIX
from horae.api.schemas.accounts import (
    LoginBody,
    MeView,
    PasswordBody,
    PlaceView,
    RefreshBody,
    SignupBody,
    StartView,
    TokensView,
    UserView,
)
from horae.api.schemas.signing_in import SignOutView
from horae.api.signing_in import cookies, signin, sso, tokens
from horae.api.signing_in.authenticator import Auth, Authenticator
from horae.api.signing_in.refreshing import Refresh
from horae.api.signing_in.second_factor import challenge
from horae.api.views import reply, shown
from horae.domain.errors import Conflict, NotAllowed
from horae.domain.people.account import NewUser, Place, username
from horae.domain.people.lockout import ADDRESS
from horae.domain.people.password import check_password
from horae.domain.people.roles import ROLES

router = APIRouter(prefix=PREFIX, tags=["auth"])

Own = Annotated[Caller, Depends(allow_own("account:own"))]
_OVER = "this session has ended: sign in again"


@router.get("/auth/start", response_model=StartView, dependencies=[Depends(public)])
async def start(context: Ctx) -> Response:
    """What the sign-in page needs: whether the first admin is still to be created, whether sign-up is open, and the
    available ways to sign in."""
    anybody, password = await context.store.read(lambda tx: tx.accounts.any_user()), context.settings.password_sign_in
    return reply(
        {
            "first_admin": password and not anybody,
            "open_signup": password and anybody and context.settings.allow_signup,
            "password": password,
            "sso": context.provider.name if context.provider is not None else None,
        }
    )


@router.post(
    "/auth/signup",
    status_code=201,
    response_model=UserView,
    responses=refuses(403, 409, 429),
    dependencies=[Depends(public)],
    openapi_extra=takes(SignupBody),
)
async def sign_up(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """The first user needs the one-time token that the server printed, and becomes admin. Later users need an
    invitation, unless sign-up is open to all."""
    _require_passwords(context)
    body = await read_model(request, SignupBody)
    name = username(body.username)
    password = check_password(body.password.get_secret_value(), name)
    digest = None if body.token is None else tokens.digest(body.token.get_secret_value())
    open_to_all = context.settings.allow_signup
    await signin.admit(context, authenticator, request, {signin.address_bucket(authenticator, request): ADDRESS})
    await context.store.read(signup.may_sign_up, digest=digest, open_to_all=open_to_all)
    user = NewUser(context.ids.new(), name, await authenticator.passwords.hash(password), False, f"user:{name}")
    made = await context.store.transact(signup.sign_up, user=user, digest=digest, open_to_all=open_to_all)
    return reply(shown(UserView, made), 201)


@router.post(
    "/auth/login",
    response_model=TokensView,
    responses=refuses(401, 403, 429),
    dependencies=[Depends(public)],
    openapi_extra=takes(LoginBody),
)
async def log_in(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """Returns an access token that is valid for 15 minutes, and a refresh token for the next one; the portal gets the
    refresh token as a cookie. A 401 of the type `second-factor` means that the password was correct but a second factor
    is required: continue with `/auth/login/code`, or with `/auth/login/enrol` if `enrol` is true."""
    _require_passwords(context)
    body = await read_model(request, LoginBody)
    password = body.password.get_secret_value()
    found = await signin.check_password(context, authenticator, request, body.username, password)
    found = await signin.modernise(context, authenticator, found, password)
    challenge(context, authenticator, found)
    user, session_id, token = await signin.open_session(context, authenticator, request, found)
    return signin.tokens_reply(
        request, context, authenticator, signin.tokens_json(context, authenticator, user, session_id, token)
    )


@router.post(
    "/auth/refresh",
    response_model=TokensView,
    responses=refuses(401, 403),
    dependencies=[Depends(public)],
    openapi_extra=takes(RefreshBody, required=False),
)
async def refresh(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """Exchanges a refresh token for a new pair of tokens. It can be used once; reusing it ends the session."""
    body = await read_model(request, RefreshBody)
    given = _refresh_token(request, context, authenticator, body)
    if given is None:
        authenticator.refusals.note(request, "refresh")
        raise Unauthenticated(_OVER)
    token, digest = authenticator.refresh.mint(given.session_id, given.generation + 1)
    user = await context.store.transact(
        sessions.refresh,
        session_id=given.session_id,
        generation=given.generation,
        digest=given.digest,
        new_digest=digest,
        lost_within=cookies.LOST_WITHIN if body.refresh_token is None else 0.0,
    )
    if user is None:
        authenticator.forget(given.session_id)
        authenticator.refusals.note(request, "refresh")
        raise Unauthenticated(_OVER)
    found = signin.tokens_json(context, authenticator, user, given.session_id, token)
    return signin.tokens_reply(request, context, authenticator, found, by_cookie=body.refresh_token is None)


@router.post(
    "/auth/logout",
    status_code=204,
    responses={200: {"model": SignOutView}, **refuses(403)},
    dependencies=[Depends(public)],
    openapi_extra=takes(RefreshBody, required=False),
)
async def log_out(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """Ends the session of the refresh token, or else of the access token; 204 even if it has already ended. A browser
    that signed in through the identity provider gets 200 and the URL where its session there can be ended."""
    body = await read_model(request, RefreshBody)
    given = _refresh_token(request, context, authenticator, body)
    session_id = given.session_id if given else None
    if session_id is None:
        text = request.headers.get("authorization", "").partition(" ")[2].strip()
        claims = authenticator.access.read(text)
        session_id = claims.session_id if claims else None
    url = None
    if session_id is not None:
        if context.provider is not None and (
            known := await context.store.read(lambda tx: tx.sessions.find(session_id))
        ):
            url = await sso.sign_out_url(context, known)
        await context.store.transact(sessions.end_session, session_id=session_id)
        authenticator.forget(session_id)
    response = Response(status_code=204) if url is None else reply({"url": url})
    if cookies.NAME in request.cookies:
        cookies.drop(response)
    return response


@router.get("/auth/me", response_model=MeView)
async def me(caller: Own) -> Response:
    """Who you are, and the projects you have access to."""
    return reply(
        {
            "kind": "key" if caller.user is None else "user",
            "actor": caller.actor,
            "is_admin": caller.is_admin,
            "user": None if caller.user is None else shown(UserView, caller.user),
            "projects": [_place_json(caller, place) for place in caller.places],
            "permissions": sorted(ROLES["admin"]) if caller.is_admin and caller.user is not None else [],
        }
    )


@router.post("/auth/password", status_code=204, openapi_extra=takes(PasswordBody))
async def change_password(request: Request, context: Ctx, authenticator: Auth, caller: Own) -> Response:
    """Changes your own password, and ends your other sessions."""
    body = await read_model(request, PasswordBody)
    if caller.user is None or caller.session_id is None:
        raise NotAllowed("an API key has no password")
    if not caller.user.has_password:
        raise NotAllowed("you sign in through the identity provider, and have no password here")
    new = check_password(body.new_password.get_secret_value(), caller.user.username, "new_password")
    try:
        found = await signin.check_password(
            context, authenticator, request, caller.user.username, body.password.get_secret_value()
        )
    except Unauthenticated:
        raise NotAllowed("the current password is wrong") from None  # a 401 would say that the token is
    done = await context.store.transact(
        users.change_password,
        user_id=caller.user.id,
        checked=found.password,
        new=await authenticator.passwords.hash(new),
        session_id=caller.session_id,
    )
    if not done:
        raise Conflict("the password has just been changed elsewhere")
    return Response(status_code=204)


@router.delete("/auth/sessions", status_code=204)
async def sign_out_everywhere(request: Request, context: Ctx, authenticator: Auth, caller: Own) -> Response:
    """Ends all your sessions, including this one."""
    if caller.user is None or caller.session_id is None:
        raise NotAllowed("an API key has no sessions: revoke it instead")
    await context.store.transact(users.end_sessions, ref=caller.user.id, actor=caller.actor)
    authenticator.forget(caller.session_id)
    response = Response(status_code=204)
    if cookies.NAME in request.cookies:
        cookies.drop(response)
    return response


def _require_passwords(context: RequestContext) -> None:
    if not context.settings.password_sign_in:
        name = context.provider.name if context.provider is not None else "single sign-on"
        raise NotAllowed(f"passwords are not accepted on this server: sign in with {name}")


def _place_json(caller: Caller, place: Place) -> dict[str, object]:
    permissions = sorted(ROLES[caller.within(place).role])
    return PlaceView(**asdict(place), permissions=permissions).model_dump()


def _refresh_token(request: Request, context: Ctx, authenticator: Authenticator, body: RefreshBody) -> Refresh | None:
    """From the body or the cookie; None for one that was never given out."""
    if body.refresh_token is not None:
        text: str | None = body.refresh_token.get_secret_value()
    else:
        text = cookies.given(request, authenticator, context.settings.public_url)
    return authenticator.refresh.read(text) if text else None
