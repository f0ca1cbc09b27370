"""Where simulated processes get time, ids and chance from: all of it from the seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

BEGIN = datetime(2026, 3, 28, 23, 59, 30, tzinfo=UTC)


class LocalClock:
    """A machine's clock: it may be wrong, and jump; its seconds are as long as everyone's."""

    def __init__(self, elapsed: Callable[[], float], begin: datetime, *, skew: float, booted: float) -> None:
        self._elapsed, self._begin = elapsed, begin
        self.skew = skew
        self.booted = booted

    def now(self) -> datetime:
        return self._begin + timedelta(seconds=self._elapsed() + self.skew)

    def monotonic(self) -> float:
        return self.booted + self._elapsed()


class SeededIds:
    """UUIDv7 by the local clock, rising within a process as those of uuid-utils are."""

    def __init__(self, clock: LocalClock, chance: random.Random) -> None:
        self._clock, self._chance = clock, chance
        self._last = 0

    def new(self) -> str:
        millis = int(self._clock.now().timestamp() * 1000)
        stamp = max(millis << 12, self._last + 1)
        self._last = stamp
        high = (stamp >> 12) << 16 | 7 << 12 | stamp & 0xFFF
        low = 2 << 62 | self._chance.getrandbits(62)
        return str(UUID(int=high << 64 | low))

    def chance(self) -> float:
        return self._chance.random()
