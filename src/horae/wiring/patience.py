"""What the server bears of a connection before there is a request. Uvicorn gives idle connections an end, but not those
that trickle, and takes headers of any size: whoever opens many of them would take all the places, or all the memory,
there are. Bodies have limits of their own (api/body.py)."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SECONDS = 30.0  # for a request line and headers, from the first byte or, on a new connection, from the beginning
HEAD_BYTES = 1 << 16  # of a request line and headers together


class Patient(HttpToolsProtocol):
    """Closes a connection on which no request has come together in time, or within a decent size."""

    _limit: asyncio.TimerHandle | None = None
    _head: int | None = None  # how much has come of a request whose headers are not complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > HEAD_BYTES:
                self.send_400_response(f"The headers are larger than {HEAD_BYTES} bytes.")
        self._watch()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head = 0

    def on_headers_complete(self) -> None:
        self._head = None
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if not self._between():
            self._forget()
        elif self._limit is None and not self.transport.is_closing():
            self._limit = self.loop.call_later(SECONDS, self._give_up)

    def _between(self) -> bool:
        """Whether no request is being answered."""
        cycle: Any = self.cycle
        return cycle is None or bool(cycle.response_complete)

    def _give_up(self) -> None:
        self._limit = None
        if self._between():
            self.transport.close()

    def _forget(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
