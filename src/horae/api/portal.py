"""Serves the portal: every path outside the API is one of its built files, or a link into it.

It comes before the routes and takes none of their paths, so the API's own answers to unknown paths and methods are
unaffected.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from horae.api import portal_files
from horae.api.portal_files import HASHED, INDEX, File, Headers, Variant

_OF_THE_API = frozenset({"api", "badge", "docs", "health", "metrics", "openapi.json", "ping"})  # first segments
_NOT_BUILT = Path(__file__).parent / "static" / "not-built.html"


class Portal:
    def __init__(self, app: ASGIApp, *, folder: Path) -> None:
        self._app, self._folder = app, folder
        self._files: dict[str, File] = {}
        self._built: tuple[int, int] | None = None
        self._reading = asyncio.Lock()  # shared by all requests that arrive while it is read

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_ours(scope) or not await self._answer(scope, send):
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, send: Send) -> bool:
        """False if there is nothing at this path, and it is not a page of the portal either."""
        path: str = scope["path"]
        asked = _asked(scope)
        page = path in ("/", INDEX)
        link = "text/html" in asked[b"accept"] and not path.startswith(HASHED)
        if page or path not in self._files:
            await self._refresh()
        file = self._files.get(INDEX if page else path) or (self._files.get(INDEX) if link else None)
        if file is not None:
            await _send(scope, send, file.best(asked[b"accept-encoding"]), asked[b"if-none-match"])
        elif (page or link) and not self._files:
            await _plain(scope, send, 200 if page else 404)
        else:
            return False
        return True

    async def _refresh(self) -> None:
        """Reads the whole build again if it has changed, so that a page and its assets match."""
        async with self._reading:
            found = self._stamp()
            if found != self._built:
                self._files = await asyncio.to_thread(portal_files.read, self._folder)
                self._built = found

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = (self._folder / INDEX[1:]).stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


def _is_ours(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    return scope["path"][1:].partition("/")[0] not in _OF_THE_API


def _asked(scope: Scope) -> dict[bytes, str]:
    found = {b"accept": "", b"accept-encoding": "", b"if-none-match": ""}
    for name, value in scope["headers"]:
        if name in found:
            found[name] = f"{found[name]},{value.decode('latin-1')}"
    return found


async def _send(scope: Scope, send: Send, variant: Variant, known: str) -> None:
    tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
    if variant.etag in tags or "*" in tags:
        # With its policy: a browser replaces the headers it cached with those of this answer.
        headers = [pair for pair in variant.headers if pair[0] not in (b"content-type", b"content-encoding")]
        await _reply(scope, send, 304, headers, b"")
    else:
        headers = [*variant.headers, (b"content-length", str(len(variant.body)).encode())]
        await _reply(scope, send, 200, headers, variant.body)


async def _plain(scope: Scope, send: Send, status: int) -> None:
    body = _NOT_BUILT.read_bytes()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", b"default-src 'none'; style-src 'self'; frame-ancestors 'none'"),
        (b"content-length", str(len(body)).encode()),
    ]
    await _reply(scope, send, status, headers, body)


async def _reply(scope: Scope, send: Send, status: int, headers: Headers, body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
