"""Signals of external jobs to pings. The token in the path is the authorisation; it is checked before the body is read.
Outside of the API's prefix: these URLs are typed into crontabs."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from horae.api.auth import public
from horae.api.context import Ctx, RequestContext
from horae.api.errors import TooSlow, refuses
from horae.api.signing_in.url_tokens import UrlTokens, url_tokens
from horae.domain.errors import InvalidInput
from horae.domain.pings.ping import PingMessage, Signal
from horae.domain.text.checks import storable
from horae.lifecycle.watching.pings import hear

router = APIRouter(tags=["pings"], dependencies=[Depends(public)])

KEPT_BYTES = 10_000  # of a body, from its end: that is where a log says what went wrong
READ_BYTES = 16 << 20  # a client that is still sending would see a broken connection rather than the answer
PATIENCE = 10.0  # seconds for a whole body
_CODE = re.compile(r"[0-9]{1,3}", re.ASCII)
_TEXT: dict[int | str, dict[str, Any]] = {
    200: {"description": "OK", "content": {"text/plain": {"schema": {"type": "string"}, "example": "OK"}}}
}

Tokens = Annotated[UrlTokens, Depends(url_tokens)]
Token = Annotated[str, Path(max_length=200, description="from the ping's URL")]
Rid = Annotated[
    str | None,
    Query(pattern=r"^[0-9A-Za-z._-]{1,64}$", description="a run's id: distinguishes overlapping runs"),
]
_ANSWERS = {**_TEXT, **refuses(408, 429)}


@router.get("/ping/{token}", response_class=Response, responses=_ANSWERS)
@router.post("/ping/{token}", response_class=Response, responses=_ANSWERS)
async def ping_success(request: Request, context: Ctx, tokens: Tokens, token: Token, rid: Rid = None) -> Response:
    """The job succeeded. The body of a POST is kept with the event, its last 10,000 bytes."""
    return await _take(request, context, tokens, token, "", rid)


@router.get("/ping/{token}/{outcome}", response_class=Response, responses=_ANSWERS)
@router.post("/ping/{token}/{outcome}", response_class=Response, responses=_ANSWERS)
async def ping_outcome(
    request: Request,
    context: Ctx,
    tokens: Tokens,
    token: Token,
    outcome: Annotated[str, Path(max_length=200, description="start, fail, or an exit code from 0 to 255")],
    rid: Rid = None,
) -> Response:
    """The job started, failed, or ended with an exit code; 0 is success."""
    return await _take(request, context, tokens, token, outcome, rid)


async def _take(
    request: Request, context: RequestContext, tokens: UrlTokens, token: str, outcome: str, rid: str | None
) -> Response:
    digest = tokens.read(request, token)
    await tokens.source_limit.count(tokens.source(request))
    if digest is None or not await _is_there(context, tokens, digest):
        raise await tokens.refuse(request, "ping", digest)
    await tokens.ping_limit.count(digest[:32])
    signal = _signal(outcome, rid)
    message, cut = await _message(request)
    if not await context.store.transact(hear, digest=digest, signal=signal, message=message):
        raise await tokens.refuse(request, "ping", digest)
    # The rest of a body that is too long would be read as the next request.
    return Response(b"OK", media_type="text/plain", headers={"connection": "close"} if cut else None)


async def _is_there(context: RequestContext, tokens: UrlTokens, digest: str) -> bool:
    if not tokens.known(digest):
        if await context.store.read(lambda tx: tx.pings.by_digest(digest)) is None:
            return False
        tokens.meet(digest)
    return True


def _signal(outcome: str, rid: str | None) -> Signal:
    if outcome == "":
        return Signal("success", rid=rid)
    if outcome == "start":
        return Signal("start", rid=rid)
    if outcome == "fail":
        return Signal("fail", rid=rid)
    if not _CODE.fullmatch(outcome) or int(outcome) > 255:
        raise InvalidInput("outcome", "must be start, fail or an exit code from 0 to 255")
    code = int(outcome)
    return Signal("fail" if code else "success", code, rid)


async def _message(request: Request) -> tuple[PingMessage, bool]:
    """The body, and whether some of it was left unread."""
    kept, total = b"", 0
    if request.scope["method"] == "POST":
        try:
            async with asyncio.timeout(PATIENCE):
                async for chunk in request.stream():
                    total += len(chunk)
                    kept = (kept + chunk)[-KEPT_BYTES:]
                    if total > READ_BYTES:
                        break
        except TimeoutError:
            raise TooSlow from None
    agent = storable(request.headers.get("user-agent", "")) or ""
    message = PingMessage(
        method=request.scope["method"],
        address=request.app.state.authenticator.proxies.address(request)[:100],
        agent=agent[:200] or None,
        body=storable(kept.decode(errors="replace")) if kept else None,
        body_bytes=total or None,
    )
    return message, total > READ_BYTES
