"""Admission: which runs start at once, which wait and which are skipped when a job limits its concurrent runs. Pure:
the verb reads the gate under its lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from horae.domain.jobs.policy import Overlap

Rule = Overlap | Literal["in_turn"]
"""What happens at the limit: the job's overlap rule, or `in_turn` for requested runs. Those are never skipped, and
never overtake a run that waits."""


class Places(NamedTuple):
    """How a batch of runs is admitted, in order: `superseded` ones yield to newer ones in the batch, `placed` ones
    start, `held` ones wait, and the rest are skipped."""

    superseded: int = 0
    placed: int = 0
    held: int = 0
    contested: bool = False  # a place is free; only `Gates.open` decides whether they get it


@dataclass(frozen=True, slots=True)
class JobGate:
    """`under_way` runs are queued unheld, running or waiting for a retry; `waiting`: some are held for their turn."""

    limit: int | None = None  # None: no limit
    under_way: int = 0
    waiting: bool = False

    @property
    def free(self) -> int:
        return 0 if self.limit is None else max(0, self.limit - self.under_way)

    @property
    def surplus(self) -> int:
        """How many runs exceed the limit because it was lowered."""
        return 0 if self.limit is None else max(0, self.under_way - self.limit)

    def admit(self, count: int, rule: Rule, *, in_order: bool = False) -> Places:
        """`in_order`: caught up, so it starts only once the run before it has ended."""
        if self.limit is None:
            return Places(placed=count)
        # Of several at the same time, only the newest would survive.
        superseded = max(0, count - self.limit) if rule == "cancel_running" else 0
        placed = min(count - superseded, self.free)
        held = min(count - superseded - placed, self._room(rule, count))
        may_overtake = not self.waiting if rule == "in_turn" else not (in_order and self.under_way)
        if placed and not may_overtake:
            return Places(superseded, 0, placed + held, contested=True)
        return Places(superseded, placed, held)

    def _room(self, rule: Rule, count: int) -> int:
        """How many more may wait."""
        if rule == "skip":
            return 0
        if rule == "queue_one":
            return 0 if self.waiting else 1
        return count

    def with_(self, places: Places) -> JobGate:
        """With these admitted."""
        return JobGate(self.limit, self.under_way + places.placed, self.waiting or places.held > 0)


NO_GATE = JobGate()
