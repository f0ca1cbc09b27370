"""What domain events become for sinks: a type, a subject, and data that contain neither input, output nor results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from horae.domain.people.audit import Deed
from horae.domain.runs.claim import Claimed, Leased
from horae.domain.runs.ending import Ended, RunOfJob
from horae.domain.runs.events import (
    Audited,
    CancelsRequested,
    Event,
    Retried,
    RunsClaimed,
    RunsEnded,
    RunsParked,
    RunsQueued,
    RunsReleased,
    RunsRetried,
    RunsSkipped,
)
from horae.domain.runs.run import NewRun, Skipped
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import RunStatus
from horae.domain.runs.trace import trace_id_of
from horae.domain.sinks import types
from horae.domain.text.checks import storable

_LONGEST_ERROR = 1_000  # characters


class EventDraft(NamedTuple):
    """An event before it has an id and a time. `subject` is the id of the run or job that it is about."""

    type: str
    project_id: str
    job_id: str | None
    subject: str
    data: Mapping[str, Any]


def drafts(event: Event) -> Iterable[EventDraft]:
    """None for what no sink gets."""
    write = _WRITERS.get(type(event))
    return () if write is None else write(event)


def _about(kind: str, run: RunOfJob | NewRun | Skipped, status: str, **more: Any) -> EventDraft:
    data: dict[str, Any] = {"id": run.id, "job_id": run.job_id, "version": run.version}
    data |= {"project_id": run.project_id, "status": str(status), "trigger": str(run.trigger)}
    data |= {name: value for name, value in more.items() if value is not None}
    return EventDraft(kind, run.project_id, run.job_id, run.id, data)


def _queued(run: NewRun) -> EventDraft:
    return _about(
        types.RUN_QUEUED,
        run,
        RunStatus.QUEUED,
        queue=run.queue,
        priority=run.priority,
        scheduled_for=run.scheduled_for,
        due_at=run.due_at,
        held=run.held or None,
        parent_run_id=run.parent_run_id,
        rerun_of=run.rerun_of,
        triggered_by=run.triggered_by,
        operation_id=run.operation_id,
        trace_id=trace_id_of(run.id, run.traceparent),
    )


def _skipped(one: Skipped) -> EventDraft:
    return _about(
        types.RUN_SKIPPED,
        one,
        RunStatus.SKIPPED,
        queue=one.queue,
        reason=one.reason,
        occurrences=one.occurrences,
        scheduled_for=one.scheduled_for,
        scheduled_until=one.scheduled_until,
        parent_run_id=one.parent_run_id,
    )


def _started(run: Claimed, worker_id: str) -> EventDraft:
    return _about(
        types.RUN_STARTED,
        run,
        RunStatus.RUNNING,
        attempt=run.attempt,
        worker_id=worker_id,
        scheduled_for=run.scheduled_for,
        due_at=run.due_at,
        trace_id=trace_id_of(run.id, run.traceparent),
    )


def _released(run: Leased) -> EventDraft:
    held_by = {"attempt": run.attempt, "worker_id": run.worker_id}
    return _about(types.RUN_RELEASED, run, RunStatus.QUEUED, queue=run.queue, **held_by)


def _parked(run: Leased) -> EventDraft:
    held_by = {"attempt": run.attempt, "worker_id": run.worker_id}
    return _about(types.RUN_PARKED, run, RunStatus.RUNNING, queue=run.queue, parked=True, **held_by)


def _retried(one: Retried) -> EventDraft:
    run, outcome, pause = one
    return _about(
        types.RUN_RETRIED,
        run,
        RunStatus.QUEUED,
        queue=run.queue,
        attempt=run.attempt,
        worker_id=run.worker_id,
        outcome=outcome.value,
        again_in=round(pause, 3),
    )


def _cancelling(run: RunRecord, actor: str) -> EventDraft:
    more = {"queue": run.queue, "attempt": run.attempt or None, "worker_id": run.worker_id}
    return _about(types.RUN_CANCELLING, run, run.status, cancel_requested_by=actor, **more)


def _ended(run: Ended) -> EventDraft:
    return _about(
        types.RUN_ENDED,
        run,
        run.status.value,
        queue=run.place.queue,
        attempt=run.attempt,
        duration_ms=run.duration_ms,
        code=run.code,
        timed_out=run.timed_out or None,
        error=None if run.error is None else storable(run.error[:_LONGEST_ERROR]),
        trace_id=trace_id_of(run.id, run.traceparent),
    )


def _done(deed: Deed) -> Iterator[EventDraft]:
    kind = types.JOB_ACTIONS.get(deed.action)
    if kind is not None and deed.project_id is not None and deed.id is not None:
        data = {"id": deed.id, "job_name": deed.name, "project_id": deed.project_id, "actor": deed.actor}
        yield EventDraft(kind, deed.project_id, deed.id, deed.id, data)


_WRITERS: dict[type[Event], Callable[[Any], Iterable[EventDraft]]] = {
    RunsQueued: lambda event: map(_queued, event.runs),
    RunsSkipped: lambda event: map(_skipped, event.skipped),
    RunsClaimed: lambda event: (_started(run, event.worker_id) for run in event.runs),
    RunsReleased: lambda event: map(_released, event.runs),
    RunsParked: lambda event: map(_parked, event.runs),
    RunsRetried: lambda event: map(_retried, event.retried),
    CancelsRequested: lambda event: (_cancelling(run, event.actor) for run in event.runs),
    RunsEnded: lambda event: map(_ended, event.ended),
    Audited: lambda event: (draft for deed in event.deeds for draft in _done(deed)),
}
