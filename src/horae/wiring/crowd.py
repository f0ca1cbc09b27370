"""Half-open connections, on which no request has arrived yet. Each takes a file descriptor, and a process has a limited
number: without a bound, a client that opens a thousand and sends nothing locks everyone else out."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

import structlog

log = structlog.get_logger()

PER_ADDRESS = 100
SILENCE = 60.0  # seconds between two log lines


class ClientConnection(Protocol):
    def turn_away(self) -> None:
        """Closes it at once."""
        ...


class Crowd:
    """`room` is how many connections the process can have at all; `many` says which addresses stand for many clients,
    such as a proxy's. The connection that has been silent for the longest is closed first: a client that sends its
    request right after connecting gets its answer, regardless of others."""

    def __init__(self, room: int = 10_000, many: Callable[[str], bool] = lambda _: False) -> None:
        self._room, self._many = room, many
        self._waiting: OrderedDict[ClientConnection, str] = OrderedDict()
        self._of: dict[str, OrderedDict[ClientConnection, None]] = {}
        self._turned_away = 0
        self._spoke = -SILENCE

    def __len__(self) -> int:
        return len(self._waiting)

    def enter(self, connection: ClientConnection, address: str, connections: int) -> None:
        """A request is expected on it; `connections` is how many the process has now, including this one."""
        self._waiting[connection] = address
        neighbours = self._of.setdefault(address, OrderedDict())
        neighbours[connection] = None
        if len(neighbours) > PER_ADDRESS and not self._many(address):
            self._turn_away(next(iter(neighbours)), "too many from one address")
        elif connections > self._room:
            self._turn_away(next(iter(self._waiting)), "too many open files")

    def leave(self, connection: ClientConnection) -> None:
        """Its request has arrived, or it is gone."""
        address = self._waiting.pop(connection, None)
        if address is None:
            return
        neighbours = self._of[address]
        del neighbours[connection]
        if not neighbours:
            del self._of[address]

    def _turn_away(self, connection: ClientConnection, why: str) -> None:
        address = self._waiting[connection]
        self.leave(connection)
        connection.turn_away()
        self._turned_away += 1
        now = time.monotonic()
        if now - self._spoke >= SILENCE:
            log.warning("closed connections that sent no request", reason=why, address=address, count=self._turned_away)
            self._spoke, self._turned_away = now, 0
