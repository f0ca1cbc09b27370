"""No wake-ups at all, for databases without them (MySQL, MariaDB): every process polls."""

from __future__ import annotations

from collections.abc import Callable, Collection

from horae.ports import Hint
from horae.wakeups.message import OnLost, nobody


class PollingWakeups:
    """Carries nothing, and reports that: `reliable` is False, so idle processes poll more often."""

    reliable = False
    trouble: str | None = None

    def __init__(self) -> None:
        self.on_lost: OnLost = nobody

    def join(self, installation: str) -> None:
        pass

    async def start(self, topics: Collection[str], on_hint: Callable[[Hint], None]) -> None:
        pass

    async def send(self, hints: Collection[Hint]) -> None:
        pass

    def doubt(self) -> None:
        pass

    async def close(self) -> None:
        pass
