"""Checks by name, each with the sentence of the protocol that it is about."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from horae.conformance.stage import Stage

Run = Callable[[Stage], Awaitable[None]]


@dataclass(frozen=True)
class ConformanceCheck:
    name: str
    sentence: str  # as it is in the page
    run: Run
    needs: str  # what an agent must offer, or nothing
    page: str = "worker-protocol.md"


CHECKS: dict[str, ConformanceCheck] = {}


def check(name: str, sentence: str, *, needs: str = "script", page: str = "worker-protocol.md") -> Callable[[Run], Run]:
    """Adds a check: it raises Violated if the agent does not do what the sentence says."""

    def add(run: Run) -> Run:
        assert name not in CHECKS, name
        CHECKS[name] = ConformanceCheck(name, sentence, run, needs, page)
        return run

    return add
