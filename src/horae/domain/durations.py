"""Durations as people write them: "15m", "1h30m", "PT1H30M", 90."""

from __future__ import annotations

import re

_UNITS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_SHORT = re.compile(r"(?:(\d{1,9})w)?(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?", re.ASCII)
_LONGEST = 10 * 366 * 86_400


def interval_seconds(value: str | int | float) -> float:
    if isinstance(value, str):
        match = _SHORT.fullmatch(value)
        if not match or not value:
            raise ValueError("must be a duration such as 15m or PT1H30M")
        counts = zip(match.groups(), _UNITS.values(), strict=True)
        seconds: float = sum(int(n or 0) * unit for n, unit in counts)
    else:
        seconds = value
    if not 1 <= seconds <= _LONGEST:
        raise ValueError("must be between 1 second and 10 years")
    return seconds
