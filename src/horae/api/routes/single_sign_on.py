"""Signing in through the identity provider, in a browser."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import structlog
from fastapi import APIRouter, Depends, Request, Response

from horae.accounts import second_factor, sessions, single_sign_on
from horae.accounts.single_sign_on import SignedIn
from horae.api.auth import Caller, Public, allow_own, public
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext, origin_of
from horae.api.errors import ProviderAway, TooManyRequests, Unauthenticated, refuses
from horae.api.routes import PREFIX
from horae.api.schemas.signing_in import LinkBody, SsoBody, SsoView
from horae.api.signing_in import cookies, signin, sso
from horae.api.signing_in import second_factor as factor
from horae.api.signing_in.authenticator import Auth, Authenticator
from horae.api.signing_in.sso import SignInAttempt, provider_of
from horae.api.views import reply
from horae.domain.errors import Conflict, DuplicateKey, NotAllowed
from horae.domain.people.account import PORTAL, NewSession, User
from horae.domain.people.lockout import ADDRESS
from horae.domain.people.single_sign_on import NotAccepted, Person, Refusal, person
from horae.ports import Proof

log = structlog.get_logger()
router = APIRouter(prefix=PREFIX, tags=["auth"])
Own = Annotated[Caller, Depends(allow_own("account:own"))]


class _Browser(Public):
    """Providers add their own parameters to the address they redirect browsers to."""

    async def __call__(self, request: Request) -> None:
        return None


@router.post(
    "/auth/sso/start",
    response_model=SsoView,
    responses=refuses(404, 429),
    dependencies=[Depends(public)],
    openapi_extra=takes(SsoBody, required=False),
)
async def start_sso(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """Starts a sign-in at the identity provider: returns the URL to send the browser to, and sets a cookie that binds
    the response to this browser."""
    body = await read_model(request, SsoBody)
    return await _start(request, context, authenticator, sso.begin(context, authenticator, request, body.next))


@router.post("/auth/sso/link", response_model=SsoView, responses=refuses(404), openapi_extra=takes(LinkBody))
async def link_sso(request: Request, context: Ctx, authenticator: Auth, caller: Own) -> Response:
    """Starts a sign-in at the identity provider that connects your account to it: from then on you sign in there, and
    your password is no longer accepted. It also removes your second factor, and therefore requires a code if you have
    one."""
    body = await read_model(request, LinkBody)
    user, session_id = _signed_in(caller)
    provider_of(context)
    try:
        found = await signin.check_password(
            context, authenticator, request, user.username, body.password.get_secret_value()
        )
    except Unauthenticated:
        raise NotAllowed("the password is wrong") from None  # a 401 would say that the token is
    if found.user.second_factor:
        if body.code is None:
            raise Conflict("enter a code from your app, or a recovery code, to connect your account", field="code")
        await factor.check_own_code(
            context, authenticator, request, found, body.code, second_factor.prove, user_id=found.user.id
        )
    return await _start(
        request, context, authenticator, sso.begin(context, authenticator, request, body.next, session_id)
    )


def _signed_in(caller: Caller) -> tuple[User, str]:
    if caller.user is None or caller.session_id is None:
        raise NotAllowed("an API key has no identity: sign in as yourself")
    return caller.user, caller.session_id


async def _start(
    request: Request, context: RequestContext, authenticator: Authenticator, attempt: SignInAttempt
) -> Response:
    provider = provider_of(context)
    try:
        url = await provider.authorization_url(attempt.attempted)
    except NotAccepted as error:
        authenticator.refusals.note(request, "sso", reason=str(Refusal.UNAVAILABLE), why=error.why)
        raise ProviderAway(f"{provider.name} is not responding right now; try again soon") from None
    response = reply({"url": url})
    sso.keep(context, response, attempt)
    return response


@router.get("/auth/sso/callback", include_in_schema=False, dependencies=[Depends(_Browser())])
async def callback(
    request: Request,
    context: Ctx,
    authenticator: Auth,
    state: str = "",
    code: str = "",
    iss: str | None = None,
    error: str = "",
) -> Response:
    """Where the provider redirects the browser."""
    provider = provider_of(context)
    context = replace(context, store=context.store.on_behalf_of(origin_of(request)))  # although it is a GET
    attempt = sso.begun(context, authenticator, request, state)
    if attempt is None:
        return sso.refused(authenticator, request, None, Refusal.EXPIRED, "no sign-in was started in this browser")
    if error:
        denied = error == "access_denied"
        why = f"the provider answered with {error[:100]!r}"
        return sso.refused(authenticator, request, attempt, Refusal.DENIED if denied else Refusal.UNAVAILABLE, why)
    bucket = signin.address_bucket(authenticator, request)
    try:
        await signin.admit(context, authenticator, request, {bucket: ADDRESS})
        proof = await provider.redeem(code, attempt.attempted, iss)
        who = person(provider.issuer, proof.claims, context.settings.sso)
    except TooManyRequests:
        return sso.go(attempt, str(Refusal.LIMITED))
    except NotAccepted as refusal:
        return sso.refused(authenticator, request, attempt, refusal.refusal, refusal.why)
    await context.store.transact(sessions.forgive_try, bucket=bucket)
    return await _open(request, context, authenticator, attempt, who, proof)


async def _open(
    request: Request,
    context: RequestContext,
    authenticator: Authenticator,
    attempt: SignInAttempt,
    who: Person,
    proof: Proof,
) -> Response:
    session_id = context.ids.new()
    token, digest = authenticator.refresh.mint(session_id, 1)
    address = signin.plain(authenticator.proxies.address(request), longest=100)
    kept = sso.seal_token(context, session_id, proof.id_token)
    session = NewSession(session_id, "", digest, PORTAL, address, kept)
    try:
        found = await _enter(context, attempt, who, session)
    except (DuplicateKey, Conflict):  # in another tab, at the same moment
        found = await _enter(context, attempt, who, session)
    if isinstance(found, Refusal):
        return sso.refused(authenticator, request, attempt, found, "this person has no account here")
    if found.unknown:
        log.warning("HORAE_OIDC_ROLES names projects that do not exist", projects=found.unknown)
    response = sso.go(attempt, "in" if attempt.link is None else "connected")
    cookies.put(response, request, authenticator, token, context.settings.public_url)
    return response


async def _enter(
    context: RequestContext, attempt: SignInAttempt, who: Person, session: NewSession
) -> SignedIn | Refusal:
    lasts = context.settings.sso_session
    if attempt.link is not None:
        return await context.store.transact(
            single_sign_on.move, person=who, session_id=attempt.link, session=session, lasts=lasts
        )
    create, new_id = context.settings.sso.create, context.ids.new()
    return await context.store.transact(
        single_sign_on.sign_in, person=who, create=create, new_id=new_id, session=session, lasts=lasts
    )
