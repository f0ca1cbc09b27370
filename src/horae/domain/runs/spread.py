"""Histograms of durations, in fixed, log-spaced buckets. Those of minutes add up to exactly that of their hour, which
percentiles do not; a percentile read from one is off by at most the width of a bucket, a fifth of its value."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

# Upper bounds in milliseconds, up to a month; longer times go into one more bucket. Rows contain indexes into this
# list, so it never changes.
BOUNDS: tuple[int, ...] = tuple(sorted({round(2 ** (n / 4)) for n in range(126)}))
_MOST = len(BOUNDS)

Spread = dict[int, int]
"""The count of each non-empty bucket, by its index."""


bucket = partial(bisect_left, BOUNDS)
"""The bucket of a time in milliseconds."""


def merged(spreads: Iterable[Mapping[int, int]]) -> Spread:
    found: Spread = {}
    for spread in spreads:
        for place, count in spread.items():
            found[place] = found.get(place, 0) + count
    return found


def percentile(spread: Mapping[int, int], share: float) -> float | None:
    """In milliseconds, assuming an even distribution within a bucket; None if it is empty."""
    total = sum(spread.values())
    if not total:
        return None
    rank, seen = share * total, 0
    for place in sorted(spread):
        count = spread[place]
        if seen + count >= rank:
            lower, upper = BOUNDS[place - 1] if place else 0, BOUNDS[min(place, _MOST - 1)]
            return lower + max(upper - lower, 0) * (rank - seen) / count
        seen += count
    raise AssertionError("the rank is beyond the total")


def pairs(spread: Mapping[int, int]) -> list[tuple[int, int]]:
    """The stored form."""
    return list(spread.items())


def read_pairs(stored: Any) -> Spread:
    """Empty if damaged."""
    found: Spread = {}
    for pair in stored if isinstance(stored, list) else ():
        match pair:
            case [int(place), int(count)] if 0 <= place <= _MOST and count > 0:
                found[place] = found.get(place, 0) + count
    return found


def spread_of(milliseconds: Iterable[int]) -> Spread:
    return Counter(map(bucket, milliseconds))
