"""From when on something is wrong. Those of the installation are settings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Durations in seconds. 0 turns a rule off."""

    failing: int = 3  # failed runs of a job in a row
    no_worker: float = 300.0
