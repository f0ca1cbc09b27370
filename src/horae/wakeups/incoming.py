"""Hints that arrive from a server which others may publish to as well. They are untrusted: each is validated, and a
flood of them wakes for every topic now and then, instead of for each hint. The worst that a forged hint can do is one
query too many."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection

from horae.ports import Hint
from horae.wakeups.message import OnHint, topic, unpack

log = logging.getLogger(__name__)

MESSAGE_LIMIT = 8_000  # bytes
HINT_LIMIT = 300  # characters
RATE = 2_000.0  # hints a second, and at once
COLLECT = 0.1  # seconds: how often a flood wakes


class IncomingHints:
    """For one event loop. An `on_hint` that fails is logged, and harms no other hint."""

    def __init__(self, topics: Collection[str], on_hint: OnHint) -> None:
        self._topics, self._on_hint = topics, on_hint
        self._loop = asyncio.get_running_loop()
        self._left, self._at = RATE, self._loop.time()
        self._collecting: asyncio.TimerHandle | None = None

    def receive(self, message: bytes) -> bool:
        """False if this is part of a flood: the caller should read more slowly."""
        if len(message) > MESSAGE_LIMIT:
            return True  # Horae sends no such message
        hints = dict.fromkeys(_valid(hint) for hint in unpack(message.decode(errors="replace"), self._topics))
        if not self._affords(len(hints)):
            if self._collecting is None:
                self._collecting = self._loop.call_later(COLLECT, self._wake_for_all)
            return False
        for hint in hints:
            self._pass_on(hint)
        return True

    def close(self) -> None:
        if self._collecting is not None:
            self._collecting.cancel()

    def _affords(self, count: int) -> bool:
        now = self._loop.time()
        self._left, self._at = min(self._left + (now - self._at) * RATE, RATE), now
        if count > self._left:
            return False
        self._left -= max(count, 1)  # a message without a hint for us costs as much as one
        return True

    def _wake_for_all(self) -> None:
        self._collecting = None
        for each in self._topics:
            self._pass_on(each)

    def _pass_on(self, hint: Hint) -> None:
        try:
            self._on_hint(hint)
        except Exception:
            log.exception("a wake-up failed")


def _valid(hint: Hint) -> Hint:
    return hint if len(hint) <= HINT_LIMIT and hint.isprintable() else topic(hint)
