"""Device sign-in: a program without a browser shows a code, and a user approves it in the portal."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from horae.accounts import devices, sessions
from horae.api.address import crowd
from horae.api.auth import Caller, allow_own, public
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext
from horae.api.errors import refuses
from horae.api.routes import PREFIX
from horae.api.schemas.signing_in import (
    ApprovalBody,
    DeviceBody,
    DeviceTokenBody,
    DeviceTokenView,
    DeviceView,
    NewDeviceView,
)
from horae.api.signing_in import signin, tokens
from horae.api.signing_in.authenticator import Auth, Authenticator
from horae.api.views import reply, shown
from horae.domain.errors import DuplicateKey, NotAllowed
from horae.domain.people import device
from horae.domain.people.account import NewSession
from horae.domain.people.lockout import ADDRESS, GUESS

router = APIRouter(prefix=PREFIX, tags=["auth"])
Own = Annotated[Caller, Depends(allow_own("account:own"))]
PAGE = "/device"


async def user_code(code: Annotated[str, Path(description="the code that the device shows")]) -> str:
    return device.user_code(code)


Code = Annotated[str, Depends(user_code)]


@router.post(
    "/auth/device",
    status_code=201,
    response_model=NewDeviceView,
    responses=refuses(429),
    dependencies=[Depends(public)],
    openapi_extra=takes(DeviceBody, required=False),
)
async def begin_device(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """Starts the sign-in of a program without a browser. It shows the code and polls until the sign-in is approved at
    `/device` in the portal."""
    body = await read_model(request, DeviceBody)
    await signin.admit(context, authenticator, request, {signin.address_bucket(authenticator, request): ADDRESS})
    secret = f"hd1_{secrets.token_urlsafe(32)}"
    client, address = signin.plain(body.client), signin.plain(authenticator.proxies.address(request), longest=100)
    while True:
        code = "".join(secrets.choice(device.ALPHABET) for _ in range(device.LENGTH))
        made = device.NewDevice(tokens.digest(secret), code, client, address)
        try:
            await context.store.transact(devices.begin, device=made)
            break
        except DuplicateKey:
            continue
    public_url = context.settings.public_url
    found = {
        "device_code": secret,
        "user_code": device.shown(code),
        "verification_path": PAGE,
        "verification_url": f"{public_url}{PAGE}" if public_url else None,
        "expires_in": int(device.GOOD_FOR.total_seconds()),
        "interval": made.pause,
    }
    return reply(found, 201)


@router.post(
    "/auth/device/token",
    response_model=DeviceTokenView,
    responses=refuses(429),
    dependencies=[Depends(public)],
    openapi_extra=takes(DeviceTokenBody),
)
async def poll_device(request: Request, context: Ctx, authenticator: Auth) -> Response:
    """Whether the sign-in was approved; if so, returns the tokens, once."""
    body = await read_model(request, DeviceTokenBody)
    origin = crowd(authenticator.proxies.address(request))
    authenticator.strangers.check(origin)
    session_id = context.ids.new()
    token, digest = authenticator.refresh.mint(session_id, 1)
    address = signin.plain(authenticator.proxies.address(request), longest=100)
    session = NewSession(session_id, "", digest, signin.client_of(request), address)
    found = await context.store.transact(
        devices.poll, digest=tokens.digest(body.device_code.get_secret_value()), session=session
    )
    if isinstance(found, device.Waiting):
        # Made-up codes look as if they had expired, and a device that polls too fast is throttled here.
        if found in (device.Waiting.EXPIRED, device.Waiting.SLOW_DOWN):
            await authenticator.strangers.count(origin)
        return reply({"status": str(found), "tokens": None})
    return reply(
        {"status": "signed_in", "tokens": signin.tokens_json(context, authenticator, found, session_id, token)}
    )


@router.get("/auth/device/{code}", response_model=DeviceView)
async def show_device(request: Request, context: Ctx, authenticator: Auth, caller: Own, code: Code) -> Response:
    """The pending sign-in for a code: which program asks to act as you."""
    await _count(context, authenticator, request, caller)
    found = await context.store.read(devices.find, user_code=code)
    await _forgive(context, caller)
    same = crowd(found.address) == crowd(authenticator.proxies.address(request)) and not authenticator.proxies.unknown(
        request
    )
    return reply(shown(DeviceView, found, user_code=device.shown(found.user_code), same_address=same))


@router.post("/auth/device/{code}", status_code=204, openapi_extra=takes(ApprovalBody))
async def decide_device(request: Request, context: Ctx, authenticator: Auth, caller: Own, code: Code) -> Response:
    """Approves or denies the sign-in."""
    body = await read_model(request, ApprovalBody)
    user_id, session_id = await _count(context, authenticator, request, caller)
    await context.store.transact(
        devices.decide, user_code=code, approve=body.approve, user_id=user_id, session_id=session_id
    )
    await _forgive(context, caller)
    return Response(status_code=204)


async def _count(
    context: RequestContext, authenticator: Authenticator, request: Request, caller: Caller
) -> tuple[str, str]:
    """The signed-in user. Each code they enter counts as a try, so that codes cannot be guessed."""
    if caller.user is None or caller.session_id is None:
        raise NotAllowed("an API key cannot approve a sign-in: sign in as a user")
    await signin.admit(context, authenticator, request, {_bucket(caller): GUESS}, user=caller.user)
    return caller.user.id, caller.session_id


async def _forgive(context: RequestContext, caller: Caller) -> None:
    await context.store.transact(sessions.forgive_try, bucket=_bucket(caller))


def _bucket(caller: Caller) -> str:
    return f"device:{caller.user.id if caller.user else ''}"
