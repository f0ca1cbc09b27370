"""Durations as people write them: "15m", "1h30m", "PT1H30M", 90 (seconds)."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from fractions import Fraction

_NUMBER = r"(\d{1,12}(?:[.,]\d{1,6})?)"
_SHORT = re.compile("".join(f"(?:{_NUMBER}{unit})?" for unit in "wdhms"), re.ASCII)
_ISO = re.compile(
    f"P(?:{_NUMBER}W)?(?:{_NUMBER}D)?(?:T(?=\\d)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?", re.ASCII
)
_CALENDAR_UNITS = re.compile(r"P[^T]*\d[YM]", re.ASCII)
_UNIT_SECONDS = (604_800, 86_400, 3_600, 60, 1)

SHORTEST_INTERVAL = timedelta(seconds=1)
LONGEST_INTERVAL = timedelta(days=3_650)
_FAR_TOO_LONG = 10**10


def parse_duration(text: str) -> timedelta:
    """Reads the short form and ISO 8601; the largest unit first, each at most once."""
    match = (_SHORT.fullmatch(text) or _ISO.fullmatch(text)) if len(text) <= 64 else None
    if match is None or not any(match.groups()):
        if len(text) <= 64 and _CALENDAR_UNITS.match(text):
            raise ValueError("years and months have no fixed length; use days, or a cron schedule")
        raise ValueError("must be a duration such as 15m, 1h30m or PT1H30M")
    total = Fraction(0)
    for number, unit in zip(match.groups(), _UNIT_SECONDS, strict=True):
        total += Fraction((number or "0").replace(",", ".")) * unit
    return _timedelta(total)


def duration_of(value: str | int | float) -> timedelta:
    """A number counts seconds."""
    if isinstance(value, str):
        return parse_duration(value)
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError("must be a duration such as 15m, or a number of seconds")
    return _timedelta(Fraction(value))


def _timedelta(seconds: Fraction) -> timedelta:
    # Compared before it is converted: timedelta overflows on numbers that JSON can write.
    if abs(seconds) > _FAR_TOO_LONG:
        raise ValueError("must be between 1 second and 10 years")
    return timedelta(microseconds=round(seconds * 1_000_000))


def interval_of(value: str | int | float) -> timedelta:
    """A duration that a schedule may repeat at."""
    interval = duration_of(value)
    if not SHORTEST_INTERVAL <= interval <= LONGEST_INTERVAL:
        raise ValueError("must be between 1 second and 10 years")
    return interval
