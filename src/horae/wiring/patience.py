"""How long the server waits for a request to begin. Uvicorn gives idle connections an end, but not those that trickle:
whoever opens many of them would take all the places there are. Bodies have a limit of their own (api/body.py)."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 30.0  # for a request line and headers, from the first byte or, on a new connection, from the beginning


class Patient(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Closes a connection on which no request has come together in time."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if not self._between():
            self._forget()
        elif self._limit is None:
            self._limit = self.loop.call_later(SECONDS, self._give_up)

    def _between(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _give_up(self) -> None:
        self._limit = None
        if self._between():
            self.transport.close()

    def _forget(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
