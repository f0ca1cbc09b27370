"""Middleware around every request: a request id, security headers, a log line, and an answer even after an unhandled
exception."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, reset_contextvars

from horae.api import request_meter
from horae.api.errors import problem
from horae.domain.cluster.meters import Meters
from horae.domain.runs.trace import TraceContext, parse_traceparent
from horae.ports import Clock, Ids

log = structlog.get_logger()

_TOKENS = ("/api/v1/callbacks/", "/ping/", "/badge/")  # followed by a token, which no log may keep
_REQUEST_ID = re.compile(r"[0-9A-Za-z._-]{8,64}", re.ASCII)

# An API has no pages: nothing may be loaded, framed, sniffed or cached.
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-frame-options", b"DENY"),  # for browsers that do not know frame-ancestors
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Shell:
    def __init__(self, app: ASGIApp, *, ids: Ids, clock: Clock, meters: Meters | None = None) -> None:
        self._app, self._ids, self._clock = app, ids, clock
        self._meters = meters or Meters()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _given_id(scope) or self._ids.new()
        scope.setdefault("state", {})["id"] = request_id
        begun = self._clock.monotonic()
        status = 0

        async def reply(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    (b"x-request-id", request_id.encode()),
                    *(header for header in _HEADERS if header[0] not in own),
                ]
            await send(message)

        # For the log lines of everything done for this request.
        named = {"request_id": request_id}
        if (trace := _trace(scope)) is not None:
            scope["state"]["trace"] = trace
            named["trace_id"] = trace.trace_id
        bound = bind_contextvars(**named)
        try:
            await self._app(scope, receive, reply)
        finally:
            reset_contextvars(**bound)
            spent = self._clock.monotonic() - begun
            request_meter.count(self._meters, scope, status, spent)
            log.debug("request", status=status, ms=round(spent * 1000, 1), request_id=request_id, **_what(scope))


class Rescue:
    """Answers unhandled exceptions. Inside of CORS, so that a page of another origin can read this answer too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def reply(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, reply)
        except Exception:
            if scope["type"] != "http":
                raise
            request_id = scope["state"]["id"]
            log.exception("request failed", request_id=request_id, **_what(scope))
            if begun:  # half an answer is sent: break the connection, so that it does not look complete
                raise
            detail = "Internal error. See the server log under this request id."
            await problem(request_id, 500, detail)(scope, receive, send)


class Head:
    """HEAD: the answer to GET, without its body. Load balancers and `curl -I` use it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        answered = asyncio.Event()

        async def gone() -> Message:
            """Streams end when the client disconnects: here, once the headers are sent."""
            await answered.wait()
            return {"type": "http.disconnect"}

        async def headers_alone(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                answered.set()

        await self._app({**scope, "method": "GET"}, gone, headers_alone)


def _given_id(scope: Scope) -> str | None:
    """A caller's own id is kept if it is harmless, so that its log and ours can be correlated."""
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            text = value.decode("latin-1")
            return text if _REQUEST_ID.fullmatch(text) else None
    return None


def _trace(scope: Scope) -> TraceContext | None:
    """The caller's trace context; None if there is none, or more than one."""
    found = [value for name, value in scope["headers"] if name == b"traceparent"]
    return parse_traceparent(found[0].decode("latin-1")) if len(found) == 1 else None


def _what(scope: Scope) -> dict[str, Any]:
    path: str = scope["path"]
    prefix = next((one for one in _TOKENS if path.startswith(one)), None)
    return {"method": scope["method"], "path": path if prefix is None else f"{prefix}…"}
