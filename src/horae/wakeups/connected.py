"""Wake-ups over a connection to a server: a task owns the connection, sends the hints that have accumulated, and
reconnects with backoff. An outage is logged once, and so is its end. Whenever hints begin to arrive (again), every
topic is hinted once, for anything missed."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, Generic, TypeVar

from horae.ports import Hint
from horae.wakeups.message import OnHint, OnLost, nobody

log = logging.getLogger(__name__)

PENDING_LIMIT = 10_000  # hints kept while the server is unreachable
FLUSH_TIMEOUT = 1.0
RETRY_FIRST, RETRY_MAX = 0.1, 2.0

C = TypeVar("C")


class ConnectedWakeups(ABC, Generic[C]):
    """`C` is the connection. `hidden` are the texts that must never be logged."""

    def __init__(self, hidden: Sequence[str]) -> None:
        self._hidden = hidden
        self._topics: frozenset[str] = frozenset()
        self._on_hint: OnHint = lambda _: None
        self._pending: dict[Hint, None] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._connected = False
        self._connected_at = float("-inf")
        self._reliable = False
        self._closing = False
        self._doubted = False
        self._said: set[str] = set()
        self.on_lost: OnLost = nobody

    @property
    def reliable(self) -> bool:
        return self._reliable

    @property
    def trouble(self) -> str | None:
        return None  # the database is away: nothing else works either

    def join(self, installation: str) -> None:
        pass

    async def start(self, topics: Collection[str], on_hint: Callable[[Hint], None]) -> None:
        """Returns at once; as soon as hints can arrive, each topic is hinted."""
        self._topics, self._on_hint = frozenset(topics), on_hint
        self._ensure_task()

    async def send(self, hints: Collection[Hint]) -> None:
        """Returns at once; the hints are sent in the background."""
        if self._closing or not hints:
            return
        self._pending.update(dict.fromkeys(hints))
        if len(self._pending) > PENDING_LIMIT:
            self._say("dropped", logging.WARNING, "hints that could not be sent are dropped")
            self._pending.clear()
        self._wake.set()
        self._ensure_task()

    def doubt(self) -> None:
        self._doubted = True
        self._wake.set()

    async def close(self) -> None:
        self._closing = True
        self._wake.set()
        if self._task is None:
            return
        if self._connected:
            await asyncio.wait({self._task}, timeout=FLUSH_TIMEOUT)
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._task = None

    @abstractmethod
    def _connection(self) -> AbstractAsyncContextManager[C]:
        """Connects; closes the connection properly if all went well."""

    @abstractmethod
    async def _listen(self, connection: C) -> None:
        """Starts to listen, if there are topics, and finds out whether anything arrives (`_reliable`)."""

    @abstractmethod
    async def _serve(self, connection: C) -> None:
        """Sends accumulated hints until the connection is lost or closed."""

    def _ensure_task(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="wake-ups")

    async def _run(self) -> None:
        delay = RETRY_FIRST
        while not self._closing:
            try:
                async with self._connection() as connection:
                    self._connected, self._doubted = True, False
                    self._connected_at = time.monotonic()
                    await self._listen(connection)
                    self._is_up()
                    delay = RETRY_FIRST
                    try:
                        await self._serve(connection)
                    except Exception:
                        await self.on_lost()  # also if it was doubted: others may not know
                        raise
            except Exception as error:  # after any error, the next connection may work
                self._is_down(error)
            finally:
                self._connected = self._reliable = False
            if not self._closing:
                await asyncio.sleep(delay * random.uniform(0.5, 1))
                delay = min(2 * delay, RETRY_MAX)

    def _is_up(self) -> None:
        if "lost" in self._said:
            self._said -= {"lost", "dropped"}
            log.info("the connection for wake-ups is back")
        for topic in self._topics:
            self._on_hint(topic)

    def _is_down(self, error: Exception) -> None:
        self._say("lost", logging.WARNING, "wake-ups are lost (%s): polling meanwhile", self._describe(error))

    def _age(self) -> float:
        """Seconds since it connected."""
        return time.monotonic() - self._connected_at

    def _say(self, what: str, level: int, message: str, *args: Any) -> None:
        """Logs each problem once, until it is over."""
        if what not in self._said:
            self._said.add(what)
            log.log(level, message, *args)

    def _describe(self, error: BaseException) -> str:
        text = " ".join(str(error).split()) or type(error).__name__
        for secret in self._hidden:
            text = text.replace(secret, "***")
        return text
