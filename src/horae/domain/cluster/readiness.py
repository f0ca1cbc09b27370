"""Probes: whether a process is alive, and whether it is ready. A process that waits for its database is alive: killing
it would not help."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Readiness:
    """`reasons`: why it is not ready, in words; empty if it is. `leaving`: it will not become ready again."""

    reasons: tuple[str, ...] = ()
    leaving: bool = False

    @property
    def ready(self) -> bool:
        return not self.reasons


STARTING = Readiness(("it is starting",))
