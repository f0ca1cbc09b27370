"""A run became claimable: it was queued, requeued, or released by its gate. The store records that where it happens,
and hands it to the engine after the commit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple


class Claimable(NamedTuple):
    """A run that workers may claim: immediately, or from its `due_at` on, or after a pause of so many seconds."""

    id: str
    queue: str
    priority: int
    due_at: datetime | None = None
    pause: float = 0.0

    def later(self, now: datetime) -> bool:
        """Whether it may not be claimed yet."""
        return self.pause > 0 or (self.due_at is not None and self.due_at > now)


@dataclass(slots=True)
class Offer:
    """What one transaction made claimable, including all runs of `queues`, which were resumed."""

    runs: list[Claimable] = field(default_factory=list)
    queues: set[str] = field(default_factory=set)

    def add(self, runs: Iterable[Claimable]) -> None:
        self.runs.extend(runs)

    def __bool__(self) -> bool:
        return bool(self.runs or self.queues)

    @property
    def named(self) -> set[str]:
        """Every queue that now has something for workers."""
        return self.queues.union(run.queue for run in self.runs)
