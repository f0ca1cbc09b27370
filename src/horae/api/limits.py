"""Rate limits: how many requests a key or a user may make, and how often an address may send an invalid key. Leaky
buckets, shared by all processes through the database.

Each process counts locally and settles with the others in the background, once per fiftieth of a bucket. So a request
costs no query, and all processes together exceed the limit by a few fiftieths at most. Only a burst that is faster than
the database waits for it.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict

import structlog

from horae.api.errors import TooManyRequests
from horae.domain.errors import HoraeError
from horae.ports import Clock, Store, Transaction

log = structlog.get_logger()

_BURST = 10.0  # seconds' worth of requests that may arrive at once
_PORTIONS = 50
_REMEMBERED = 10_000
_STRANGERS, _STRANGERS_PORTIONS = 10.0, 10  # invalid keys per second and address, and how rarely they are settled


class _Bucket:
    __slots__ = ("at", "level", "unsettled")

    def __init__(self, at: float) -> None:
        self.level, self.at, self.unsettled = 0.0, at, 0


class RequestLimit:
    """`rate` is the sustained rate per second; 0: no limit."""

    _kind, _words = "api", "more than {rate:g} requests per second; slow down"

    def __init__(self, store: Store, clock: Clock, rate: float, portions: int = _PORTIONS) -> None:
        self._store, self._clock, self._rate = store, clock, rate
        self._room = rate * _BURST
        self._portion = max(1, int(self._room / portions))
        self._most = 3 * self._portion  # requests in progress before others wait
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._settling: asyncio.Task[None] | None = None

    async def count(self, who: str) -> None:
        """Counts a request, or refuses it."""
        if not self._rate:
            return
        bucket = self._buckets.get(who)
        if bucket is None:
            bucket = self._remember(who, self._clock.monotonic())
        elif bucket.unsettled >= self._most and self._settling is not None:
            await asyncio.shield(self._settling)
        self._make_room(bucket)
        bucket.level += 1
        bucket.unsettled += 1
        if bucket.unsettled >= self._portion and self._settling is None:
            self._settling = asyncio.get_running_loop().create_task(self._settle())

    def _make_room(self, bucket: _Bucket) -> None:
        now = self._clock.monotonic()
        bucket.level = max(0.0, bucket.level - (now - bucket.at) * self._rate)
        bucket.at = now
        if bucket.level + 1 > self._room:
            wait = math.ceil((bucket.level + 1 - self._room) / self._rate)
            raise TooManyRequests(self._words.format(rate=self._rate), retry_after=max(1, wait))

    def _remember(self, who: str, now: float) -> _Bucket:
        made = self._buckets[who] = _Bucket(now)
        while len(self._buckets) > _REMEMBERED:
            self._buckets.popitem(last=False)
        return made

    async def _settle(self) -> None:
        try:
            while due := {who: b for who, b in self._buckets.items() if b.unsettled >= self._portion}:
                amounts = {f"{self._kind}:{who}": float(bucket.unsettled) for who, bucket in due.items()}
                for bucket in due.values():
                    bucket.unsettled = 0
                levels = await self._store.transact(_pour, amounts, self._rate)
                now = self._clock.monotonic()
                for who, bucket in due.items():
                    bucket.level, bucket.at = levels[f"{self._kind}:{who}"] + bucket.unsettled, now
        except HoraeError as error:  # each process then limits by what it has seen itself
            log.warning("cannot settle request limits", error=str(error))
        finally:
            self._settling = None


class StrangerLimit(RequestLimit):
    """Keys and tokens that are not valid, by the address that sends them: beyond this, they are not looked up."""

    _kind, _words = "stranger", "too many invalid API keys from your address; wait a while"

    def __init__(self, store: Store, clock: Clock) -> None:
        super().__init__(store, clock, _STRANGERS, _STRANGERS_PORTIONS)

    def check(self, address: str) -> None:
        """Rejects callers that have used up the allowance."""
        if (bucket := self._buckets.get(address)) is not None:
            self._make_room(bucket)


async def _pour(tx: Transaction, amounts: dict[str, float], rate: float) -> dict[str, float]:
    return await tx.limits.pour(amounts, rate)
