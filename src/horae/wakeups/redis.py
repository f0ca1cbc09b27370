"""Hints through Redis' Pub/Sub: for databases that carry none (MySQL, MariaDB), and for PostgreSQL behind a pooler.

A process that listens has two connections, since one that has subscribed cannot publish; one that only sends has one.
Both are checked every few seconds by one message that goes out through the one and comes back through the other, on a
channel of this process: only while that works is this `reliable`. Redis stores nothing: unheard hints are lost,
and costs the latency of polling.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from redis.exceptions import RedisError, ResponseError

from horae.wakeups.connected import ConnectedWakeups
from horae.wakeups.incoming import MESSAGE_LIMIT, IncomingHints
from horae.wakeups.message import pack
from horae.wakeups.redis_link import REFUSALS, RedisLink, options_of

PROBE_EVERY, PROBE_TIMEOUT = 2.0, 1.5  # a connection that died silently is noticed by then: idle workers rely on it
LAST_LOOK = 0.1
SLOWER = 0.05  # seconds between two readings in a flood
TROUBLE_AFTER = 5.0  # seconds without a connection that are worth a mention in the health check


@dataclass(frozen=True, slots=True)
class Links:
    """`listening` is None where there are no topics."""

    sending: RedisLink
    listening: RedisLink | None


class RedisWakeups(ConnectedWakeups[Links]):
    """One per process and event loop. It neither sends nor listens before it knows the installation: several may
    share one Redis (`join`)."""

    def __init__(self, url: str) -> None:
        self._options, hidden = options_of(url)
        super().__init__(hidden)
        self._number = urlsplit(url).path.strip("/") or "0"  # Pub/Sub has no databases: it is part of the name
        self._channel = self._own = ""  # the installation's, and one of this process for probes
        self._reading: asyncio.Task[None] | None = None
        self._probe_text = b""
        self._probe_seen = asyncio.Event()
        self._probe_at = 0.0
        self._down: tuple[float, str] | None = None  # since when, and why

    @property
    def trouble(self) -> str | None:
        """Why it has not been connected for a while. Thread-safe."""
        down = self._down
        return None if down is None or time.monotonic() < down[0] + TROUBLE_AFTER else f"wake-ups: {down[1]}"

    def join(self, installation: str) -> None:
        digest = hashlib.sha256(installation.encode()).hexdigest()[:16]
        self._channel = f"horae:wake:{self._number}:{digest}"
        self._own = f"{self._channel}:{secrets.token_hex(8)}"
        if self._topics or self._pending:
            self._ensure_task()

    def _ensure_task(self) -> None:
        if self._channel:
            super()._ensure_task()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Links]:
        links = Links(RedisLink(self._options), RedisLink(self._options) if self._topics else None)
        both = [link for link in (links.sending, links.listening) if link]
        try:
            for link in both:
                await link.open()
            yield links
        finally:
            if self._reading is not None:
                self._reading.cancel()
                await asyncio.wait({self._reading})
                self._reading = None
            for link in both:
                await link.close()

    async def _listen(self, links: Links) -> None:
        if links.listening:
            await links.listening.ask([("SUBSCRIBE", self._channel, self._own)])
            self._reading = asyncio.create_task(self._read(links.listening))
            self._reading.add_done_callback(lambda _: self._wake.set())
        await self._probe(links)
        self._reliable = links.listening is not None

    async def _serve(self, links: Links) -> None:
        while True:
            self._wake.clear()
            if self._reading is not None and self._reading.done():
                self._reading.result()
            pause = self._probe_at - time.monotonic()
            if self._doubted or pause <= 0:
                self._doubted = False
                await self._probe(links)
            elif self._pending:
                await self._publish(links.sending)
            elif self._closing:
                return
            else:
                await _at_most(self._wake, pause)

    async def _probe(self, links: Links) -> None:
        """A message goes out and comes back. If this process was too busy to check, what arrived meanwhile counts."""
        if links.listening is None:
            await links.sending.ask([("PING",)])
        else:
            self._probe_seen.clear()
            self._probe_text = secrets.token_hex(8).encode()
            await links.sending.ask([("PUBLISH", self._own, self._probe_text)])
            for patience in (PROBE_TIMEOUT, LAST_LOOK):
                if not self._probe_seen.is_set():
                    await _at_most(self._probe_seen, patience)
            if not self._probe_seen.is_set():
                raise TimeoutError("a message that was published did not arrive")
        self._probe_at = time.monotonic() + PROBE_EVERY

    async def _publish(self, link: RedisLink) -> None:
        hints, self._pending = self._pending, {}
        try:
            await link.ask([("PUBLISH", self._channel, message) for message in pack(hints, MESSAGE_LIMIT)])
        except ResponseError as error:
            self._say("refused", logging.WARNING, "hints cannot be sent (%s)", self._describe(error))
        except BaseException:
            self._pending = hints | self._pending
            raise

    async def _read(self, link: RedisLink) -> None:
        incoming, own = IncomingHints(self._topics, self._on_hint), self._own.encode()
        try:
            while True:
                reply = await link.read()
                if not isinstance(reply, list) or len(reply) != 3 or reply[0] != b"message":
                    continue
                if reply[1] == own:
                    if reply[2] == self._probe_text:
                        self._probe_seen.set()
                elif not incoming.receive(reply[2]):
                    await asyncio.sleep(SLOWER)
        finally:
            incoming.close()

    def _is_up(self) -> None:
        self._down = None
        super()._is_up()

    def _is_down(self, error: Exception) -> None:
        since = time.monotonic() if self._down is None else self._down[0]
        self._down = (since, _reason(error))
        super()._is_down(error)


async def reach(url: str) -> str | None:
    """Why no wake-ups go through this Redis; None if it answers. For a check by hand."""
    options, _ = options_of(url)
    link = RedisLink(options)
    try:
        await link.open()
        await link.ask([("PING",)])
    except (RedisError, OSError, TimeoutError) as error:
        return _reason(error)
    finally:
        await link.close()
    return None


def _reason(error: Exception) -> str:
    """Without the URL, which may contain a password."""
    if isinstance(error, REFUSALS):
        return "Redis refuses the user, the password or a command"
    if isinstance(error, ResponseError):
        return "Redis answers with an error"
    return "Redis cannot be reached"


async def _at_most(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass
