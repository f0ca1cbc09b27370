"""Durations as people write them, the same in definitions, settings, options and the SDK: "15m", "1h30m", "250ms",
"PT1H30M", 90 and "90" (seconds)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import timedelta
from fractions import Fraction
from typing import Any

_NUMBER = r"(\d{1,12}(?:[.,]\d{1,6})?)"
_UNITS: tuple[tuple[str, int | Fraction], ...] = (
    *(("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)),
    ("ms", Fraction(1, 1_000)),
)
_SHORT = re.compile("".join(f"(?:{_NUMBER}{unit})?" for unit, _ in _UNITS), re.ASCII)
_PLAIN = re.compile(r"\d{1,12}(?:\.\d{1,6})?", re.ASCII)
_ISO = re.compile(
    f"P(?:{_NUMBER}W)?(?:{_NUMBER}D)?(?:T(?=\\d)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?", re.ASCII
)
_CALENDAR_UNITS = re.compile(r"P[^T]*\d[YM]", re.ASCII)
_EXPECTED = "must be a duration such as 15m, 1h30m, 250ms or PT1H30M, or a number of seconds"

SHORTEST_INTERVAL = timedelta(seconds=1)
LONGEST_INTERVAL = timedelta(days=3_650)
_FAR_TOO_LONG = 10**10


def parse_duration(text: str) -> timedelta:
    """Reads the short form and ISO 8601, the largest unit first, each at most once; a number alone counts seconds."""
    if _PLAIN.fullmatch(text):
        return _timedelta(Fraction(text))
    match = (_SHORT.fullmatch(text) or _ISO.fullmatch(text)) if len(text) <= 64 else None
    if match is None or not any(match.groups()):
        if len(text) <= 64 and _CALENDAR_UNITS.match(text):
            raise ValueError("years and months have no fixed length; use days, or a cron schedule")
        raise ValueError(_EXPECTED)
    total = Fraction(0)
    for number, (_, seconds) in zip(match.groups(), _UNITS, strict=False):  # ISO 8601 ends with seconds
        total += Fraction((number or "0").replace(",", ".")) * seconds
    return _timedelta(total)


def duration_of(value: object) -> timedelta:
    """A number means seconds."""
    if isinstance(value, str):
        return parse_duration(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(_EXPECTED)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(_EXPECTED)
    return _timedelta(Fraction(value))


def seconds_in(value: object) -> float:
    """The same as a number, whole where it can be."""
    seconds = duration_of(value).total_seconds()
    return int(seconds) if seconds.is_integer() else seconds


def read_seconds(value: Any) -> Any:
    """For fields of definitions, which are stored as numbers; the field's own type validates anything that is not
    text."""
    return seconds_in(value) if isinstance(value, str) else value


def _timedelta(seconds: Fraction) -> timedelta:
    # Compared before it is converted: timedelta overflows on numbers that JSON can write.
    if abs(seconds) > _FAR_TOO_LONG:
        raise ValueError("must be between 1 second and 10 years")
    return timedelta(microseconds=round(seconds * 1_000_000))


def interval_of(value: object) -> timedelta:
    """A duration that is valid as the interval of a schedule."""
    interval = duration_of(value)
    if not SHORTEST_INTERVAL <= interval <= LONGEST_INTERVAL:
        raise ValueError("must be between 1 second and 10 years")
    return interval


def two_largest(seconds: float, units: Iterable[tuple[int, str]]) -> str:
    """A duration in its two largest units, such as `1d 3h`; empty below the smallest unit."""
    left, parts = int(seconds), list[str]()
    for size, unit in units:
        if left >= size:
            parts.append(f"{left // size}{unit}")
            left %= size
        elif parts:
            break
    return " ".join(parts[:2])
