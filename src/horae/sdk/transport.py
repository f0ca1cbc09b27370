"""What both clients do on the wire: the request as HTTP, the answer as a value or an error, and whether to try again.

A request is repeated only where that cannot do harm: what was never sent, what only reads, and POSTs, which carry an
`Idempotency-Key` so that the server does what they ask once."""

from __future__ import annotations

import random
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from horae import __version__
from horae.sdk.answers import Unreachable, reason, refusal
from horae.sdk.calls import Request

T = TypeVar("T")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_AGAIN = frozenset((429, 502, 503, 504))
_SAFE = frozenset(("GET", "POST", "PUT"))
_LONGEST_PAUSE = 10.0


class Transport:
    """The settings of a client, and what they mean for a request."""

    def __init__(
        self,
        url: str,
        token: str | httpx.Auth | None,
        timeout: float,
        client: str,
        retries: int,
        project: str | None = None,
    ) -> None:
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
            "trust_env": urlsplit(url).hostname not in _LOOPBACK,  # a proxy has no business on the way to oneself
        }

    def address(self, path: str) -> str:
        return f"{self.url}/api/v1/{path}"

    def arguments(self, request: Request[Any]) -> dict[str, Any]:
        """What httpx is to be called with, the same at each try."""
        headers = dict(request.headers)
        if request.method == "POST":
            headers.setdefault("idempotency-key", uuid4().hex)
        return {
            "method": request.method,
            "url": self.address(request.path),
            "json": request.json,
            "params": {name: _text(value) for name, value in (request.params or {}).items() if value is not None},
            "headers": headers,
        }

    def value(self, request: Request[T], came: httpx.Response | httpx.TransportError) -> T:
        if isinstance(came, httpx.TransportError):
            raise self.unreachable(came) from None
        if came.is_success:
            return request.read(came.json() if came.content else {})
        raise refusal(came)

    def pause(self, request: Request[Any], tries: int, came: httpx.Response | httpx.TransportError) -> float | None:
        """How long to wait before the next try; None if there is to be none."""
        if tries > self.retries:
            return None
        wanted = 0.0
        if isinstance(came, httpx.Response):
            text = came.headers.get("retry-after", "")
            in_use = came.status_code == 409 and bool(text)  # an earlier try of the same request is being answered
            if not in_use and (came.status_code not in _AGAIN or request.method not in _SAFE):
                return None
            wanted = float(text) if text.isascii() and text.isdigit() else 0.0
            if wanted > _LONGEST_PAUSE:
                return None
        elif not isinstance(came, httpx.ConnectError) and request.method not in _SAFE:
            return None  # it may have been carried out
        backoff: float = 0.1 * 2 ** (tries - 1)
        return max(wanted, backoff * random.uniform(0.5, 1.5))

    def next_connection(self, pause: float | None, broken: Exception) -> float:
        """How long to wait before a broken stream is asked for again; raises why it broke if it is given up."""
        if pause is not None:
            return pause
        raise self.unreachable(broken) if isinstance(broken, httpx.TransportError) else broken

    def unreachable(self, error: httpx.TransportError) -> Unreachable:
        if isinstance(error, httpx.TimeoutException):
            return Unreachable(f"{self.url} did not answer in time")
        return Unreachable(f"nothing answers at {self.url} ({reason(error)})")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
