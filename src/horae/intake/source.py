"""A source: a queue of requests in a broker. It delivers a message again until it is settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from horae.domain.errors import HoraeError

DEAD_LIMIT = 100_000  # messages kept in a dead-letter queue; the oldest are dropped


class IntakeMessage(NamedTuple):
    """A request as delivered. `id` is the same at every delivery; None if nothing identifies the message."""

    body: bytes
    id: str | None
    tag: Any = None  # by which its source knows it


class DeadMessage(NamedTuple):
    """A message that is invalid, and why."""

    message: IntakeMessage
    reason: str


class BrokerRefused(HoraeError):
    """The broker refuses what was asked of it: a wrong password, a missing permission, a key of another type."""


class Source(Protocol):
    """Its methods raise BrokerUnavailable or BrokerRefused; after that it is connected again."""

    @property
    def name(self) -> str:
        """The scope of its messages' ids."""
        ...

    async def connect(self) -> None: ...
    async def take(self, limit: int, wait: float) -> list[IntakeMessage]:
        """Up to `limit` messages, without waiting for more; for the first, up to `wait` seconds."""
        ...

    async def settle(self, done: Sequence[IntakeMessage], dead: Sequence[DeadMessage]) -> None:
        """Removes messages; the dead ones are in the dead-letter queue before they are removed."""
        ...

    async def tend(self) -> None:
        """Called every few seconds, also while nothing is taken: keeps the connection and what was taken."""
        ...

    async def close(self) -> None:
        """What was taken and not settled is delivered again, to any consumer."""
        ...
