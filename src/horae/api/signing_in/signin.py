"""Signing in, step by step: count the attempt, check the password, open a session."""

from __future__ import annotations

import hashlib
import math
from typing import Any

from fastapi import Request, Response

from horae.accounts import sessions
from horae.api.address import crowd
from horae.api.context import RequestContext
from horae.api.errors import TooManyRequests, Unauthenticated
from horae.api.refusals import name_digest
from horae.api.signing_in import cookies
from horae.api.signing_in.authenticator import Authenticator
from horae.api.signing_in.jwt import GOOD_FOR, Claims
from horae.api.signing_in.passwords import outdated
from horae.api.views import reply
from horae.domain.people.account import Credentials, NewSession, User
from horae.domain.people.lockout import ACCOUNT, ADDRESS, Lockout
from horae.domain.text.ids import NIL
from horae.ports import Transaction

_REMEMBERED = 100  # recent sign-ins of a user that are searched for an address
WRONG = "wrong username or password"  # the same text for a wrong password and for an unknown user


def address_bucket(authenticator: Authenticator, request: Request) -> str:
    return f"address:{crowd(authenticator.proxies.address(request))}"


async def admit(
    context: RequestContext, authenticator: Authenticator, request: Request, buckets: dict[str, Lockout], **about: Any
) -> None:
    user: User | None = about.get("user")
    wait = await context.store.transact(sessions.admit, buckets=buckets, user=user)
    if wait > 0:
        named = {"user": user.username} if user is not None else {}
        authenticator.refusals.note(request, "locked", **named)
        raise TooManyRequests("too many attempts: wait a while and try again", retry_after=math.ceil(wait))


async def check_password(
    context: RequestContext, authenticator: Authenticator, request: Request, username: str, password: str
) -> Credentials:
    """The user with this password. It costs one attempt of the account and of the address, which success refunds."""
    at = crowd(authenticator.proxies.address(request))
    found, known = await context.store.read(credentials, username.lower(), at)
    user = found.user if found is not None else None
    account, address = _account_bucket(username, user, at if known else None), address_bucket(authenticator, request)
    await admit(context, authenticator, request, {account: ACCOUNT, address: ADDRESS}, user=user)
    stored = found.password if found is not None and found.user.has_password else None
    right = await authenticator.passwords.matches(stored, password)
    if found is None or not right or not found.user.is_active:
        named = {"user": user.username} if user is not None else {"name_digest": name_digest(username)}
        authenticator.refusals.note(request, "password", **named)
        raise Unauthenticated(WRONG)
    await context.store.transact(sessions.forgive, account=account, others=[address])
    return found


def _account_bucket(username: str, user: User | None, known_at: str | None) -> str:
    """One bucket per account, however it was named; and one per address from which its user has signed in before, so
    that attackers elsewhere cannot lock the user out."""
    if user is None:
        return f"account:{hashlib.sha256(username.lower().encode()).hexdigest()[:40]}"
    return f"account:{user.id}" if known_at is None else f"account:{user.id} at {known_at}"


async def open_session(
    context: RequestContext, authenticator: Authenticator, request: Request, found: Credentials
) -> tuple[User, str, str]:
    """The user, the session's id and its first refresh token."""
    session, token = new_session(context, authenticator, request, found.user.id)
    user = await context.store.transact(sessions.open_session, session=session, checked=found.password)
    if user is None:
        raise Unauthenticated(WRONG)
    return user, session.id, token


def new_session(
    context: RequestContext, authenticator: Authenticator, request: Request, user_id: str
) -> tuple[NewSession, str]:
    """A session to be opened, and its first refresh token."""
    session_id = context.ids.new()
    token, digest = authenticator.refresh.mint(session_id, 1)
    address = plain(authenticator.proxies.address(request), longest=100)
    return NewSession(session_id, user_id, digest, client_of(request), address), token


async def modernise(
    context: RequestContext, authenticator: Authenticator, found: Credentials, password: str
) -> Credentials:
    """Rehashes a password whose hash has outdated parameters: only at sign-in is the password known."""
    if not outdated(found.password):
        return found
    new = await authenticator.passwords.hash(password)
    await context.store.transact(lambda tx: tx.accounts.rehash(found.user.id, found.password, new))
    return Credentials(found.user, new)


def tokens_json(
    context: RequestContext, authenticator: Authenticator, user: User, session_id: str, refresh_token: str | None
) -> dict[str, object]:
    access = authenticator.access.mint(Claims(user.id, session_id), context.clock.now())
    seconds = int(GOOD_FOR.total_seconds())
    return {"access_token": access, "refresh_token": refresh_token, "token_type": "bearer", "expires_in": seconds}


def client_of(request: Request) -> str:
    return plain(request.headers.get("horae-client") or request.headers.get("user-agent") or "")


def tokens_reply(
    request: Request,
    context: RequestContext,
    authenticator: Authenticator,
    found: dict[str, object],
    *,
    by_cookie: bool = False,
) -> Response:
    """A token that came as a cookie is returned as a cookie, regardless of the request: no script can read it."""
    if not by_cookie and not cookies.wanted(request):
        return reply(found)
    response = reply({**found, "refresh_token": None})
    cookies.put(response, request, authenticator, str(found["refresh_token"]), context.settings.public_url)
    return response


def plain(text: str, longest: int = 200) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:longest])


async def credentials(tx: Transaction, username: str, at: str) -> tuple[Credentials | None, bool]:
    """And whether they have signed in from this address before."""
    found = await tx.accounts.credentials(username) if username.isascii() else None
    # Also queried if the user does not exist: the response time must not reveal it.
    addresses = await tx.sessions.addresses(found.user.id if found is not None else NIL, _REMEMBERED)
    return found, at in map(crowd, addresses)
