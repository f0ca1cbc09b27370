"""Startup: until the database is reachable, every request is answered with 503 as `problem+json`."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from horae.api.errors import problem
from horae.api.shell import Shell
from horae.api.views import reply
from horae.ports import Clock, Ids


class StartupApp:
    """Passes requests on to the API once it is available."""

    def __init__(self, ids: Ids, clock: Clock) -> None:
        self._app: FastAPI | None = None
        self._closed = Shell(_not_yet, ids=ids, clock=clock)

    def open(self, app: FastAPI) -> None:
        self._app = app

    def stop(self) -> None:
        """Ends streams."""
        if self._app is not None:
            self._app.state.context.stopping.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._app or self._closed)(scope, receive, send)


async def _not_yet(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] == "/health/live":
        answer = reply({"status": "healthy", "service": "horae"})
    elif scope["path"] == "/health":  # the caller is about to use the API
        answer = reply({"status": "starting", "service": "horae"}, 503)
    else:
        answer = problem(scope["state"]["id"], 503, "This server is waiting for its database.")
    await answer(scope, receive, send)
