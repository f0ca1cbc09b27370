"""The gates between a job and its next run, in the order in which they are passed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from horae.domain.explain.capacity import capacity_gates, worker_name
from horae.domain.explain.clock import after_gates, by_hand, clock_gates
from horae.domain.explain.definition import definition_gates
from horae.domain.explain.explanation import Gate, brief, command, counted, distance, moment, named, when
from horae.domain.explain.facts import EndedRun, JobFacts, LiveRun, UpstreamFact
from horae.domain.explain.function import function_gates
from horae.domain.runs.firing import Firing, Occurrence
from horae.domain.runs.gate import JobGate
from horae.domain.runs.overlap import admit
from horae.domain.runs.remote_task import is_remote
from horae.domain.runs.states import RunStatus, SkipReason
from horae.domain.runs.stuck import stuck
from horae.domain.time.schedule import AfterSchedule

WAITS = ("due", "after")  # what every healthy job waits for: if another gate is closed, these are only information
_ENDS = {"success": "to succeed", "failure": "to fail", "any": "to end"}
_PAST = {"cancelled": "was cancelled", "skipped": "was skipped"}


def job_gates(facts: JobFacts) -> list[Gate]:
    gates = [_enabled(facts), _paused(facts), *definition_gates(facts, facts.spec, facts.job.version)]
    if facts.spec.fault:  # nothing that follows from it is known
        return gates + [gate for gate in (_live(facts), _last_run(facts), _skipped(facts)) if gate is not None]
    gates += function_gates(facts)
    gates += clock_gates(facts, facts.timed) if facts.timed else _unclocked(facts)
    gates += [*_quota(facts), *_places(facts), *_capacity(facts)]
    if any(gate.closed and gate.name not in WAITS for gate in gates):
        gates = [_informing(gate) if gate.name in WAITS else gate for gate in gates]
    return gates + [gate for gate in (_live(facts), _last_run(facts), _skipped(facts)) if gate is not None]


def _informing(gate: Gate) -> Gate:
    return replace(gate, state="info" if gate.closed else gate.state, unblock=None)


# What users decided


def _enabled(facts: JobFacts) -> Gate:
    if facts.job.enabled:
        return Gate("enabled", "open", "it is enabled")
    enable = command("jobs", "enable", facts.spec.name)
    return Gate("enabled", "closed", f"it is disabled{_changed(facts)}", enable, meaning="intended")


def _paused(facts: JobFacts) -> Gate:
    until = facts.job.paused_until
    if facts.paused:
        detail = f"it is paused{f' until {moment(until)}, {distance(until, facts.now)}' if until else ''}"
        resume = command("jobs", "resume", facts.spec.name)
        return Gate("paused", "closed", detail + _changed(facts), resume, until, "intended")
    if facts.job.paused and until:
        return Gate("paused", "open", f"its pause ended {distance(until, facts.now)}")
    return Gate("paused", "open", "it is not paused")


def _changed(facts: JobFacts) -> str:
    return f" (last changed by {facts.job.updated_by}, {distance(facts.job.updated_at, facts.now)})"


def _unclocked(facts: JobFacts) -> list[Gate]:
    schedule = facts.spec.schedule
    return [*(after_gates(facts, schedule) if isinstance(schedule, AfterSchedule) else ()), _after(facts)]


def _after(facts: JobFacts) -> Gate:
    """What starts a job without a time-based schedule."""
    schedule = facts.spec.schedule
    if not isinstance(schedule, AfterSchedule):
        return Gate("due", "info", "it runs only when triggered", by_hand(facts))
    if not facts.upstream:
        detail = f"it waits for job {schedule.after.job!r}, which does not exist"
        return Gate("after", "closed", detail, f"give it another schedule, or {by_hand(facts)}")
    first = command("jobs", "run", facts.upstream[0].name)
    detail = "; ".join(_waiting(one, facts) for one in facts.upstream)
    return Gate("after", "closed", detail, f"start that job: {first}, or {by_hand(facts)}", meaning="waiting")


def _waiting(one: UpstreamFact, facts: JobFacts) -> str:
    if one.live:
        state = f"{counted(one.live, 'run')} live now"
    elif not one.enabled:
        state = "which is disabled"
    elif one.paused:
        state = "which is paused"
    elif one.last_status is None or one.last_ended_at is None:
        state = "which has never run"
    else:
        state = f"whose last run {_PAST.get(one.last_status, one.last_status)} {distance(one.last_ended_at, facts.now)}"
    return f"it waits for job {one.name!r} {_ENDS.get(one.run_on, one.run_on)}, {state}"


# Places and slots


def _quota(facts: JobFacts) -> list[Gate]:
    quota = facts.live_quota
    if quota is None or quota.limit is None:
        return []
    used = quota.used or 0
    if used < quota.limit:
        return [Gate("quota", "open", f"its project has {used:,} of at most {counted(quota.limit, 'live run')}")]
    detail = f"its project's quota of live runs ({quota.limit:,}) is used up: new runs are rejected"
    unblock = "wait until some have ended, cancel some, or ask an admin to raise the quota live_runs"
    return [Gate("quota", "closed", detail, unblock)]


def _places(facts: JobFacts) -> list[Gate]:
    live, limit, now = facts.live, facts.spec.gate_limit, facts.now
    if limit is None:
        return []
    if facts.timed is None:
        return [_max_instances(facts, limit, closed=live.held > 0)]
    # The same rule that decides when an occurrence fires.
    gate = JobGate(limit, live.under_way, live.held > 0)
    admission = admit(Firing((Occurrence(now, now),), (), None, now), facts.spec.overlap, gate)
    if admission.skipped:
        felt = facts.due or any(run.reason == SkipReason.OVERLAP for run in facts.recent[:1])
        detail = f"{_taken(facts, limit)}: by its rule ({facts.spec.overlap}) further runs are skipped"
        return [_full("overlap", facts, detail, closed=felt)]
    if admission.cancel_running:
        detail = f"{_taken(facts, limit)}: by its rule (cancel_running) a new run cancels the oldest"
        return [Gate("overlap", "open", detail)]
    does = "waits for its turn" if any(entry.held for entry in admission.admitted) else "starts immediately"
    return [
        Gate("overlap", "open", f"by its rule ({facts.spec.overlap}) a new run {does}"),
        _max_instances(facts, limit, closed=facts.due or live.held > 0),
    ]


def _max_instances(facts: JobFacts, limit: int, *, closed: bool) -> Gate:
    detail = _taken(facts, limit)
    if facts.live.held:
        detail += f"; {counted(facts.live.held, 'run')} held"
    if facts.live.under_way < limit:
        return Gate("max_instances", "open", detail)
    return _full("max_instances", facts, detail, closed=closed)


def _full(name: str, facts: JobFacts, detail: str, *, closed: bool) -> Gate:
    """All places are taken. That is never the root cause: the runs in them end, unless one is stuck; then the cause of
    that comes first. If the job's own gates do not show it (the definition changed after the run was queued, or its
    worker is lost), this one does."""
    if not closed:
        return Gate(name, "info", detail)
    found = stuck(_under_way(facts), facts)
    if found is None:
        return Gate(name, "closed", detail, _way_out(facts), meaning="consequence")
    run, cause = found
    cancel = f"cancel that run: {command('runs', 'cancel', run.id)}"
    if run.waits_like(facts.spec.queue, facts.spec.target.needs):
        return Gate(name, "closed", detail, f"fix what that run is stuck on, or {cancel}", meaning="consequence")
    return Gate(name, "closed", f"run {run.id} is stuck: {cause.detail}; {detail}", f"{cause.unblock}; or {cancel}")


def _taken(facts: JobFacts, limit: int) -> str:
    number = facts.live.under_way
    which = named((_one_live(run, facts) for run in _under_way(facts)), number)
    return f"{number} of at most {counted(limit, 'run')} under way{f' ({which})' if number else ''}"


def _way_out(facts: JobFacts) -> str:
    first = next(iter(_under_way(facts)), None)
    cancel = f", cancel it ({command('runs', 'cancel', first.id)})" if first else ""
    return f"wait until a run ends{cancel}, or allow more (max_instances, overlap)"


def _under_way(facts: JobFacts) -> list[LiveRun]:
    return [run for run in facts.live.first if not run.held]


def _capacity(facts: JobFacts) -> list[Gate]:
    ready = (run for run in _under_way(facts) if run.status == RunStatus.QUEUED)
    wanted = facts.due or any(run.due_at <= facts.now for run in ready)
    spec = facts.spec
    return capacity_gates(
        facts.workers,
        queue=spec.queue,
        needs=spec.target.needs,
        now=facts.now,
        wanted=wanted,
        engine=facts.engines.of(spec.queue),
        paused=facts.paused_queues.get(spec.queue),
    )


# The present and the past


def _live(facts: JobFacts) -> Gate | None:
    live = facts.live
    if not live.first:
        return None
    return Gate("runs", "info", named((_one_live(run, facts) for run in live.first), live.under_way + live.held))


def _one_live(run: LiveRun, facts: JobFacts) -> str:
    if run.parked and run.started_at is not None:
        what = "the end of its task" if is_remote(run.needs) else "its callback"
        return f"{run.id} started {distance(run.started_at, facts.now)}, and waits for {what}"
    if run.status == RunStatus.RUNNING and run.started_at is not None:
        where = worker_name(facts.workers, run.worker_id)
        if run.started_at > facts.now:
            return f"{run.id} claimed ahead by {where}, waits for one of its slots"
        return f"{run.id} started {distance(run.started_at, facts.now)} on {where}"
    if run.due_at <= facts.now or (run.held and run.attempt):
        return f"{run.id} {'held' if run.held else 'queued'}, created {distance(run.created_at, facts.now)}"
    waits = f"backing off after attempt {run.attempt} until" if run.attempt else "scheduled for"
    return f"{run.id} {waits} {when(run.due_at, facts.now)}"


def _last_run(facts: JobFacts) -> Gate | None:
    last = next((run for run in facts.recent if run.status != RunStatus.SKIPPED), None)
    if last is None:
        return None
    detail = f"{last.id} {_PAST.get(last.status, last.status)} {distance(last.finished_at, facts.now)}"
    if last.status == RunStatus.FAILED:
        detail += f": {brief(last.error)}"
    return Gate("last_run", "info", detail)


def _skipped(facts: JobFacts) -> Gate | None:
    """Only from recent history: an explanation never reads all of it."""
    rows = [run for run in facts.recent if run.status == RunStatus.SKIPPED]
    if not rows:
        return None
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row.reason or "no reason"] += row.occurrences
    since = min(row.scheduled_for or row.finished_at for row in rows)
    total = counts.total()
    return Gate(
        "skipped",
        "info",
        f"{counted(total, 'occurrence')} {'was' if total == 1 else 'were'} skipped since {moment(since)}: "
        + ", ".join(f"{reason} {count}" for reason, count in counts.most_common()),
    )


def latest_skipped(facts: JobFacts) -> EndedRun | None:
    """The latest occurrence, if it was skipped and nothing has run since."""
    latest = facts.recent[0] if facts.recent else None
    return latest if latest and latest.status == RunStatus.SKIPPED and not facts.live.first else None
