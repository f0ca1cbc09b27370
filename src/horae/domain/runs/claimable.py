"""A run became claimable: it was queued, queued again, or let out of its gate. The store records that where it happens,
and hands it to the engine once the transaction has committed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Claimable(NamedTuple):
    """A run that workers may claim: immediately, or from its `due_at` on."""

    id: str
    queue: str
    priority: int


@dataclass(slots=True)
class Offer:
    """What one transaction made claimable. All runs of `queues` are: these were resumed."""

    runs: list[Claimable] = field(default_factory=list)
    queues: set[str] = field(default_factory=set)

    def add(self, runs: Iterable[Claimable]) -> None:
        self.runs.extend(runs)

    def __bool__(self) -> bool:
        return bool(self.runs or self.queues)

    @property
    def named(self) -> set[str]:
        """Every queue that has something for workers now."""
        return self.queues.union(run.queue for run in self.runs)
