"""The second factor: the second step of signing in, and the user's settings for it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from horae.accounts import second_factor
from horae.accounts.users import find_user
from horae.api.auth import Caller, allow_admin, allow_own, public
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext
from horae.api.errors import Unauthenticated, refuses
from horae.api.routes import PREFIX
from horae.api.routes.users import Ref
from horae.api.schemas.accounts import TokensView
from horae.api.schemas.second_factors import (
    ChallengeBody,
    CodeBody,
    ConfirmBody,
    EnrolBody,
    EnrolledView,
    EnrolmentView,
    ProofBody,
    RecoveryCodesView,
    SecondFactorView,
)
from horae.api.signing_in import second_factor as factor
from horae.api.signing_in import signin
from horae.api.signing_in.authenticator import Auth, Authenticator
from horae.api.views import reply
from horae.domain.errors import Conflict, NotAllowed
from horae.domain.people.account import Credentials
from horae.domain.people.lockout import GUESS
from horae.domain.people.second_factor import required
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["auth"])

Own = Annotated[Caller, Depends(allow_own("account:own"))]
Writer = Annotated[Caller, Depends(allow_admin("users:write"))]
_OFF = "you have no second factor"


# ---- signing in


@router.post(
    "/auth/login/code",
    response_model=TokensView,
    responses=refuses(401, 409, 429),
    dependencies=[Depends(public)],
    openapi_extra=takes(CodeBody),
)
async def log_in_with_code(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """The second step of signing in with a second factor: exchanges a code for a session."""
    body = await read_model(request, CodeBody)
    found = await factor.challenged(context, authenticator, request, "code", body.challenge.get_secret_value())
    session, token = signin.new_session(context, authenticator, request, found.user.id)
    await factor.check_code(context, authenticator, request, found, body.code, second_factor.sign_in, session=session)
    tokens = signin.tokens_json(context, authenticator, found.user, session.id, token)
    return signin.tokens_reply(request, context, authenticator, tokens)


@router.post(
    "/auth/login/enrol",
    response_model=EnrolmentView,
    responses=refuses(401, 409, 429),
    dependencies=[Depends(public)],
    openapi_extra=takes(ChallengeBody),
)
async def enrol_at_login(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """For users who are required to have a second factor and do not have one yet: returns what an authenticator app
    needs."""
    body = await read_model(request, ChallengeBody)
    found = await factor.challenged(context, authenticator, request, "enrol", body.challenge.get_secret_value())
    # A challenge can be sent again, and no request limit knows its sender yet: a QR code is work.
    await signin.admit(context, authenticator, request, {f"enrol:{found.user.id}": GUESS}, user=found.user)
    enrolment = factor.Enrolment(context, found)
    await _begin(context, found, enrolment)
    return reply(enrolment.json())


@router.post(
    "/auth/login/confirm",
    response_model=EnrolledView,
    responses=refuses(401, 409, 429),
    dependencies=[Depends(public)],
    openapi_extra=takes(CodeBody),
)
async def confirm_at_login(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """Turns the second factor on with the app's first code, and opens a session."""
    body = await read_model(request, CodeBody)
    found = await factor.challenged(context, authenticator, request, "enrol", body.challenge.get_secret_value())
    if found.user.second_factor:
        raise Conflict("you have already set up a second factor: sign in with it")
    session, token = signin.new_session(context, authenticator, request, found.user.id)
    recovery = factor.RecoveryCodes(found)
    enabling = {"user_id": found.user.id, "recovery": recovery.digests, "opens": session}
    await factor.check_code(context, authenticator, request, found, body.code, second_factor.confirm, **enabling)
    tokens = signin.tokens_json(context, authenticator, found.user, session.id, token)
    return signin.tokens_reply(request, context, authenticator, {**tokens, "recovery_codes": recovery.codes})


# ---- one's own


@router.get("/auth/second-factor", response_model=SecondFactorView)
async def show_second_factor(context: Ctx, caller: Own) -> Response:
    """Whether your second factor is on, since when, and how many recovery codes are left."""
    user, _ = _signed_in(caller)
    standing = await context.store.read(second_factor.standing, user_id=user)
    assert caller.user is not None
    return reply(
        {
            "enabled": standing.since is not None,
            "enabled_at": standing.since,
            "recovery_codes_left": standing.recovery_codes,
            "required": required(context.settings.second_factor, caller.user),
        }
    )


@router.post("/auth/second-factor", response_model=EnrolmentView, openapi_extra=takes(EnrolBody))
async def enrol(request: Request, context: Ctx, authenticator: Auth, caller: Own) -> Response:
    """Returns what a new authenticator app needs. Nothing changes until its first code is confirmed, within an hour. If
    you already have a second factor, the new one replaces it."""
    body = await read_model(request, EnrolBody)
    found = await _with_password(request, context, authenticator, caller, body.password.get_secret_value())
    enrolment = factor.Enrolment(context, found)
    if not found.user.second_factor:
        await _begin(context, found, enrolment)
        return reply(enrolment.json())
    if body.code is None:
        raise Conflict("enter a code from the current app, or a recovery code, to replace it", field="code")
    await factor.check_own_code(
        context, authenticator, request, found, body.code, second_factor.begin, sealed=enrolment.sealed
    )
    return reply(enrolment.json())


@router.post("/auth/second-factor/confirm", response_model=RecoveryCodesView, openapi_extra=takes(ConfirmBody))
async def confirm(request: Request, context: Ctx, authenticator: Auth, caller: Own) -> Response:
    """Turns the second factor on with the app's first code. Your other sessions end."""
    body = await read_model(request, ConfirmBody)
    user_id, session_id = _signed_in(caller)
    found = await context.store.read(_credentials, user_id)
    recovery = factor.RecoveryCodes(found)
    enabling = {"user_id": found.user.id, "recovery": recovery.digests, "keep": session_id}
    await factor.check_own_code(context, authenticator, request, found, body.code, second_factor.confirm, **enabling)
    authenticator.forget(session_id)
    return reply({"recovery_codes": recovery.codes})


@router.post("/auth/second-factor/recovery-codes", response_model=RecoveryCodesView, openapi_extra=takes(ProofBody))
async def renew_recovery_codes(request: Request, context: Ctx, authenticator: Auth, caller: Own) -> Response:
    """Creates ten new recovery codes; the old ones stop working."""
    body = await read_model(request, ProofBody)
    found = await _with_password(request, context, authenticator, caller, body.password.get_secret_value())
    if not found.user.second_factor:
        raise Conflict(_OFF)
    recovery = factor.RecoveryCodes(found)
    verb, values = second_factor.new_recovery_codes, {"user_id": found.user.id, "recovery": recovery.digests}
    await factor.check_own_code(context, authenticator, request, found, body.code, verb, **values)
    return reply({"recovery_codes": recovery.codes})


@router.post("/auth/second-factor/off", status_code=204, openapi_extra=takes(ProofBody))
async def turn_off(request: Request, context: Ctx, authenticator: Auth, caller: Own) -> Response:
    """Turns your second factor off: from then on, your password alone signs you in. 409 if the installation requires a
    second factor."""
    body = await read_model(request, ProofBody)
    _, session_id = _signed_in(caller)
    assert caller.user is not None
    if required(context.settings.second_factor, caller.user):
        raise Conflict("this installation requires a second factor: you can replace yours by enrolling another app")
    found = await _with_password(request, context, authenticator, caller, body.password.get_secret_value())
    if not found.user.second_factor:
        raise Conflict(_OFF)
    await factor.check_own_code(
        context, authenticator, request, found, body.code, second_factor.turn_off, user_id=found.user.id
    )
    authenticator.forget(session_id)
    return Response(status_code=204)


# ---- another user's


@router.delete("/users/{id}/second-factor", status_code=204, tags=["users"])
async def reset_second_factor(context: Ctx, caller: Writer, ref: Ref) -> Response:
    """For a user who lost their phone and recovery codes: signs them out everywhere, and their password alone lets them
    in again. Turn off your own second factor with your password and a code instead."""
    user = await context.store.read(find_user, ref)
    if caller.user is not None and caller.user.id == user.id:
        raise NotAllowed("turn off your own second factor with your password and a code instead")
    await context.store.transact(second_factor.reset, ref=user.id, actor=caller.actor)
    return Response(status_code=204)


# ---- steps


def _signed_in(caller: Caller) -> tuple[str, str]:
    """The user's id and the session's."""
    if caller.user is None or caller.session_id is None:
        raise NotAllowed("an API key has no second factor: sign in as a user")
    return caller.user.id, caller.session_id


async def _with_password(
    request: Request, context: RequestContext, authenticator: Authenticator, caller: Caller, password: str
) -> Credentials:
    """These changes need the password again: an unattended browser must not be enough."""
    user_id, _ = _signed_in(caller)
    try:
        return await signin.check_password(context, authenticator, request, user_id, password)
    except Unauthenticated:
        raise NotAllowed("the password is wrong") from None  # a 401 would say that the token is


async def _credentials(tx: Transaction, user_id: str) -> Credentials:
    found = await tx.accounts.credentials(user_id)
    if found is None:
        raise NotAllowed("your account was deleted")
    return found


async def _begin(context: RequestContext, found: Credentials, enrolment: factor.Enrolment) -> None:
    """For a user without a second factor: there is no code to check."""
    if not await context.store.transact(
        second_factor.begin, sealed=enrolment.sealed, checked=found.password, code=None, seals=context.seals
    ):
        raise Conflict("your password or second factor has just been changed: sign in again")
