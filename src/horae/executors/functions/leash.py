"""The lease of a child's current call, as the template knows it.

A call that lasts a millisecond must not cost a message about its lease. So the template's deadline may be too short, by
up to half of the remaining time, but never too long; and the deadline of an idle child is removed after a while.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

from horae.executors.functions.kernel import now

_CLOSE = 0.25  # seconds before its deadline in which a child is no longer used: the template may be about to kill it


class Leash:
    """Used by the worker's loop and by its heartbeat's thread."""

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._tell = tell
        self._sent = math.inf
        self._lock = threading.Lock()

    def follow(self, until: float) -> None:
        """The lease of the current attempt is valid until then; 0: it is lost."""
        at = now()
        with self._lock:
            if not at + (until - at) / 2 <= self._sent <= until:
                self._sent = until
                self._tell(until)

    def let_go(self) -> None:
        """No call is in progress."""
        self.follow(math.inf)

    @property
    def is_tight(self) -> bool:
        return self._sent < now() + _CLOSE
