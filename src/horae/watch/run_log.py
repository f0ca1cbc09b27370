"""Run log: a structured line for each step of a run and each entry of the audit trail, with their ids. It is sampled: a
busy process writes a limited number of lines per second, and logs how many it left out, because logging must not cost
more than the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import structlog

from horae.domain.cluster import log_events as lines
from horae.domain.cluster.log_events import LogEvent
from horae.domain.people.audit import Deed
from horae.domain.runs.claim import Claimed
from horae.domain.runs.ending import RunOfJob
from horae.domain.runs.events import (
    AttemptOver,
    AttemptsOver,
    Audited,
    CancelsRequested,
    Event,
    Retried,
    RunsClaimed,
    RunsEnded,
    RunsExpired,
    RunsParked,
    RunsQueued,
    RunsReleased,
    RunsRetried,
    RunsSkipped,
    RunsStarted,
)
from horae.domain.runs.run import NewRun, Skipped
from horae.domain.runs.states import AttemptOutcome, Trigger
from horae.domain.runs.trace import trace_id_of

log = structlog.get_logger()

Line = tuple[LogEvent, dict[str, Any]]


class Allowance:
    """A number of lines per second."""

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        self._most, self._monotonic = most, monotonic
        self._second, self._left, self._left_out = 0, most, 0

    def write(self, lines_of: Callable[[Any], Iterator[Line]], event: Event) -> None:
        second, count = int(self._monotonic()), len(event[0])
        if second != self._second:
            self._second, self._left = second, self._most
            if self._left_out:
                log.info(lines.NOT_LOGGED.name, count=self._left_out)
                self._left_out = 0
        if not self._left:  # as for most of a busy worker's
            self._left_out += count
            return
        written = 0
        for line, fields in islice(lines_of(event), self._left):
            log.info(line.name, **{name: value for name, value in fields.items() if value is not None})
            written += 1
        self._left -= written
        self._left_out += count - written


class RunLog:
    """An observer. `most`: lines per second about runs, and as many about users' actions, which a flood of runs must
    not hide."""

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        self._runs, self._deeds = Allowance(most, monotonic), Allowance(most, monotonic)

    def __call__(self, event: Event) -> None:
        allowance = self._deeds if isinstance(event, Audited) else self._runs
        allowance.write(WRITERS[type(event)], event)


def _ids(run: RunOfJob, **more: Any) -> dict[str, Any]:
    trace_id = trace_id_of(run.id, run.traceparent)
    ids = {"run": run.id, "job": run.job_id, "project": run.project_id, "trace_id": trace_id}
    return {**ids, "attempt": run.attempt or None, **more}


def _at(run: NewRun | Claimed) -> dict[str, Any]:
    return {"trigger": str(run.trigger), "scheduled_for": run.scheduled_for and run.scheduled_for.isoformat()}


def _queued(one: NewRun) -> Line:
    event = lines.FIRED if one.trigger == Trigger.SCHEDULE else lines.QUEUED
    trace_id = trace_id_of(one.id, one.traceparent)
    return event, {"run": one.id, "job": one.job_id, "project": one.project_id, "trace_id": trace_id, **_at(one)}


def _skipped(one: Skipped) -> Line:
    said = {"reason": str(one.reason), "occurrences": one.occurrences, "from": one.scheduled_for.isoformat()}
    return lines.SKIPPED, {"run": one.id, "job": one.job_id, "project": one.project_id, **said}


def _over(one: AttemptOver) -> Line:
    run, outcome, duration_ms = one
    # Only this text is Horae's own; any other may quote the attempt's output.
    why = outcome.error if outcome.kind is AttemptOutcome.LOST else None
    said = {"duration_ms": duration_ms, "code": outcome.code, "why": why}
    return lines.OVER[outcome.kind], _ids(run, worker=run.worker_id, **said)


def _retried(one: Retried) -> Line:
    run, outcome, pause = one
    event = lines.RECOVERED if outcome is AttemptOutcome.LOST else lines.RETRIED
    return event, _ids(run, worker=run.worker_id, outcome=outcome.value, again_in=round(pause, 3))


def _deed(deed: Deed) -> Line:
    said = {"project": deed.project_id, "by": deed.actor}
    if (event := lines.JOBS.get(deed.action)) is not None:
        return event, {"job": deed.id, **said}
    return lines.AUDITED, {"action": deed.action, "subject": deed.id, **said}


def _claimed(event: RunsClaimed) -> Iterator[Line]:
    return ((lines.CLAIMED, _ids(one, worker=event.worker_id)) for one in event.runs)


def _started(event: RunsStarted) -> Iterator[Line]:
    return ((lines.STARTED, _ids(one, worker=event.worker_id, **_at(one))) for one in event.runs)


def _ended(event: RunsEnded) -> Iterator[Line]:
    for one in event.ended:
        yield lines.ENDED, _ids(one, status=one.status.value, duration_ms=one.duration_ms, code=one.code)


def _cancelling(event: CancelsRequested) -> Iterator[Line]:
    return ((lines.CANCELLING, _ids(one, by=event.actor, worker=one.worker_id)) for one in event.runs)


def _each(line: Callable[[Any], Line]) -> Callable[[Event], Iterator[Line]]:
    return lambda event: map(line, event[0])


WRITERS: dict[type[Event], Callable[[Any], Iterator[Line]]] = {
    RunsQueued: _each(_queued),
    RunsSkipped: _each(_skipped),
    RunsClaimed: _claimed,
    RunsReleased: _each(lambda run: (lines.RELEASED, _ids(run, worker=run.worker_id))),
    RunsStarted: _started,
    RunsParked: _each(lambda run: (lines.PARKED, _ids(run, worker=run.worker_id))),
    AttemptsOver: _each(_over),
    RunsRetried: _each(_retried),
    RunsExpired: _each(lambda run: (lines.EXPIRED, _ids(run))),
    CancelsRequested: _cancelling,
    RunsEnded: _ended,
    Audited: _each(_deed),
}
