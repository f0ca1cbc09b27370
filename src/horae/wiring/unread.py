"""Back-pressure for answers that have been written but not read. Each is bounded, but they wait in memory: a few
hundred clients that request the largest page and read nothing would exhaust it."""

from __future__ import annotations

import time

import structlog

from horae.wiring.crowd import SILENCE, ClientConnection

log = structlog.get_logger()

MOST = 64 << 20  # bytes, of all connections


class Unread:
    """The connection that has waited longest is closed, as long as there is more than one."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._of: dict[ClientConnection, int] = {}
        self._total = 0
        self._closed = 0
        self._spoke = -SILENCE

    def __len__(self) -> int:
        return len(self._of)

    def has(self, connection: ClientConnection, size: int) -> None:
        """So many bytes wait on it."""
        self._total += size - self._of.get(connection, 0)
        self._of[connection] = size
        while self._total > self._most and len(self._of) > 1:
            self._close(next(one for one in self._of if one is not connection))

    def leave(self, connection: ClientConnection) -> None:
        """It was read, or closed."""
        self._total -= self._of.pop(connection, 0)

    def _close(self, connection: ClientConnection) -> None:
        self.leave(connection)
        connection.turn_away()
        self._closed += 1
        now = time.monotonic()
        if now - self._spoke >= SILENCE:
            log.warning("closed connections that did not read their answers", count=self._closed, most=self._most)
            self._spoke, self._closed = now, 0
