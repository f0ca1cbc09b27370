"""From when on something is wrong. Those of the installation are settings; projects and jobs may have their own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Durations in seconds. 0 turns a rule off."""

    failing: int = 3  # failed runs of a job in a row
    late: float = 600.0  # that a run is due and has not started
    queued: float = 1_800.0  # that the oldest run of a queue is due
    stuck: float = 300.0  # that a lease is over and nobody has taken the run back
    failure_rate: float = 10.0  # per cent of the runs of a project that ended in this hour and the last
    dead_letters: int = 10  # new ones of a project within an hour
    no_worker: float = 300.0
    not_fired: float = 60.0
    disk: float = 10.0  # per cent that are free where the SQLite file is
