"""The timeline of a run: its events in order, the time between them, and what the run waited for."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from horae.domain.explain.capacity import worker_name
from horae.domain.explain.explanation import Gate, TimelineEntry, brief, foremost, moment
from horae.domain.explain.facts import RunFacts
from horae.domain.runs.attempts import AttemptRecord, with_last
from horae.domain.runs.remote_task import is_remote
from horae.domain.runs.states import AttemptOutcome, RunStatus, Trigger

_LATE = 60.0  # seconds: beyond that an occurrence was missed, and caught up


_AT = {RunStatus.QUEUED: "a worker", RunStatus.RUNNING: "its work"}


def timeline(facts: RunFacts, gates: list[Gate]) -> tuple[TimelineEntry, ...]:
    entries = [*_beginning(facts), *_attempts(facts), *_end(facts, gates)]
    if (ended := facts.run.finished_at) is not None:  # no later event ever came
        entries = [entry for entry in entries if entry.at <= ended]
    # Stable: events at the same instant keep the order of the flow.
    entries.sort(key=lambda entry: entry.at)
    done: list[TimelineEntry] = []
    for entry in entries:
        waited = entry.at - done[-1].at if done else None
        ms = None if waited is None else round(waited.total_seconds() * 1000)
        done.append(replace(entry, waited_ms=ms, waited_for=entry.waited_for if ms else None))
    return tuple(done)


def _beginning(facts: RunFacts) -> list[TimelineEntry]:
    run = facts.run
    created, nominal = run.created_at, run.scheduled_for
    entries = []
    if nominal is not None:
        if run.scheduled_until is not None and run.occurrences > 1:
            what = f"{run.occurrences} occurrences, up to {moment(run.scheduled_until)}"
        else:
            what = "its occurrence"
        entries.append(TimelineEntry(nominal, "due", what))
    if run.status == RunStatus.SKIPPED:  # it was created as it ended
        return entries
    entries.append(TimelineEntry(created, "created", _made_by(facts), waited_for=_lateness(facts)))
    due_at = _first_due(facts)
    if due_at is not None and due_at not in (nominal, created) and due_at > created:
        jitter = nominal is not None and nominal < due_at
        entries.append(
            TimelineEntry(due_at, "due", "moved by its jitter" if jitter else "the requested time", None, "its time")
        )
    turn = created if run.attempt else max(created, run.due_at)  # a run for later takes no place until it is due
    if run.held and turn <= facts.now:
        entries.append(TimelineEntry(turn, "held", "waits for its turn"))
    return entries


def _made_by(facts: RunFacts) -> str:
    run = facts.run
    if run.scheduler_id is not None:
        names = {one.id: one.name for one in facts.schedulers}
        return f"fired by scheduler {names.get(run.scheduler_id, run.scheduler_id)}"
    whom = f" by {run.triggered_by}" if run.triggered_by else ""
    if run.rerun_of is not None:
        return f"run again{whom}, after {run.rerun_of}"
    if run.trigger == Trigger.AFTER:
        return f"started by the end of run {run.parent_run_id}"
    return f"triggered{whom} ({run.trigger})"


def _lateness(facts: RunFacts) -> str | None:
    nominal = facts.run.scheduled_for
    if nominal is None or facts.run.trigger != Trigger.SCHEDULE:
        return None
    late = (facts.run.created_at - nominal).total_seconds()
    return "its scheduler: it was not fired on time, so it was caught up" if late > _LATE else "its scheduler"


def _first_due(facts: RunFacts) -> datetime | None:
    """When the first attempt was due. A retry overwrites it: then it is unknown."""
    return None if facts.attempts else facts.run.due_at


def _attempts(facts: RunFacts) -> list[TimelineEntry]:
    run, entries = facts.run, []
    tries = with_last(run, facts.attempts)
    for number, one in enumerate(tries):
        before = tries[number - 1] if number else None
        again = run.due_at if before is not None and one.n == run.attempt else None
        if again is not None and before is not None and before.finished_at and before.finished_at < again:
            entries.append(TimelineEntry(again, "due", f"attempt {one.n}", waited_for="its backoff"))
        where = worker_name(facts.workers, one.worker_id)
        entries.append(
            TimelineEntry(
                one.started_at, "claimed", f"attempt {one.n} by {where}", waited_for=_wait(facts, before, again)
            )
        )
        if one.finished_at is not None:
            outcome = one.outcome or run.status  # runs of an older version have no outcome
            plain = outcome == AttemptOutcome.SUCCEEDED or one.error == outcome
            said = "" if plain else f": {brief(one.error)}"
            how = outcome.replace("_", " ")
            entries.append(TimelineEntry(one.finished_at, "attempt", f"attempt {one.n} {how}{said}", None, "its work"))
    return entries


def _wait(facts: RunFacts, before: AttemptRecord | None, again: datetime | None) -> str:
    """What an attempt waited for before it was claimed; waiting for a turn leaves no trace except the job's limit."""
    if before is None:
        return "a worker" if facts.spec is None or facts.spec.gate_limit is None else "its turn, or a worker"
    if again is not None or before.outcome == AttemptOutcome.INTERRUPTED:
        return "a worker"
    return "its backoff, and a worker"


def _in_vain(facts: RunFacts, ended_at: datetime) -> str | None:
    """What a run without any attempt waited for until it ended."""
    run = facts.run
    if run.attempt:
        return None
    if run.status == RunStatus.SKIPPED:
        return "a scheduler"
    return "its time" if run.due_at > ended_at else _wait(facts, None, None)


def _end(facts: RunFacts, gates: list[Gate]) -> list[TimelineEntry]:
    run, now = facts.run, facts.now
    if (ended_at := run.finished_at) is not None:
        why = f" ({run.reason})" if run.reason else ""
        return [TimelineEntry(ended_at, "ended", f"{run.status}{why}", waited_for=_in_vain(facts, ended_at))]
    gate = foremost(gates)
    entries = [
        TimelineEntry(now, "now", run.status, waited_for=gate.detail if gate else _AT.get(RunStatus(run.status)))
    ]
    if run.parked and run.lease_until is not None and run.lease_until > now:
        remote = facts.spec is not None and is_remote(facts.spec.target.needs)
        word, what = ("task", "its task has ended") if remote else ("callback", "the callback has come")
        entries.append(TimelineEntry(run.lease_until, word, f"attempt {run.attempt} times out unless {what}"))
    last = facts.attempts[-1].finished_at if facts.attempts else None
    if run.status == RunStatus.QUEUED and last is not None and run.due_at > last:
        entries.append(TimelineEntry(run.due_at, "due", f"attempt {run.attempt + 1}", waited_for="its backoff"))
    return entries
