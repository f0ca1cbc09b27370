"""What the tests of calls share."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
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


async def call(
    executor: HttpExecutor,
    url: str,
    *,
    secrets: Mapping[str, str] | None = None,
    input: Any = None,
    number: int = 1,
    **target: Any,
) -> Outcome:
    told = None if input is None else json.dumps(input)
    attempt, _ = make_attempt({"kind": "http", "url": url, **target}, input=told, number=number)
    attempt.secrets = secrets or {}
    return await asyncio.wait_for(executor.execute(attempt), 20)


def permanently(outcome: Outcome) -> str:
    """The one sentence of a failure that no further attempt can fix."""
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True), outcome
    assert outcome.error is not None
    assert "\n" not in outcome.error
    return outcome.error


def result(outcome: Outcome) -> dict[str, Any]:
    assert outcome.result is not None
    answer: dict[str, Any] = json.loads(outcome.result)
    return answer
