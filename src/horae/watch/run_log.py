"""Run log: a structured line for each step of a run, with its ids. It is sampled: a busy process writes only so many
lines a second, and says how many it left out, because logging must not cost more than the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import structlog

from horae.domain.runs.events import RunEvent, RunsEnded, RunsQueued, RunsRetried, RunsSkipped
from horae.domain.runs.run import Skipped

log = structlog.get_logger()

Line = tuple[str, dict[str, Any]]


class RunLog:
    """An observer. `most`: lines a second."""

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        self._most, self._monotonic = most, monotonic
        self._second, self._left, self._left_out = 0, most, 0

    def __call__(self, event: RunEvent) -> None:
        second = int(self._monotonic())
        if second != self._second:
            self._second, self._left = second, self._most
            if self._left_out:
                log.info("runs not logged", count=self._left_out)
                self._left_out = 0
        written = 0
        for name, fields in islice(_lines(event), self._left):
            log.info(name, **fields)
            written += 1
        self._left -= written
        self._left_out += len(event[0]) - written


def _lines(event: RunEvent) -> Iterator[Line]:
    said: dict[str, Any]
    if isinstance(event, RunsEnded):
        for end in event.ended:
            said = {"status": end.status.value, "duration_ms": end.duration_ms, "code": end.code}
            yield "run ended", _told(run=end.id, job=end.job_id, project=end.project_id, **said)
    elif isinstance(event, RunsRetried):
        for run, outcome, pause in event.retried:
            said = {"attempt": run.attempt, "outcome": outcome.value, "again_in": round(pause, 3)}
            yield "run retried", _told(run=run.id, job=run.job_id, project=run.project_id, worker=run.worker_id, **said)
    elif isinstance(event, RunsSkipped):
        yield from map(_skipped, event.skipped)
    else:
        name = "run queued" if isinstance(event, RunsQueued) else "run started"
        for one in event.runs:
            at = one.scheduled_for.isoformat() if one.scheduled_for else None
            said = {"trigger": str(one.trigger), "attempt": getattr(one, "attempt", None), "scheduled_for": at}
            yield name, _told(run=one.id, job=one.job_id, project=one.project_id, **said)


def _skipped(one: Skipped) -> Line:
    said = {"reason": str(one.reason), "occurrences": one.occurrences, "from": one.scheduled_for.isoformat()}
    return "run skipped", _told(run=one.id, job=one.job_id, project=one.project_id, **said)


def _told(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
