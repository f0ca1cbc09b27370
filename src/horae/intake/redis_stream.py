"""A Redis stream with a consumer group. An entry is `request`: the JSON text; its id is the message's.

Entries are acknowledged after the commit. Those of a consumer that has been silent for a while are claimed by
another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redis.exceptions import ResponseError

from horae.intake.address import Address
from horae.intake.redis_client import client_for, in_our_words
from horae.intake.source import DEAD_LIMIT, DeadMessage, IntakeMessage
from horae.ports import Clock

FIELD = b"request"
_RECOVERIES = 15.0  # seconds between two looks for entries of dead consumers, at most
_FORGET = 3_600_000  # milliseconds after which a consumer without entries is removed


class RedisStream:
    def __init__(self, address: Address, consumer: str, clock: Clock) -> None:
        self._at, self._consumer, self._clock = address, consumer, clock
        self._redis: Any = client_for(address)
        self._recover_at = 0.0
        self._open: set[bytes] = set()
        self.name = f"stream:{address.name}"

    async def connect(self) -> None:
        with in_our_words():
            try:
                await self._redis.xgroup_create(self._at.name, self._at.group, id="0", mkstream=True)
            except ResponseError as error:
                if not str(error).startswith("BUSYGROUP"):
                    raise

    async def take(self, limit: int, wait: float) -> list[IntakeMessage]:
        with in_our_words():
            try:
                return await self._recovered(limit) or await self._new(limit, wait)
            except ResponseError as error:
                if not str(error).startswith("NOGROUP"):
                    raise
        await self.connect()  # the stream was deleted, and its group with it
        return []

    async def _new(self, limit: int, wait: float) -> list[IntakeMessage]:
        found: Any = await self._redis.execute_command(
            *("XREADGROUP", "GROUP", self._at.group, self._consumer, "COUNT", limit),
            *(("BLOCK", int(wait * 1000)) if wait > 0 else ()),
            *("STREAMS", self._at.name, ">"),
        )
        return self._messages(found[0][1]) if found else []

    async def _recovered(self, limit: int) -> list[IntakeMessage]:
        """Entries of consumers that are silent; our own, if the reply that brought them was lost."""
        if self._clock.monotonic() < self._recover_at:
            return []
        found: Any = await self._redis.xautoclaim(
            self._at.name, self._at.group, self._consumer, int(self._at.recover * 1000), count=limit
        )
        entries = [entry for entry in found[1] if entry[1] is not None]
        if not entries:
            self._recover_at = self._clock.monotonic() + min(_RECOVERIES, self._at.recover / 4)
            await self._forget()
        return self._messages(entries)

    async def _forget(self) -> None:
        for known in await self._redis.xinfo_consumers(self._at.name, self._at.group):
            if not known["pending"] and known["idle"] > _FORGET:
                await self._redis.xgroup_delconsumer(self._at.name, self._at.group, known["name"])

    def _messages(self, entries: Sequence[tuple[bytes, dict[bytes, bytes]]]) -> list[IntakeMessage]:
        messages = []
        for entry_id, fields in entries:
            messages.append(IntakeMessage(fields.get(FIELD, b""), entry_id.decode(), entry_id))
            self._open.add(entry_id)
        return messages

    async def settle(self, done: Sequence[IntakeMessage], dead: Sequence[DeadMessage]) -> None:
        settled = [message.tag for message in done] + [one.message.tag for one in dead]
        if not settled:
            return
        with in_our_words():
            async with self._redis.pipeline(transaction=True) as pipe:
                for message, reason in dead:
                    entry: dict[Any, Any] = {FIELD: message.body, "id": message.tag, "reason": reason}
                    pipe.xadd(self._at.dead, entry, maxlen=DEAD_LIMIT, approximate=True)
                pipe.xack(self._at.name, self._at.group, *settled)
                await pipe.execute()
        self._open.difference_update(settled)

    async def tend(self) -> None:
        """What is held here is not silent: its consumer is alive."""
        if self._open:
            with in_our_words():
                await self._redis.xclaim(
                    self._at.name, self._at.group, self._consumer, 0, list(self._open), justid=True
                )

    async def close(self) -> None:
        try:
            with in_our_words():
                await self._leave()
        finally:
            await self._redis.aclose()

    async def _leave(self) -> None:
        group = (self._at.name, self._at.group)
        if self._open:  # they look silent at once
            await self._redis.xclaim(*group, self._consumer, 0, list(self._open), idle=_FORGET * 24, justid=True)
        for known in await self._redis.xinfo_consumers(*group):
            if known["name"] == self._consumer.encode() and not known["pending"]:
                await self._redis.xgroup_delconsumer(*group, self._consumer)
