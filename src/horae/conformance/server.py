"""The controller behind HTTP on loopback, and a site that calls of jobs can reach."""

from __future__ import annotations

import asyncio
import email.utils
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from horae.conformance.controller import MAX_BODY, FailedAnswer, Misbehaviour, PlayedController

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """One application on a free port of loopback."""

    def __init__(self, handler: Handler) -> None:
        app = web.Application(client_max_size=4 * MAX_BODY)
        app.router.add_route("*", "/{path:.*}", handler)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        self.url = ""

    async def start(self) -> None:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"

    async def stop(self) -> None:
        await self._runner.cleanup()


class Front:
    """Speaks HTTP for a controller."""

    def __init__(self, controller: PlayedController) -> None:
        self.controller = controller
        self.revoked = False
        self.clock_off = 0.0  # seconds by which the server's clock differs

    async def handle(self, request: web.Request) -> web.StreamResponse:
        verb = request.path.removeprefix("/api/v1/worker/")
        try:
            body = await self._read(request, verb)
            return self._answered(request, await self._process(request, verb, body))
        except FailedAnswer as refusal:
            return self._refused(refusal)

    async def _read(self, request: web.Request, verb: str) -> Any:
        controller = self.controller
        raw = await request.read()
        if request.method != "POST" or request.content_type != "application/json":
            controller.violations.append(f"{verb}: must be POST with Content-Type: application/json")
        if request.headers.get("Horae-Worker-Protocol", "1") != "1":
            controller.violations.append(f"{verb}: Horae-Worker-Protocol is not the version that register named")
        if len(raw) > MAX_BODY:
            controller.violations.append(f"{verb}: the body has {len(raw):,} bytes, more than max_body_bytes")
            raise FailedAnswer(413, "too-large")
        try:
            body = json.loads(raw)
        except ValueError:
            controller.violations.append(f"{verb}: the body is not JSON")
            raise FailedAnswer(400, "malformed") from None
        controller.note(verb, body, dict(request.headers), id(request.transport))
        if self.revoked or request.headers.get("Authorization") != f"Bearer {controller.key}":
            raise FailedAnswer(401, "unauthenticated")
        return body

    async def _process(self, request: web.Request, verb: str, body: Any) -> Any:
        controller = self.controller
        for fault in controller.misbehaviours:
            if fault.verb == verb and fault.times > 0 and (fault.status or fault.hang) and fault.when(body, {}):
                fault.times -= 1
                await _fail(fault)
        made = await controller.answer(verb, body)
        for fault in controller.misbehaviours:
            if fault.verb == verb and fault.times > 0 and not (fault.status or fault.hang) and fault.when(body, made):
                fault.times -= 1
                if request.transport is not None:
                    request.transport.abort()
        return made

    def _answered(self, request: web.Request, made: Any) -> web.StreamResponse:
        response = web.json_response(made, headers=self._headers())
        if len(response.body or b"") > 1024 and "gzip" in request.headers.get("Accept-Encoding", ""):  # type: ignore[arg-type]
            response.enable_compression(web.ContentCoding.gzip)
        return response

    def _refused(self, refusal: FailedAnswer) -> web.StreamResponse:
        told = {
            "type": f"urn:horae:problem:{refusal.kind}",
            "title": refusal.kind,
            "status": refusal.status,
            "detail": "as the conformance suite wishes",
            **refusal.more,
        }
        headers = self._headers()
        if refusal.retry_after is not None:
            headers["Retry-After"] = str(refusal.retry_after)
        return web.json_response(told, status=refusal.status, headers=headers, content_type="application/problem+json")

    def _headers(self) -> dict[str, str]:
        if not self.clock_off:
            return {}
        return {"Date": email.utils.formatdate(time.time() + self.clock_off, usegmt=True)}


async def _fail(fault: Misbehaviour) -> None:
    if fault.hang:
        await asyncio.Event().wait()
    raise FailedAnswer(fault.status, fault.kind, fault.retry_after, **fault.more)


class Site:
    """What jobs call: `/status/404`, `/slow`, `/echo`; it remembers who came."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, str], bytes]] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.calls.append((request.path, dict(request.headers), await request.read()))
        _, _, status = request.path.partition("/status/")
        if request.path == "/slow":
            await asyncio.Event().wait()
        if request.path == "/to-metadata":
            return web.Response(status=302, headers={"Location": "http://169.254.169.254/latest/"})
        headers = {"Retry-After": "7"} if status == "503" else {}
        return web.json_response({"told": "hello"}, status=int(status or 200), headers=headers)
