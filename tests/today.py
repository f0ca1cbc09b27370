"""Seeds that no one has tried yet: a new range every day, the same for everyone on that day, beside those that stay.
`HORAE_TEST_DAY=2026-11-16` plays a day again."""

from __future__ import annotations

import os
from datetime import date

from horae.clock import SystemClock

VARIABLE = "HORAE_TEST_DAY"
_FIRST = date(2026, 1, 1)
_A_DAY = 1_000  # seeds
_BEYOND = 1_000_000  # the fixed ones, and those that people try by hand


def settle() -> str:
    """Once, before workers start: a run that goes on past midnight is one run."""
    return os.environ.setdefault(VARIABLE, SystemClock().now().date().isoformat())


def seeds(count: int) -> range:
    """The first seeds of the day."""
    start = _BEYOND + (date.fromisoformat(settle()) - _FIRST).days * _A_DAY
    return range(start, start + count)
