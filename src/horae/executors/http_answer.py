"""From a response to an outcome: what is kept of it, and what it means for the next attempt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
import orjson

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.domain.targets import HttpTarget
from horae.executors.failure import clean, one_line

BODY_LIMIT = 64 * 1024  # bytes read of an answer
HEADERS_LIMIT = 16 * 1024  # characters kept of its headers
_ACCEPTED = 202
_TRANSIENT = frozenset({408, 425, 429})
_LONGEST_PAUSE = 31_536_000.0
_CHARSETS = frozenset(("utf-8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15", "windows-1252"))


async def read(response: aiohttp.ClientResponse) -> tuple[bytes, bool]:
    """The first part of the body, and whether there was more. A body that is too long is not read to its end."""
    content = response.content
    part = await content.readany()
    if len(part) <= BODY_LIMIT and content.is_eof() and content.at_eof():  # most answers are short, and arrive at once
        return part, False
    parts, size = [part], len(part)
    while size <= BODY_LIMIT and (part := await content.readany()):
        parts.append(part)
        size += len(part)
    if size > BODY_LIMIT:
        response.close()
    return b"".join(parts)[:BODY_LIMIT], size > BODY_LIMIT


def result(response: aiohttp.ClientResponse, content: bytes, truncated: bool, timings: Mapping[str, float]) -> str:
    return orjson.dumps(
        {
            "status": response.status,
            "headers": _plain(response.headers),
            "body": _text(content, response.charset),
            "truncated": truncated,
            "timings": timings,
        }
    ).decode()


def outcome(target: HttpTarget, response: aiohttp.ClientResponse, result: str, now: Callable[[], datetime]) -> Outcome:
    status = response.status
    if status == _ACCEPTED and target.callback is not None:
        park_for = target.callback.timeout
        return Outcome(AttemptOutcome.PARKED, result=result, response_code=status, park_for=park_for)
    if status in target.expected:
        return Outcome(AttemptOutcome.SUCCEEDED, result=result, response_code=status)
    transient = status in _TRANSIENT or status >= 500
    return Outcome(
        AttemptOutcome.FAILED,
        result=result,
        error=_in_words(target, status, response.reason or ""),
        response_code=status,
        permanent=not transient,
        retry_after=retry_after(response.headers, now()) if transient else None,
    )


def _in_words(target: HttpTarget, status: int, reason: str) -> str:
    line = f"HTTP {status} {reason}".strip()
    return one_line(line if status >= 300 else f"{line}, where the job expects {', '.join(target.expect)}")


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds, from Retry-After. A date is compared with the server's own clock, if it sent a Date header."""
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


def _text(content: bytes, charset: str | None) -> str:
    """Only common charsets are decoded: some of Python's codecs are slow on malicious input."""
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
        name, value = _clean(name).lower(), _clean(value)
        kept[name] = f"{kept[name]}, {value}" if name in kept else value
    return kept


def _clean(text: str) -> str:
    return text if text.isascii() and "\x00" not in text else clean(text)
