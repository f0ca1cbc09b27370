"""Outcomes that are not reported yet, and how many go into one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from horae.domain.runs.attempt import Attempt
from horae.domain.runs.outcome import SUCCEEDED, Outcome

BATCH = 1000
BATCH_SIZE = 2 * 2**20  # characters of text in one transaction; servers limit the size of a statement

Done = tuple[Attempt, Outcome, float]


def size_of(outcome: Outcome) -> int:
    if outcome is SUCCEEDED:
        return 0
    return len(outcome.result or "") + len(outcome.error or "") + len(outcome.traceback or "")


def cut(waiting: Sequence[Done], limit: int = BATCH) -> tuple[list[Done], list[Done]]:
    """As many results as fit into one transaction, and the rest."""
    size = 0
    for count, (_, outcome, _) in enumerate(waiting[:limit]):
        size += size_of(outcome)
        if size > BATCH_SIZE and count:
            return [*waiting[:count]], [*waiting[count:]]
    return [*waiting[:limit]], [*waiting[limit:]]
