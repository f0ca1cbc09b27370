"""Slowloris and slow readers: limits on a connection before its request is complete, and while its answer is read.
Uvicorn times out idle connections, but not those that trickle; it accepts headers of any size, and waits forever for
clients that do not read their answer. Without limits, opening many of them would exhaust all connections, or all
memory. Bodies have their own limits (api/body.py)."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from horae.wiring.crowd import Crowd
from horae.wiring.unread import Unread

SECONDS = 10.0  # for a request line and headers, from the first byte or, on a new connection, from the start
HEAD_BYTES = 1 << 16  # of a request line and headers together
STALLED = 60.0  # seconds for which a client may read nothing of an answer
_LOOKS = 4  # of the rest, in that time


class SlowClientProtocol(HttpToolsProtocol):
    """Closes a connection whose request is not complete in time or is too large, and one whose answer is not read."""

    crowd: ClassVar[Crowd] = Crowd()
    unread: ClassVar[Unread] = Unread()
    _limit: asyncio.TimerHandle | None = None
    _head: int | None = None  # bytes received of a request whose headers are not complete
    _stall: asyncio.TimerHandle | None = None
    _left, _looks = 0, 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()
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
        self._wait_for_head()

    def on_headers_complete(self) -> None:
        self._head = None
        self.crowd.leave(self)
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        self._read_on()
        self.crowd.leave(self)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stall is None:
            self._left, self._looks = self.transport.get_write_buffer_size(), 0
            self._stall = self.loop.call_later(STALLED / _LOOKS, self._look_at_reader)
        self.unread.has(self, self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        self._read_on()
        super().resume_writing()

    def turn_away(self) -> None:
        self.transport.abort()

    def _wait_for_head(self) -> None:
        self.crowd.enter(self, self.client[0] if self.client else "", len(self.connections))

    def _look_at_reader(self) -> None:
        left = self.transport.get_write_buffer_size()
        self._looks = 0 if left < self._left else self._looks + 1
        self._left = left
        self.unread.has(self, left)
        if self._looks >= _LOOKS:
            self._stall = None
            self.transport.abort()  # closing it would mean to wait until everything is read
        else:
            self._stall = self.loop.call_later(STALLED / _LOOKS, self._look_at_reader)

    def _read_on(self) -> None:
        self.unread.leave(self)
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

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
