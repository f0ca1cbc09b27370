"""What a transaction announces after its commit, and drops on rollback. It is not an outbox: it is in memory and may be
lost with the process, which costs only latency, because receivers read the database anyway."""

from __future__ import annotations

from dataclasses import dataclass, field

from horae.domain.runs.claimable import Offer
from horae.domain.runs.events import Event, RunsClaimed
from horae.ports import Hint


@dataclass(slots=True)
class Aftermath:
    """`offer` is for the engine, `hints` are for other processes, `events` for observers. `claims` are only for sinks:
    observers learn of them from the worker, once the runs have started."""

    offer: Offer = field(default_factory=Offer)
    hints: set[Hint] = field(default_factory=set)
    events: list[Event] = field(default_factory=list)
    claims: list[RunsClaimed] = field(default_factory=list)

    def tell(self, event: Event) -> None:
        if event[0]:
            self.events.append(event)
