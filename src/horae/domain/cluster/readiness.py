"""Probes: whether a process lives, and whether it is ready to do its work. A process that waits for its database lives:
killing it would not help."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Readiness:
    """`reasons`: why it is not ready, in words; none if it is. `leaving`: it will not be ready again."""

    reasons: tuple[str, ...] = ()
    leaving: bool = False

    @property
    def ready(self) -> bool:
        return not self.reasons


STARTING = Readiness(("it is starting",))
