"""The real clock, and the real source of ids and randomness; a simulation has its own."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime

import uuid_utils

# CLOCK_MONOTONIC stops while the machine sleeps, so a laptop that was closed for an hour would consider its leases
# fresh. Where there is no CLOCK_BOOTTIME (macOS), CLOCK_MONOTONIC includes suspend.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    """The machine's clock (the Clock of ports/outside.py)."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.clock_gettime(_CLOCK)


class SystemIds:
    """UUIDv7 and randomness (the Ids of ports/outside.py)."""

    def new(self) -> str:
        return str(uuid_utils.uuid7())

    def chance(self) -> float:
        return random.random()
