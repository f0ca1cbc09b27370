"""Tokens in URLs of pings and badges: minting, display and rate limits."""

from __future__ import annotations

import secrets
from collections import OrderedDict

from fastapi import Request

from horae.api.address import crowd
from horae.api.context import RequestContext
from horae.api.limits import RequestLimit
from horae.api.refusals import Kind
from horae.api.signing_in.authenticator import Authenticator, Recent
from horae.domain.errors import NotFound
from horae.domain.pings.badge import BadgeState
from horae.domain.pings.token import UrlToken, digest, place
from horae.domain.secrets.secret import CannotOpen, Sealed
from horae.ports import Seals

_KNOWN = 100_000
BADGE_CACHE = 10.0  # seconds


class PingLimit(RequestLimit):
    """Signals of one ping."""

    _kind, _words = "ping", "more than {rate:g} signals per second; slow down"


class SourceLimit(RequestLimit):
    """Signals from one address, for any ping."""

    _kind, _words = "pinger", "more than {rate:g} signals per second from your address; slow down"


class UrlTokens:
    """This process's cache of tokens. A known token is not limited by invalid ones from the same address."""

    def __init__(self, context: RequestContext, authenticator: Authenticator) -> None:
        self._authenticator = authenticator
        self._known: OrderedDict[str, None] = OrderedDict()
        self.ping_limit = PingLimit(context.store, context.clock, 5, portions=10)
        self.source_limit = SourceLimit(context.store, context.clock, 200, portions=10)
        self.badges: Recent[tuple[str, BadgeState]] = Recent(context.clock, BADGE_CACHE)

    def source(self, request: Request) -> str:
        return crowd(self._authenticator.proxies.address(request))

    def known(self, token_digest: str) -> bool:
        return token_digest in self._known

    def meet(self, token_digest: str) -> None:
        self._known[token_digest] = None
        while len(self._known) > _KNOWN:
            self._known.popitem(last=False)

    def read(self, request: Request, token: str) -> str | None:
        """The digest to look up; None if it cannot be a token. Refuses addresses that sent many invalid ones."""
        found = digest(token)
        if found is None or not self.known(found):
            self._authenticator.strangers.check(self.source(request))
        return found

    async def refuse(self, request: Request, kind: Kind, token_digest: str | None) -> NotFound:
        """Counts an unknown token, like an invalid API key."""
        self._known.pop(token_digest or "", None)
        self._authenticator.refusals.note(request, kind)
        await self._authenticator.strangers.count(self.source(request))
        return NotFound(f"there is no such {kind}")


def mint(seals: Seals, project_id: str, kind: str, row_id: str) -> UrlToken:
    """192 random bits."""
    text = secrets.token_urlsafe(24)
    found = digest(text)
    assert found is not None
    return UrlToken(found, seals.seal(project_id, place(kind, row_id), text))


def base_url(request: Request, context: RequestContext, authenticator: Authenticator) -> str:
    """The public URL of this server: from the setting, or as the caller used it."""
    if context.settings.public_url:
        return context.settings.public_url.rstrip("/")
    scheme = "https" if authenticator.proxies.https(request) else "http"
    return f"{scheme}://{request.headers.get('host', 'localhost')}"


def opened(seals: Seals, sealed: Sealed) -> str | None:
    try:
        return seals.open(sealed)
    except CannotOpen:
        return None


async def url_tokens(request: Request) -> UrlTokens:
    found: UrlTokens = request.app.state.url_tokens
    return found
