"""Requests to the provider: bounded in time and size, without redirects. The operator configured its address, so it may
be private; only the operator decides where requests go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import orjson
import structlog

from horae.domain.loopback import is_loopback
from horae.domain.people.single_sign_on import NotAccepted, Refusal

TIMEOUT = 5.0  # seconds for the whole request: a user is waiting in a browser
LARGEST = 1 << 20  # bytes of an answer

log = structlog.get_logger()


class ProviderAnswer:
    """A status, and the JSON object in the body."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status, self.body = status, body


async def ask(
    method: str, url: str, what: str, *, headers: Mapping[str, str] | None = None, form: Mapping[str, str] | None = None
) -> ProviderAnswer:
    """Raises NotAccepted if the provider does not answer with a JSON object; `what` names the endpoint for the log."""
    try:
        async with (
            aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=TIMEOUT), trust_env=not is_loopback(urlsplit(url).hostname or "")
            ) as session,
            session.request(
                method,
                url,
                headers={"accept": "application/json", **(headers or {})},
                data=form,
                allow_redirects=False,
            ) as answer,
        ):
            body = await _read(answer, what)
            status = answer.status
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise unavailable(what, f"{type(error).__name__}: {error}" if str(error) else type(error).__name__) from None
    if 300 <= status < 400:
        raise unavailable(what, f"it answered with a redirect ({status}), which is not followed")
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise unavailable(what, f"its answer ({status}) is not JSON") from None
    if not isinstance(found, dict):
        raise unavailable(what, f"its answer ({status}) is not a JSON object")
    return ProviderAnswer(status, found)


async def _read(answer: aiohttp.ClientResponse, what: str) -> bytes:
    body = b""
    async for piece in answer.content.iter_chunked(65_536):
        body += piece
        if len(body) > LARGEST:
            raise unavailable(what, f"its answer is larger than {LARGEST} bytes")
    return body


def unavailable(what: str, why: str) -> NotAccepted:
    return NotAccepted(Refusal.UNAVAILABLE, f"{what}: {why}")
