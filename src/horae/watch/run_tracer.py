"""Traces of runs: an observer that makes spans of what happened, and wraps executors to trace attempts. A run's spans
are made by the processes that had to do with it, each on its own, and fit together because their ids follow from the
run's (domain/runs/trace.py). They carry ids and Horae's own words, never what a job holds. Where OpenTelemetry's
semantic conventions have a name for something (`messaging.*`, `error.type`), it is theirs.

    horae.run                      queued … ended; a child of the caller's span, if there is one
    ├─ horae.enqueue               who queued it, and how long that took
    ├─ horae.wait                  due … started: one for each attempt
    └─ horae.attempt               started … over: one for each attempt; the parent of what it calls
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from horae.domain.runs.attempt import Attempt
from horae.domain.runs.ending import Ended, RunOfJob
from horae.domain.runs.events import AttemptOver, AttemptsOver, Event, RunsEnded, RunsQueued
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.run import NewRun
from horae.domain.runs.states import AttemptOutcome, RunStatus, StopReason
from horae.domain.runs.trace import TraceContext, is_sampled, parse_traceparent, span_id_of, trace_id_of
from horae.domain.text.ids import made_at
from horae.ports import Clock, Executor, Starting

_NAMES = 10_000  # runs whose job's name is remembered until they end
_STOPPED = {
    StopReason.TIMEOUT: AttemptOutcome.TIMED_OUT,
    StopReason.CANCEL: AttemptOutcome.CANCELLED,
    StopReason.SHUTDOWN: AttemptOutcome.INTERRUPTED,
}
_QUEUE = "messaging.destination.name"
_BAD = frozenset((AttemptOutcome.FAILED, AttemptOutcome.TIMED_OUT, AttemptOutcome.LOST))


Value = str | int | bool


class Span(NamedTuple):
    name: str
    kind: Literal["internal", "producer", "consumer"]
    trace_id: str
    span_id: str
    parent_id: str | None
    start: datetime
    end: datetime
    attributes: Mapping[str, Value]
    error: str | None = None
    link_id: str | None = None  # a span of the same trace


class RunTracer:
    """`share` of the runs without a caller's decision are traced. `emit` takes finished spans; it must not block."""

    def __init__(self, share: float, clock: Clock, emit: Callable[[Span], None], worker_id: str | None = None) -> None:
        self._share, self._clock, self._emit, self._worker_id = share, clock, emit, worker_id
        self._names: OrderedDict[str, str] = OrderedDict()

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunsEnded):
            for run in event.ended:
                self._ended(run)
        elif isinstance(event, RunsQueued):
            for new in event.runs:
                self._queued(new)
        elif isinstance(event, AttemptsOver):
            for over in event.over:
                self._given_up(over)

    def place(self, run: RunOfJob | NewRun) -> tuple[TraceContext, str | None]:
        """The run's own span, and its parent's id."""
        caller = None if run.traceparent is None else parse_traceparent(run.traceparent)
        trace_id = trace_id_of(run.id, None if caller is None else run.traceparent)
        sampled = is_sampled(trace_id, self._share) if caller is None else caller.sampled
        return TraceContext(trace_id, span_id_of(run.id, "run"), sampled), None if caller is None else caller.span_id

    def _queued(self, run: NewRun) -> None:
        place, _ = self.place(run)
        if place.sampled:
            attributes = {
                **_about(run),
                **_message(run.id, "enqueue", "send"),
                "horae.trigger": str(run.trigger),
                _QUEUE: run.queue,
            }
            now = self._clock.now()
            ids = _part(place, run.id, "enqueue")
            self._emit(Span("horae.enqueue", "producer", *ids, min(made_at(run.id), now), now, attributes))

    def _ended(self, run: Ended) -> None:
        place, parent_id = self.place(run)
        if not place.sampled:
            return
        failed, now = run.status is RunStatus.FAILED, self._clock.now()
        attributes: dict[str, Value] = {
            **_about(run),
            "horae.trigger": str(run.trigger),
            "horae.status": run.status.value,
            "horae.attempts": run.attempt,
        }
        if failed:
            attributes["horae.dead_letter"] = True
            attributes["error.type"] = run.status.value
        if (name := self._names.pop(run.id, None)) is not None:
            attributes["horae.job.name"] = name
        start = min(made_at(run.id), now)
        error = run.status.value if failed else None
        self._emit(
            Span("horae.run", "internal", place.trace_id, place.span_id, parent_id, start, now, attributes, error)
        )

    def _given_up(self, over: AttemptOver) -> None:
        """An attempt that its worker does not report: it was lost, or waits elsewhere for its callback."""
        run, outcome, duration_ms = over
        if outcome.kind is not AttemptOutcome.LOST and not run.parked:
            return
        place, _ = self.place(run)
        if place.sampled:
            end = self._clock.now()
            self._attempt(place, run, run.worker_id, end - timedelta(milliseconds=duration_ms), end, outcome)

    def begun(self, attempt: Attempt) -> tuple[TraceContext, datetime]:
        """The run's span, and now. What the attempt calls becomes part of the attempt's span."""
        run = attempt.run
        place, _ = self.place(run)
        attempt.span = place._replace(span_id=_attempt_id(run.id, run.attempt)).header
        return place, self._clock.now()

    def over(self, attempt: Attempt, place: TraceContext, start: datetime, outcome: Outcome) -> None:
        run, job = attempt.run, attempt.job
        self._names[run.id] = job.name
        if len(self._names) > _NAMES:
            self._names.popitem(last=False)
        known: dict[str, Value] = {
            "horae.job.name": job.name,
            "horae.target": job.target.kind,
            _QUEUE: job.queue,
        }
        about = {**_about(run), **known, "horae.attempt": run.attempt}
        ids = _part(place, run.id, f"wait {run.attempt}")
        self._emit(Span("horae.wait", "internal", *ids, min(run.due_at, start), start, about))
        if outcome.kind is not AttemptOutcome.PARKED:  # the callback ends it
            self._attempt(place, run, self._worker_id, start, self._clock.now(), outcome, known)

    def _attempt(
        self,
        place: TraceContext,
        run: RunOfJob,
        worker_id: str | None,
        start: datetime,
        end: datetime,
        outcome: Outcome,
        known: Mapping[str, Value] | None = None,
    ) -> None:
        attributes: dict[str, Value] = {
            **_about(run),
            **_message(run.id, "attempt", "process"),
            **(known or {}),
            "horae.attempt": run.attempt,
            "horae.outcome": outcome.kind.value,
        }
        if worker_id is not None:
            attributes["messaging.client.id"] = worker_id
        if outcome.exit_code is not None:
            attributes["process.exit.code"] = outcome.exit_code
        if outcome.response_code is not None:
            attributes["http.response.status_code"] = outcome.response_code
        error = outcome.kind.value if outcome.kind in _BAD else None
        if error is not None:
            attributes["error.type"] = error
        ids = (place.trace_id, _attempt_id(run.id, run.attempt), place.span_id)
        queued = span_id_of(run.id, "enqueue")
        self._emit(Span("horae.attempt", "consumer", *ids, start, end, attributes, error, queued))


