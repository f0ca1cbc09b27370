"""An HTTP server with scripted responses that records what it received."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class Receiver:
    url: str = ""
    answers: list[web.Response] = field(default_factory=list)  # in their order; then 200
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    hang: Any = None  # an event: while it is not set, nothing is answered

    async def answer(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.got.append((request.path_qs, headers, await request.read()))
        if self.hang is not None:
            await self.hang.wait()
        return self.answers.pop(0) if self.answers else web.Response(text="ok")


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    made = Receiver()
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()
