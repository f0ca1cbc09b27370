"""Server-sent events: a response that stays open. Each event may have an id; a client that lost the connection resumes
after the last one (`Last-Event-ID`), as browsers do automatically."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

from fastapi.responses import StreamingResponse

from horae.api.views import render

KEEP_ALIVE = 10.0  # seconds of silence after which a comment is sent, so that proxies keep the connection open
_BREAK = re.compile(rb"[\r\n]+")  # JSON has none outside of strings, and inside them they are escaped


def event(name: str, data: Any, id: str | None = None) -> bytes:
    return framed(name, rendered(data), id)


def rendered(data: Any) -> bytes:
    return _BREAK.sub(b" ", render(data))


def framed(name: str, data: bytes, id: str | None) -> bytes:
    head = f"id: {id}\n" if id is not None else ""
    return f"{head}event: {name}\ndata: ".encode() + data + b"\n\n"


def still_here() -> bytes:
    return b": still here\n\n"


def stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    # Proxies such as nginx would buffer events.
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)
