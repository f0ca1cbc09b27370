"""What the tests of calls share."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from horae.domain.outcome import Outcome
from horae.executors.http import HttpExecutor
from tests.integration.executors.attempts import make_attempt

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """Answers every request with `answer`, and remembers."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[web.Request] = []
        self.bodies: list[bytes] = []
        self.connections: set[Any] = set()
        self.answer: Handler = self.ok

    async def ok(self, _: web.Request) -> web.StreamResponse:
        return web.json_response({"ok": True})

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        self.bodies.append(await request.read())
        self.connections.add(request.get_extra_info("peername"))
        return await self.answer(request)


async def call(executor: HttpExecutor, url: str, **target: Any) -> Outcome:
    attempt, _ = make_attempt({"kind": "http", "url": url, **target})
    return await asyncio.wait_for(executor.execute(attempt), 20)


def result(outcome: Outcome) -> dict[str, Any]:
    assert outcome.result is not None
    answer: dict[str, Any] = json.loads(outcome.result)
    return answer
