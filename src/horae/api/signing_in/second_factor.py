"""The second step of signing in, and changes to the second factor: codes are rate-limited and refused like
passwords."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import segno
from fastapi import Request
from pydantic import SecretStr

from horae.accounts import sessions
from horae.api.address import crowd
from horae.api.context import RequestContext
from horae.api.errors import ChallengeExpired, SecondFactorNeeded, Unauthenticated
from horae.api.signing_in import signin
from horae.api.signing_in.authenticator import Authenticator
from horae.api.signing_in.challenges import GOOD_FOR, Step
from horae.domain.errors import NotAllowed
from horae.domain.people import totp
from horae.domain.people.account import Credentials
from horae.domain.people.lockout import ADDRESS
from horae.domain.people.second_factor import CODES, SEALED_AS, new_recovery_codes, recovery_digest, required
from horae.domain.secrets.secret import Sealed

WRONG = "this code is wrong or has already been used"


def challenge(context: RequestContext, authenticator: Authenticator, found: Credentials) -> None:
    """Raises SecondFactorNeeded for users whose password is not enough."""
    if found.user.second_factor:
        raise _needed(context, authenticator, found, "code")
    if required(context.settings.second_factor, found.user):
        raise _needed(context, authenticator, found, "enrol")


def _needed(
    context: RequestContext, authenticator: Authenticator, found: Credentials, step: Step
) -> SecondFactorNeeded:
    token = authenticator.challenges.mint(step, found.user.id, found.password, context.clock.now())
    return SecondFactorNeeded(token, enrol=step == "enrol", expires_in=int(GOOD_FOR[step].total_seconds()))


async def challenged(
    context: RequestContext, authenticator: Authenticator, request: Request, step: Step, text: str
) -> Credentials:
    """The user whose password was correct a few minutes ago, and still is."""
    given = authenticator.challenges.read(step, text)
    found = await context.store.read(signin.credentials, given.user_id, _at(authenticator, request)) if given else None
    if given is None or found is None or found[0] is None or not given.is_for(found[0].password):
        authenticator.refusals.note(request, "token")
        raise ChallengeExpired
    return found[0]


async def check_code(
    context: RequestContext,
    authenticator: Authenticator,
    request: Request,
    found: Credentials,
    code: SecretStr,
    verb: Callable[..., Awaitable[object]],
    **values: Any,
) -> None:
    """Counts an attempt, then runs the verb, which checks the code and returns whether it is right. Codes are counted
    separately from passwords: an attacker with the password could reset that count as often as they like."""
    at = _at(authenticator, request)
    _, known = await context.store.read(signin.credentials, found.user.id, at)
    account = f"code:{found.user.id}{f' at {at}' if known else ''}"
    address = signin.address_bucket(authenticator, request)
    await signin.admit(context, authenticator, request, {account: CODES, address: ADDRESS}, user=found.user)
    proof = {"checked": found.password, "code": code.get_secret_value(), "seals": context.seals}
    if not await context.store.transact(verb, **proof, **values):
        authenticator.refusals.note(request, "code", user=found.user.username)
        raise Unauthenticated(WRONG)
    await context.store.transact(sessions.forgive, account=account, others=[address])


async def check_own_code(
    context: RequestContext,
    authenticator: Authenticator,
    request: Request,
    found: Credentials,
    code: SecretStr,
    verb: Callable[..., Awaitable[object]],
    **values: Any,
) -> None:
    """Likewise for a user who is signed in: a 401 would say that their token is invalid."""
    try:
        await check_code(context, authenticator, request, found, code, verb, **values)
    except Unauthenticated as error:
        raise NotAllowed(str(error)) from None


def _at(authenticator: Authenticator, request: Request) -> str:
    return crowd(authenticator.proxies.address(request))


class Enrolment:
    """A new secret, as it is stored and as its owner sees it, once."""

    def __init__(self, context: RequestContext, found: Credentials) -> None:
        self._secret = secrets.token_bytes(totp.SECRET_BYTES)
        host = urlsplit(context.settings.public_url).netloc if context.settings.public_url else None
        self._uri = totp.uri(self._secret, found.user.username, host)
        self.sealed: Sealed = context.seals.seal(found.user.id, SEALED_AS, totp.written(self._secret))

    def json(self) -> dict[str, object]:
        matrix = segno.make(self._uri, error="m", micro=False).matrix
        rows = ["".join("1" if module else "0" for module in row) for row in matrix]
        return {"secret": totp.written(self._secret), "uri": self._uri, "qr": rows}


class RecoveryCodes:
    """Ten new codes: shown once, stored as digests."""

    def __init__(self, found: Credentials) -> None:
        self.codes = new_recovery_codes(secrets.randbelow)
        self.digests = [recovery_digest(found.user.id, code) for code in self.codes]
