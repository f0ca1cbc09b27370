"""An LRU cache of values computed from texts, bounded by cost."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Bounded by the sum of costs rather than by the number of entries: costs differ by a factor of a thousand.
    Thread-safe."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._entries: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, text: str) -> T | None:
        with self._lock:
            found = self._entries.get(text)
            if found is None:
                return None
            self._entries.move_to_end(text)
            return found[0]

    def put(self, text: str, value: T, cost: int) -> None:
        with self._lock:
            _, before = self._entries.pop(text, (None, 0))
            self._entries[text] = (value, cost)
            self._used += cost - before
            while self._used > self._room:
                _, (_, cost) = self._entries.popitem(last=False)
                self._used -= cost
