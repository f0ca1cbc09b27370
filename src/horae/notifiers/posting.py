"""Sends JSON over HTTP; the answer decides whether it was accepted, may be retried, or never will be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aiohttp
import orjson
from yarl import URL

from horae.domain.notify.delivery import Sent
from horae.notifiers.addresses import Addresses

_AGAIN = frozenset({408, 409, 425, 429})  # and all 5xx
_READ = 1_000  # bytes of an answer
_SHOWN = 200  # characters of it


class Poster:
    def __init__(self, addresses: Addresses, *, version: str, timeout: float) -> None:
        self._addresses, self._timeout = addresses, timeout
        self._agent = f"horae/{version}"
        self._session: aiohttp.ClientSession | None = None

    async def post(self, url: str, body: Any, headers: Mapping[str, str] | None = None) -> Sent:
        return await self.post_bytes(url, orjson.dumps(body), headers)

    async def post_bytes(self, url: str, body: bytes, headers: Mapping[str, str] | None = None) -> Sent:
        """Redirects are not followed: they would send secrets elsewhere."""
        target = URL(url)
        self._addresses.check_literal(target.raw_host or "")
        sent = {"content-type": "application/json", "user-agent": self._agent, **(headers or {})}
        async with self._open().post(target, data=body, headers=sent, allow_redirects=False) as answer:
            return await _outcome(answer)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(resolver=self._addresses, limit=0, force_close=True),
                timeout=aiohttp.ClientTimeout(total=self._timeout),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


async def _outcome(answer: aiohttp.ClientResponse) -> Sent:
    if 200 <= answer.status < 300:
        return Sent()
    raw = await answer.content.read(_READ)
    said = " ".join(raw.decode(errors="replace").split())[:_SHOWN]
    error = f"HTTP {answer.status}" + (f": {said}" if said else "")
    if 300 <= answer.status < 400:
        return Sent(f"HTTP {answer.status}: redirects are not followed; give the address that it leads to", True)
    again = answer.status >= 500 or answer.status in _AGAIN
    wait = _retry_after(answer.headers.get("Retry-After")) if again else None
    return Sent(error, not again, wait, answer.status)


def _retry_after(text: str | None) -> float | None:
    """In seconds; a date is ignored, and the usual pause applies."""
    return float(text) if text and text.strip().isascii() and text.strip().isdigit() and len(text) < 10 else None
