"""A Redis list: producers LPUSH the JSON text, the oldest is at the right end.

What was taken is kept in a hash of its consumer until the commit, under an id that stays the same if another consumer
takes it over: a list's elements have none of their own. Consumers that have been silent for a while are dead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from horae.intake.address import Address
from horae.intake.redis_client import client_for, in_our_words
from horae.intake.source import DEAD_LIMIT, DeadMessage, IntakeMessage
from horae.ports import Clock

_RECOVERIES = 15.0  # seconds between two looks for dead consumers, at most

# KEYS: the list, the consumer's hash, the consumers; ARGV: the consumer, how many, a prefix for their ids
_TAKE = """
redis.call('ZADD', KEYS[3], redis.call('TIME')[1], ARGV[1])
local found = redis.call('LRANGE', KEYS[1], -tonumber(ARGV[2]), -1)
if #found == 0 then return found end
redis.call('LTRIM', KEYS[1], 0, -#found - 1)
for place, text in ipairs(found) do redis.call('HSET', KEYS[2], ARGV[3] .. (#found - place), text) end
return found
"""
# KEYS: the dead consumer's hash, ours, the consumers; ARGV: the dead one, seconds of silence
_TAKE_OVER = """
local seen = redis.call('ZSCORE', KEYS[3], ARGV[1])
if not seen or redis.call('TIME')[1] - seen < tonumber(ARGV[2]) then return {} end
local found = redis.call('HGETALL', KEYS[1])
for place = 1, #found, 2 do redis.call('HSET', KEYS[2], found[place], found[place + 1]) end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return found
"""
_STAY = "redis.call('ZADD', KEYS[1], redis.call('TIME')[1], ARGV[1])"


class RedisList:
    def __init__(self, address: Address, consumer: str, clock: Clock) -> None:
        self._at, self._consumer, self._clock = address, consumer, clock
        self._redis: Any = client_for(address)
        self._take = self._redis.register_script(_TAKE)
        self._take_over = self._redis.register_script(_TAKE_OVER)
        self._stay = self._redis.register_script(_STAY)
        self._consumers = f"{address.name}:consumers"
        self._mine = self._taken_by(consumer)
        self._recover_at, self._takes = 0.0, 0
        self.name = f"list:{address.name}"

    def _taken_by(self, consumer: str) -> str:
        return f"{self._at.name}:taken:{consumer}"

    async def connect(self) -> None:
        await self.tend()

    async def take(self, limit: int, wait: float) -> list[IntakeMessage]:
        with in_our_words():
            found = await self._recovered() or await self._new(limit)
            if not found and wait > 0:
                # Waits until there is an element, and leaves it where it is.
                await self._redis.blmove(self._at.name, self._at.name, wait, "RIGHT", "RIGHT")
                found = await self._new(limit)
            return found

    async def _new(self, limit: int) -> list[IntakeMessage]:
        self._takes += 1
        prefix = f"{self._consumer}-{self._takes}-"
        keys = [self._at.name, self._mine, self._consumers]
        found: list[bytes] = await self._take(keys=keys, args=[self._consumer, limit, prefix])
        return [
            IntakeMessage(text, f"{prefix}{place}", f"{prefix}{place}") for place, text in enumerate(reversed(found))
        ]

    async def _recovered(self) -> list[IntakeMessage]:
        if self._clock.monotonic() < self._recover_at:
            return []
        self._recover_at = self._clock.monotonic() + min(_RECOVERIES, self._at.recover / 4)
        now = (await self._redis.time())[0]
        silent: list[bytes] = await self._redis.zrangebyscore(self._consumers, "-inf", now - self._at.recover)
        for name in silent:
            keys = [self._taken_by(name.decode()), self._mine, self._consumers]
            found: list[bytes] = await self._take_over(keys=keys, args=[name, int(self._at.recover)])
            if found:
                self._recover_at = 0.0  # there may be more
                pairs = zip(found[::2], found[1::2], strict=True)
                return [_message(key.decode(), text) for key, text in sorted(pairs, key=_order)]
        return []

    async def settle(self, done: Sequence[IntakeMessage], dead: Sequence[DeadMessage]) -> None:
        settled = [message.tag for message in done] + [one.message.tag for one in dead]
        if not settled:
            return
        with in_our_words():
            async with self._redis.pipeline(transaction=True) as pipe:
                if dead:
                    pipe.lpush(self._at.dead, *(_letter(one) for one in dead))
                    pipe.ltrim(self._at.dead, 0, DEAD_LIMIT - 1)
                pipe.hdel(self._mine, *settled)
                await pipe.execute()

    async def tend(self) -> None:
        with in_our_words():
            await self._stay(keys=[self._consumers], args=[self._consumer])

    async def close(self) -> None:
        try:
            with in_our_words():
                if await self._redis.hlen(self._mine):  # another consumer takes them over at its next look
                    await self._redis.zadd(self._consumers, {self._consumer: 0})
                else:
                    await self._redis.zrem(self._consumers, self._consumer)
        finally:
            await self._redis.aclose()


def _message(key: str, text: bytes) -> IntakeMessage:
    return IntakeMessage(text, key, key)


def _order(pair: tuple[bytes, Any]) -> tuple[bytes, int, int]:
    consumer, take, place = pair[0].rsplit(b"-", 2)
    return consumer, int(take), int(place)


def _letter(dead: DeadMessage) -> bytes:
    """The request as text, with what is not UTF-8 replaced."""
    body = dead.message.body.decode(errors="replace")
    return orjson.dumps({"id": dead.message.id, "reason": dead.reason, "request": body})
