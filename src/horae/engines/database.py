"""The database as the queue: workers claim from it, and idle ones are woken when there is work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from horae.domain.runs.claimable import Offer
from horae.ports import Hint


class DatabaseEngine:
    """`send` sends a wake-up."""

    def __init__(self, send: Callable[[Collection[Hint]], Awaitable[None]]) -> None:
        self._send = send

    async def offer(self, offer: Offer) -> None:
        await self._send({f"runs:{queue}" for queue in offer.named})