class TracedExecutor:
    """An executor whose attempts are traced (the Executor of ports/outside.py)."""

    def __init__(self, executor: Executor, tracer: RunTracer) -> None:
        self._executor, self._tracer = executor, tracer

    def offers(self) -> Iterable[str]:
        return self._executor.offers()

    async def start(self) -> None:
        if isinstance(self._executor, Starting):
            await self._executor.start()

    async def execute(self, attempt: Attempt) -> Outcome:
        place, start = self._tracer.begun(attempt)
        if not place.sampled:
            return await self._executor.execute(attempt)
        try:
            outcome = await self._executor.execute(attempt)
        except asyncio.CancelledError:
            # A lost attempt is reported by another process.
            if attempt.stop is not None and (kind := _STOPPED.get(attempt.stop)) is not None:
                self._tracer.over(attempt, place, start, Outcome(kind))
            raise
        except Exception:
            self._tracer.over(attempt, place, start, Outcome(AttemptOutcome.FAILED))
            raise
        self._tracer.over(attempt, place, start, outcome)
        return outcome

    async def close(self) -> None:
        await self._executor.close()


def _part(run: TraceContext, run_id: str, what: str) -> tuple[str, str, str | None]:
    return run.trace_id, span_id_of(run_id, what), run.span_id


def _attempt_id(run_id: str, number: int) -> str:
    return span_id_of(run_id, f"attempt {number}")


def _about(run: RunOfJob | NewRun) -> dict[str, Value]:
    return {"horae.run.id": run.id, "horae.job.id": run.job_id, "horae.project.id": run.project_id}


def _message(run_id: str, name: str, operation: str) -> dict[str, Value]:
    """A run as the message that its queue carries."""
    return {
        "messaging.system": "horae",
        "messaging.operation.name": name,
        "messaging.operation.type": operation,
        "messaging.message.id": run_id,
    }
