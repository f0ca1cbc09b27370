"""Leaves out what a failure does not need: faults and wishes, half of them at a time, then fewer."""

from __future__ import annotations

import time

from tests.simulation.trial import Trial, attempt

BUDGET = 30.0  # seconds


def shrink(failed: Trial, *, budget: float = BUDGET) -> Trial:
    """The shortest world found that fails in the same words."""
    best = _kept(failed, list(failed.happened)) or failed
    until = time.monotonic() + budget
    portion = max(len(best.happened) // 2, 1)
    while time.monotonic() < until:
        smaller = _without_some(best, portion, until)
        if smaller is not None:
            best = smaller
            portion = min(portion, max(len(best.happened) // 2, 1))
        elif portion == 1:
            break
        else:
            portion //= 2
    return best


def _without_some(best: Trial, portion: int, until: float) -> Trial | None:
    keys = list(best.happened)
    for start in reversed(range(0, len(keys), portion)):
        if time.monotonic() > until:
            return None
        found = _kept(best, keys[:start] + keys[start + portion :])
        if found is not None:
            return found
    return None


def _kept(failed: Trial, keys: list[str]) -> Trial | None:
    tried = attempt(failed.seed, keep=keys, kind=failed.kind)
    return tried if tried.what == failed.what else None
