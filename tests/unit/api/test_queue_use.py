"""A project's queue counts are cached, so that computing them takes a bounded share of the time."""

import asyncio
from typing import Any

from horae.api.queue_use import QueueUses
from horae.domain.jobs.queue import QueueUse

USE = QueueUse({"mail"}, {("mail", "queued"): 3})


class Slow:
    """A database on which it takes so many seconds, and its clock."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.now, self.asked = seconds, 0.0, 0
        self.go = asyncio.Event()

    def monotonic(self) -> float:
        return self.now

    async def read(self, *_: Any) -> QueueUse:
        self.asked += 1
        await self.go.wait()
        self.now += self.seconds
        return USE


async def test_concurrent_requests_share_one_query():
    slow: Any = Slow(0.01)
    uses = QueueUses(slow, slow)
    asking = [asyncio.create_task(uses.of("p")) for _ in range(5)]
    slow.go.set()
    assert await asyncio.gather(*asking) == [USE] * 5
    assert slow.asked == 1
    await uses.of("p")
    assert slow.asked == 2, "what is quick is looked up each time"


async def test_slow_results_are_cached_in_proportion_to_their_cost():
    slow: Any = Slow(2.0)
    slow.go.set()
    uses = QueueUses(slow, slow)
    for _ in range(3):
        assert await uses.of("p") == USE
    assert slow.asked == 1
    slow.now += 39
    await uses.of("p")
    assert slow.asked == 1
    await uses.of("another")
    assert slow.asked == 2
    slow.now += 41
    await uses.of("p")
    assert slow.asked == 3
