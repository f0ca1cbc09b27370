"""Thresholds of alert rules. Those of the installation are settings; projects and jobs may override them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Durations in seconds. 0 turns a rule off."""

    failing: int = 3  # failed runs of a job in a row
    late: float = 600.0  # since a run became due without starting
    queued: float = 1_800.0  # since the oldest run of a queue became due
    stuck: float = 300.0  # since a lease expired without the run being recovered
    failure_rate: float = 10.0  # per cent of a project's runs that ended in this hour and the last
    dead_letters: int = 10  # new ones in a project within an hour
    no_worker: float = 300.0
    not_fired: float = 60.0
    disk: float = 10.0  # per cent free where the SQLite file is

    @property
    def shortest(self) -> float | None:
        """Of the durations that are on."""
        durations = (self.late, self.queued, self.stuck, self.no_worker, self.not_fired)
        return min((one for one in durations if one), default=None)
