"""HTTP transport of both clients: requests, answers as values or errors, and retries.

A request is retried only if that is harmless: if it was never sent or was rejected unread, if it only reads or puts, or
if it is a POST, which has an `Idempotency-Key` so that it takes effect once."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Any, TypeVar
from uuid import uuid4

import httpx

from horae import __version__
from horae.domain.errors import InvalidInput
from horae.domain.loopback import is_loopback
from horae.sdk.answers import ServerError, Unreachable, reason, refusal, retry_after
from horae.sdk.calls import Request
from horae.sdk.trace_context import current_traceparent

T = TypeVar("T")
_AWAY = frozenset((502, 503, 504))
_SAFE = frozenset(("GET", "POST", "PUT"))
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_LONGEST_PAUSE = 10.0  # seconds that a server may request
_LONGEST_BACKOFF = 2.0
Came = httpx.Response | httpx.RequestError


class Transport:
    """The settings of a client, and their effect on a request."""

    def __init__(
        self,
        url: str,
        token: str | httpx.Auth | None,
        timeout: float,
        client: str,
        retries: int,
        project: str | None = None,
    ) -> None:
        if not url.lower().startswith(("http://", "https://")):
            raise InvalidInput("url", "must begin with http:// or https://")
        host = _host(url)
        self.url = url.rstrip("/")
        self.retries = retries
        headers = {"user-agent": f"horae-{client}/{__version__}", "horae-client": client}
        if isinstance(token, str) and token:
            headers["authorization"] = f"Bearer {token}"
        if project:
            headers["horae-project"] = project
        self.options: dict[str, Any] = {
            "headers": headers,
            "timeout": timeout,
            "auth": token if isinstance(token, httpx.Auth) else None,
            "trust_env": not is_loopback(host),  # a proxy makes no sense for the local machine
        }

    def arguments(self, request: Request[Any]) -> dict[str, Any]:
        """The arguments for httpx, the same for each try."""
        headers = dict(request.headers)
        if request.method == "POST":
            headers.setdefault("idempotency-key", uuid4().hex)
            if (trace := current_traceparent()) is not None:
                headers.setdefault("traceparent", trace)
        return {
            "method": request.method,
            "url": f"{self.url}/{request.base}{request.path}",
            "json": request.json,
            "params": {name: _text(value) for name, value in (request.params or {}).items() if value is not None},
            "headers": headers,
        }

    def value(self, request: Request[T], came: Came) -> T:
        if isinstance(came, httpx.RequestError):
            raise self.unreachable(came) from None
        if not came.is_success and came.status_code not in request.also:
            raise refusal(came)
        if request.text:
            return request.read(came.text)
        try:
            answer = came.json() if came.content else {}
        except ValueError:
            raise ServerError(f"the server at {self.url} is not Horae: the response is not JSON") from None
        return request.read(answer)

    def pause(self, request: Request[Any], tries: int, came: Came) -> float | None:
        """How long to wait before the next try; None to give up."""
        if tries > self.retries or not _again(request, came):
            return None
        wanted = (retry_after(came) if isinstance(came, httpx.Response) else None) or 0.0
        if wanted > _LONGEST_PAUSE:
            return None
        backoff = min(0.1 * 2.0 ** min(tries - 1, 10), _LONGEST_BACKOFF)
        return max(wanted, backoff * random.uniform(0.5, 1.5))

    def next_connection(self, pause: float | None, broken: Exception) -> float:
        """How long to wait before a broken stream is reopened; raises the reason if it gives up."""
        if pause is not None:
            return pause
        raise self.unreachable(broken) if isinstance(broken, httpx.RequestError) else broken

    def unreachable(self, error: httpx.RequestError) -> Unreachable:
        if isinstance(error, httpx.TimeoutException):
            return Unreachable(f"{self.url} did not respond in time")
        return Unreachable(f"no server responds at {self.url} ({reason(error)})")


def _again(request: Request[Any], came: Came) -> bool:
    """Whether it may be sent again."""
    harmless = request.method in _SAFE and not request.once
    if isinstance(came, httpx.RequestError):
        return harmless or isinstance(came, _NEVER_SENT)  # otherwise it may have taken effect
    if came.status_code in request.also:
        return False
    if came.status_code == 409:  # an earlier try of the same request is being answered
        return "retry-after" in came.headers
    return came.status_code == 429 or (harmless and came.status_code in _AWAY)


def _host(url: str) -> str:
    try:
        place = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise InvalidInput("url", f"is not an address: {error}") from None
    if not place.host or not place.host.isprintable() or " " in url or not 0 < (place.port or 80) < 65_536:
        raise InvalidInput("url", "is not an address, such as http://127.0.0.1:8080")
    return place.host


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)
