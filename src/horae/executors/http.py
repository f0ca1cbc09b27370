"""Calls a URL. Success is a 2xx answer; what a failure means for the next attempt follows from its status.

One session for all calls: connections are reused, cookies are not kept. A name is resolved once, every address it has
is checked (addresses.py), and the call goes to one of those very addresses. There is no timer here: the worker sweeps
deadlines and cancels the task, which closes the connection.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast

import aiohttp
import orjson
from aiohttp.abc import AbstractResolver, ResolveResult
from multidict import CIMultiDict
from yarl import URL

from horae.domain.outcome import Outcome
from horae.domain.states import AttemptOutcome
from horae.executors import addresses
from horae.executors.failure import Refused, clean, failed, in_words, one_line, raised, refused

if TYPE_CHECKING:
    from horae.domain.attempt import Attempt
    from horae.domain.targets import HttpTarget
    from horae.ports import Clock

BODY_LIMIT = 64 * 1024  # bytes read of an answer
HEADERS_LIMIT = 16 * 1024  # characters kept of its headers
_TRANSIENT = frozenset({408, 425, 429})
_LONGEST_PAUSE = 31_536_000.0
_KEEPALIVE = 4.0  # below the 5 s after which Node and others hang up: a POST on a dying connection would fail
_CHARSETS = frozenset(("utf-8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15", "windows-1252"))


class HttpExecutor:
    """Carries out `http` targets. `allow_private` lets calls reach addresses that are not on the Internet."""

    def __init__(self, clock: Clock, *, version: str, allow_private: bool = False) -> None:
        self._clock = clock
        self._agent = f"horae/{version}"
        self._allow_private = allow_private
        self._session: aiohttp.ClientSession | None = None

    def offers(self) -> Iterable[str]:
        return ("http",)

    async def execute(self, attempt: Attempt) -> Outcome:
        target = cast("HttpTarget", attempt.job.target)
        try:
            return await self._call(attempt, target)
        except Refused as error:
            return refused(str(error))
        except ValueError as error:  # InvalidURL, a host that IDNA cannot encode, a header that aiohttp refuses
            return refused(f"the call cannot be made: {in_words(error)}")
        except (aiohttp.ClientError, OSError) as error:  # TimeoutError is an OSError
            return failed(in_words(error))
        except Exception as error:  # nothing a server or a definition does may end the worker's task
            return raised(error)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _call(self, attempt: Attempt, target: HttpTarget) -> Outcome:
        url = URL(target.url)
        if target.query:
            url = url.extend_query(target.query)
        self._check_literal(url)
        body = None if target.body is None else target.body.encode()
        begun = self._clock.monotonic()
        async with self._open_session().request(
            target.method,
            url,
            headers=self._headers(attempt, target.headers, body),
            data=body,
            allow_redirects=False,
        ) as response:
            answered = self._clock.monotonic()
            content, truncated = await _read(response)
            done = self._clock.monotonic()
        result = {
            "status": response.status,
            "headers": _plain(response.headers),
            "body": _text(content, response.charset),
            "truncated": truncated,
            "timings": {
                "headers_ms": round((answered - begun) * 1000, 1),
                "total_ms": round((done - begun) * 1000, 1),
            },
        }
        return self._outcome(response, orjson.dumps(result).decode())

    def _outcome(self, response: aiohttp.ClientResponse, result: str) -> Outcome:
        status = response.status
        if 200 <= status < 300:
            return Outcome(AttemptOutcome.SUCCEEDED, result=result, response_code=status)
        transient = status in _TRANSIENT or status >= 500
        return Outcome(
            AttemptOutcome.FAILED,
            result=result,
            error=one_line(f"HTTP {status} {response.reason or ''}"),
            response_code=status,
            permanent=not transient,
            retry_after=retry_after(response.headers, self._clock.now()) if transient else None,
        )

    def _headers(self, attempt: Attempt, own: Mapping[str, str], body: bytes | None) -> CIMultiDict[str]:
        """The job's own headers may replace what describes the call, not what identifies it."""
        run_id = attempt.run.id
        headers = CIMultiDict({"User-Agent": self._agent, "Accept": "*/*", "Idempotency-Key": run_id})
        if body is not None:
            headers["Content-Type"] = _content_type(body)
        headers.update(own)
        headers["Accept-Encoding"] = "identity"  # what is capped on the wire is then capped in memory
        headers["Webhook-Id"] = run_id
        headers["Webhook-Timestamp"] = str(int(self._clock.now().timestamp()))
        return headers

    def _check_literal(self, url: URL) -> None:
        """aiohttp does not ask the resolver about a host that looks like an address."""
        host = url.raw_host or ""
        literal = ":" in host or host.replace(".", "").isdigit()
        if literal and (reason := addresses.refusal(host, allow_private=self._allow_private)):
            raise Refused(f"the call was refused: {reason}")

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=CheckedResolver(allow_private=self._allow_private),
                    limit=0,  # the worker's slots are the limit
                    keepalive_timeout=_KEEPALIVE,
                ),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session


class CheckedResolver(AbstractResolver):
    """Resolves a name and refuses it if any of its addresses is out of bounds."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family)
        resolved = []
        for kind, _, proto, _, where in found:
            address = str(where[0])
            if kind == socket.AF_INET6 and len(where) > 3 and where[3]:
                address = f"{address}%{where[3]}"
            if reason := addresses.refusal(address, allow_private=self._allow_private):
                raise Refused(f"the call was refused: {host} leads to {reason}")
            resolved.append(
                ResolveResult(
                    hostname=host,
                    host=address,
                    port=port,
                    family=kind,
                    proto=proto,
                    flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
                )
            )
        return resolved

    async def close(self) -> None:
        pass


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds for which a server asks to be left alone. A date is compared with the server's own clock
    where it tells its time."""
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:12]), _LONGEST_PAUSE)
    until = _date(value)
    if until is None:
        return None
    seconds = (until - (_date(headers.get("Date", "")) or now)).total_seconds()
    return min(max(seconds, 0.0), _LONGEST_PAUSE)


def _date(value: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


async def _read(response: aiohttp.ClientResponse) -> tuple[bytes, bool]:
    """The first part of the body, and whether there was more. What is too long is not read to its end."""
    parts = []
    size = 0
    while size <= BODY_LIMIT and (part := await response.content.readany()):
        parts.append(part)
        size += len(part)
    if size > BODY_LIMIT:
        response.close()
    return b"".join(parts)[:BODY_LIMIT], size > BODY_LIMIT


def _text(content: bytes, charset: str | None) -> str:
    """Only common charsets are decoded: some codecs of Python are slow on purpose-made input."""
    known = charset.lower() if charset and charset.lower() in _CHARSETS else "utf-8"
    return clean(content.decode(known, "replace"))


def _plain(headers: Mapping[str, str]) -> dict[str, str]:
    """Header names in lower case, repeated ones joined, all of them bounded."""
    kept: dict[str, Any] = {}
    size = 0
    for name, value in headers.items():
        size += len(name) + len(value)
        if size > HEADERS_LIMIT:
            break
        name = clean(name).lower()
        kept[name] = f"{kept[name]}, {clean(value)}" if name in kept else clean(value)
    return kept


def _content_type(body: bytes) -> str:
    if body.lstrip()[:1] in (b"{", b"["):
        try:
            orjson.loads(body)
            return "application/json"
        except orjson.JSONDecodeError:
            pass
    return "text/plain; charset=utf-8"
