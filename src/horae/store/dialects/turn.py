"""A fair lock for the writers of a SQLite file. SQLite allows one writer at a time and keeps no queue: connections that
wait poll, and one that writes without a pause starves them. Here the writers of one process queue up, first come, first
served; between processes SQLite's lock is polled every few milliseconds."""

from __future__ import annotations

import threading
from collections import deque
from weakref import WeakValueDictionary


class Turn:
    """A fair lock, for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._taken = False

    def take(self, timeout: float) -> bool:
        with self._lock:
            if not self._taken:
                self._taken = True
                return True
            mine = threading.Event()
            self._waiting.append(mine)
        if mine.wait(timeout):
            return True
        with self._lock:
            if mine.is_set():  # its turn came just now
                return True
            self._waiting.remove(mine)
            return False

    def give(self) -> None:
        """To the longest waiter."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False


_turns: WeakValueDictionary[tuple[int, int], Turn] = WeakValueDictionary()
_of_turns = threading.Lock()


def turn_of(file: tuple[int, int]) -> Turn:
    """The one that all connections of this process to a file (device and inode) share."""
    with _of_turns:
        turn = _turns.get(file)
        if turn is None:
            turn = _turns[file] = Turn()
        return turn
