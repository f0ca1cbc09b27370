"""Change detection between two polls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from horae.domain.cluster.process import WorkerRecord


class Glance(NamedTuple):
    """A run's state, and since when it has been in it."""

    id: str
    status: str
    attempt: int
    cancelling: bool
    at: datetime

    @property
    def state(self) -> tuple[str, int, bool]:
        return (self.status, self.attempt, self.cancelling)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the last poll saw: runs by state, workers by status."""

    runs: dict[str, tuple[str, int, bool]]
    workers: dict[str, str]


def changed_runs(seen: Seen, live: Iterable[Glance], ended: Iterable[Glance], since: datetime) -> set[str]:
    """Runs whose state changed; of runs not seen before, those that changed after `since`."""
    return {
        glance.id
        for glance in (*live, *ended)
        if (seen.runs[glance.id] != glance.state if glance.id in seen.runs else glance.at >= since)
    }


def gone(seen: Seen, live: Iterable[Glance], ended: Iterable[Glance]) -> set[str]:
    """Runs that were live and have left the window of the poll: they ended long after they were created."""
    here = {glance.id for glance in (*live, *ended)}
    return {run_id for run_id, state in seen.runs.items() if state[0] in ("queued", "running")} - here


def changed_workers(seen: Seen, workers: Iterable[WorkerRecord]) -> list[WorkerRecord]:
    return [worker for worker in workers if seen.workers.get(worker.id) != worker.status]
