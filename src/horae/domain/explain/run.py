"""The gates of a run: what a live run waits for, and which gate ended an ended one."""

from __future__ import annotations

from datetime import datetime, timedelta

from horae.domain.explain.capacity import capacity_gates, silent, worker_name
from horae.domain.explain.clock import blackout_in_words
from horae.domain.explain.definition import definition_gates
from horae.domain.explain.explanation import Gate, Meaning, brief, command, counted, distance, moment, named, span, when
from horae.domain.explain.facts import RunFacts
from horae.domain.explain.function import function_of
from horae.domain.runs.remote_task import SPARE, is_remote, task_id
from horae.domain.runs.states import RunStatus, SkipReason, Trigger, WorkerStatus
from horae.domain.runs.stuck import lost, stuck, taken_back
from horae.domain.time.blackouts import closed_until
from horae.domain.time.schedule import AfterSchedule, ManualSchedule

# A row does not say which of these it was.
_UNFIRED = "it was not fired on time (no scheduler was running, or its job was paused, or was created or changed later)"


def run_gates(facts: RunFacts) -> list[Gate]:
    status = facts.run.status
    if status == RunStatus.QUEUED:
        return _queued(facts)
    if status == RunStatus.RUNNING:
        return _running(facts)
    return _ended(facts)


# Queued


def _queued(facts: RunFacts) -> list[Gate]:
    run = facts.run
    gates = [_held(facts), _due(facts), *_broker(facts)]
    if run.start_by is not None and run.attempt == 0:
        gates.append(_start_within(facts, run.start_by))
    if facts.spec is None:
        return [*gates, _definition(facts)]
    gates += definition_gates(facts, facts.spec, run.version)
    if facts.spec.fault:
        return gates
    wanted = not any(gate.closed for gate in gates)
    needs = facts.spec.target.needs
    return gates + capacity_gates(
        facts.workers,
        queue=run.queue,
        needs=needs,
        now=facts.now,
        wanted=wanted,
        engine=facts.engines.of(run.queue),
        ahead=facts.ahead,
        paused=facts.paused_queues.get(run.queue),
    )


def _broker(facts: RunFacts) -> list[Gate]:
    """Of a queue whose runs a broker carries."""
    if not facts.engines.carried(facts.run.queue):
        return []
    trouble = next((one.trouble for one in facts.schedulers if one.trouble and one.trouble.loop == "publish"), None)
    if trouble is not None:
        away = f"it cannot be published: {trouble.reason}, since {when(trouble.since, facts.now)}"
        return [Gate("broker", "closed", away, "bring the broker back, or see HORAE_BROKER_URL of the scheduler")]
    return [Gate("broker", "open", f"the broker carries it, in the queue horae.{facts.run.queue}")]


def _held(facts: RunFacts) -> Gate:
    live = facts.live
    if not facts.run.held:
        return Gate("held", "open", "it does not have to wait for its turn")
    if facts.run.due_at > facts.now and not facts.run.attempt:
        return Gate("held", "open", "it does not count towards its job's limit until it is due")
    if live is None or not live.under_way:
        soon = "it is held, and its turn is about to come"
        return Gate("held", "closed", soon, "wait for its turn", meaning="consequence")
    ahead = [run for run in live.first if not run.held]
    behind = named((run.id for run in ahead), live.under_way)
    detail = f"it waits for its turn behind {counted(live.under_way, 'run')} under way ({behind})"
    if facts.run.trigger == Trigger.BACKFILL:
        detail += " of the same backfill"
    elif live.limit is not None:
        detail += f", of at most {live.limit}"
    if live.held_before:
        detail += f", and {counted(live.held_before, 'run')} held before it"
    found = stuck(ahead, facts)
    if found is not None:
        one, cause = found
        cancel = f"cancel that run: {command('runs', 'cancel', one.id)}"
        if facts.spec and one.waits_like(facts.run.queue, facts.spec.target.needs):
            return Gate("held", "closed", detail, f"fix what that run is stuck on, or {cancel}", meaning="consequence")
        stuck_at = f"run {one.id} is stuck: {cause.detail}; {detail}"
        return Gate("held", "closed", stuck_at, f"{cause.unblock}; or {cancel}")
    cancel = f", cancel one ({command('runs', 'cancel', ahead[0].id)})" if ahead else ""
    unblock = f"wait until one ends{cancel}, or raise the job's max_instances"
    return Gate("held", "closed", detail, unblock, meaning="consequence")


def _due(facts: RunFacts) -> Gate:
    """One gate with two names: a first attempt waits until it is due, a retry until its backoff is over."""
    run, now, due_at = facts.run, facts.now, facts.run.due_at
    if run.attempt and facts.attempts:
        last = facts.attempts[-1]
        failed = f"{_attempt(facts)} {_outcome(str(last.outcome))}: {brief(last.error)}"
        if due_at <= now:
            return Gate("backoff", "open", f"{failed}; the next was due {distance(due_at, now)}")
        cancel = f"wait, or cancel it ({command('runs', 'cancel', run.id)}) and {_again(facts)}"
        return Gate("backoff", "closed", f"{failed}; the next is due {when(due_at, now)}", cancel, due_at, "waiting")
    if due_at <= now:
        return Gate("due", "open", f"it was due {when(due_at, now)}")
    nominal = run.scheduled_for
    if nominal is not None and nominal < due_at:
        detail = f"its jitter moved it from {moment(nominal)} to {when(due_at, now)}"
    else:
        detail = f"it is for {when(due_at, now)}"
    return Gate("due", "closed", detail, "wait until then", due_at, "waiting")


def _attempt(facts: RunFacts) -> str:
    """The latest attempt; if some were interrupted, also how many count against the limit."""
    number, uncounted, limit = facts.run.attempt, facts.run.uncounted, facts.run.max_attempts
    if not uncounted:
        return f"attempt {number} of {limit}"
    return f"attempt {number} ({number - uncounted} of {limit} that count)"


def _outcome(outcome: str) -> str:
    words = {
        "timed_out": "timed out",
        "lost": "was lost",
        "interrupted": "was interrupted",
        "cancelled": "was cancelled",
    }
    return words.get(outcome, outcome)


def _start_within(facts: RunFacts, start_by: datetime) -> Gate:
    if start_by > facts.now:
        return Gate("start_within", "open", f"a worker must start it by {when(start_by, facts.now)}", until=start_by)
    detail = f"no worker started it by {when(start_by, facts.now)}: a scheduler is about to end it as expired"
    return Gate("start_within", "closed", detail, f"{_again(facts)}, or give the job a longer start_within")


def _definition(facts: RunFacts) -> Gate:
    gone = f"version {facts.run.version} of its job cannot be found"
    return Gate("definition", "closed", gone, f"cancel it: {command('runs', 'cancel', facts.run.id)}")


# Running


def _running(facts: RunFacts) -> list[Gate]:
    run, now = facts.run, facts.now
    gates = []
    if run.cancel_requested_at is not None:
        asked = f"{_canceller(facts)} asked it to stop {distance(run.cancel_requested_at, now)}"
        wait = "wait: it ends as soon as its attempt has stopped"
        gates.append(Gate("cancel", "closed", asked, wait, meaning="intended"))
    if run.started_at is None:
        name = worker_name(facts.workers, run.worker_id)
        detail = f"{name} has claimed it ahead, and starts it as soon as a slot is free or releases it"
        return [*gates, Gate("worker", "closed", detail, "wait a moment", meaning="waiting"), _lease(facts)]
    took = f"{_attempt(facts)} began {when(run.started_at, now)}"
    if run.parked:
        if facts.spec is not None and is_remote(facts.spec.target.needs):
            return [*gates, Gate("attempt", "open", took), _task(facts, facts.spec.target.needs)]
        return [*gates, Gate("attempt", "open", f"{took}, and its call was answered with 202"), _callback(facts)]
    known = facts.spec is not None and not facts.spec.fault
    limit = f", and may take {facts.spec.timeout:g} s" if facts.spec and known else ""
    return [*gates, Gate("attempt", "open", took + limit), _worker(facts), _lease(facts)]


def _callback(facts: RunFacts) -> Gate:
    run, now = facts.run, facts.now
    until = run.lease_until or now
    if until > now:
        detail = f"it is parked, and waits for its callback until {when(until, now)}"
        cancel = f"wait for the callback, or cancel it: {command('runs', 'cancel', run.id)}"
        return Gate("callback", "closed", detail, cancel, until, "waiting")
    return Gate("callback", "closed", f"no callback came by {when(until, now)}, so it has timed out", taken_back(facts))


def _task(facts: RunFacts, needs: str) -> Gate:
    """Of a task that another system executes."""
    run, now = facts.run, facts.now
    which = f"the task {task_id(run.id, run.attempt)} of Celery"
    if not any(worker.there and needs in worker.offers for worker in facts.workers):
        start = f"start a worker with {needs} in HORAE_EXECUTORS"
        return Gate("task", "closed", f"it is parked, but no live worker follows {which}", start)
    until = (run.lease_until or now) - timedelta(seconds=SPARE)
    detail = f"it is parked, and waits for the end of {which}, until {when(until, now)}"
    cancel = f"wait for the task, or cancel it: {command('runs', 'cancel', run.id)}"
    return Gate("task", "closed", detail, cancel, until, "waiting")


def _worker(facts: RunFacts) -> Gate:
    """Information in addition to the lease, which alone decides: a silent worker may still hold its lease for a
    moment."""
    run, now = facts.run, facts.now
    name = worker_name(facts.workers, run.worker_id)
    worker = next((one for one in facts.workers if one.id == run.worker_id), None)
    if worker is None:
        return Gate("worker", "unknown", f"{name} has it, but that worker is unknown")
    if not worker.there or silent(worker.heartbeat_at, now):
        return Gate("worker", "unknown", f"{name} has it, but has been silent for {span(now - worker.heartbeat_at)}")
    draining = ", which is shutting down," if worker.status == WorkerStatus.DRAINING else ""
    return Gate(
        "worker", "open", f"{name}{draining} has it, and was last heard from {distance(worker.heartbeat_at, now)}"
    )


def _lease(facts: RunFacts) -> Gate:
    until, now = facts.run.lease_until, facts.now
    held = f"its lease is valid until {when(until, now)}" if until else "it has a lease"
    return lost(until, facts.run.worker_id, facts) or Gate("lease", "open", held)


def _canceller(facts: RunFacts) -> str:
    """Who asked it to stop, if that is recorded."""
    return facts.run.cancel_requested_by or "someone"


# Ended


def _ended(facts: RunFacts) -> list[Gate]:
    run = facts.run
    if run.status == RunStatus.SKIPPED:
        return [_skipped(facts)]
    took = f" in {span_ms(run.duration_ms)}" if run.duration_ms is not None else ""
    if run.status == RunStatus.SUCCEEDED:
        return [Gate("attempts", "open", f"{_attempt(facts)} succeeded{took}")]
    if run.status == RunStatus.CANCELLED:
        how = f"during attempt {run.attempt}" if run.attempt else "before any attempt"
        detail = f"{_canceller(facts)} cancelled it {how}"
        return [Gate("cancel", "closed", detail, _again(facts), meaning="intended")]
    return [_failed(facts), _dead_letter(facts)]


def span_ms(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < 1_000 else f"{milliseconds / 1_000:.1f} s"


def _failed(facts: RunFacts) -> Gate:
    run, error = facts.run, brief(facts.run.error)
    if run.reason == "expired":
        within = f" within {facts.spec.start_within:g} s" if facts.spec and facts.spec.start_within else " in time"
        return Gate("start_within", "closed", f"no worker started it{within} (start_within)", _again(facts))
    if run.reason == "permanent":
        detail = f"{_attempt(facts)} failed, and the failure is permanent: {error}"
        return Gate("permanent", "closed", detail, f"fix the cause, then {_again(facts)}")
    if run.reason == "definition":
        gone = f"no worker could read version {run.version} of its job, or it could not be found: {error}"
        return Gate("definition", "closed", gone, f"fix the definition, then {_again(facts)}")
    detail = f"no attempts are left: {_attempt(facts)} failed: {error}"
    return Gate("attempts", "closed", detail, f"fix the cause, then {_again(facts)}")


def _dead_letter(facts: RunFacts) -> Gate:
    if facts.dead_since is None:
        return Gate("dead_letter", "info", "it is no longer a dead letter: it was redriven or discarded")
    return Gate("dead_letter", "info", f"it has been a dead letter since {when(facts.dead_since, facts.now)}")


def _skipped(facts: RunFacts) -> Gate:
    run, spec = facts.run, facts.spec
    reason = run.reason or "skipped"
    rule = f" ({spec.overlap})" if spec else ""
    catch_up = f" ({spec.catch_up})" if spec else ""
    details: dict[str, tuple[str, str | None]] = {
        SkipReason.OVERLAP: (
            f"its job was at its limit of concurrent runs, and by its rule{rule} it did not wait",
            "allow more (max_instances), or let them wait (overlap)",
        ),
        SkipReason.MISSED: (
            f"{_UNFIRED}, and the catch-up rule{catch_up} did not choose it",
            "choose another catch_up or a longer catch_up_window",
        ),
        SkipReason.DEFINITION: (
            "its job's definition could not be read when the run that it follows ended",
            "finish an upgrade that is under way, or fix the definition",
        ),
        SkipReason.DISABLED: ("its job was disabled", command("jobs", "enable", run.job_name)),
        SkipReason.FUNCTION: (
            "the function that its job calls was disabled",
            f"{command('functions', 'enable', function_of(spec) or 'NAME')} (an admin can)",
        ),
        SkipReason.PAUSED: (
            "its job was paused when the run that it follows ended, and there is nothing to catch up with",
            command("jobs", "resume", run.job_name),
        ),
        SkipReason.QUOTA: (
            "its project's quota of live runs (live_runs) was used up",
            f"wait until some have ended, or ask an admin for more: {command('projects', 'quota', 'PROJECT')} shows it",
        ),
        SkipReason.BLACKOUT: (f"it fell in {_which_blackout(facts)}", "change the schedule's blackouts"),
        SkipReason.DST_GAP: (
            "its local time did not exist on that day (clocks went forward), and dst_gap is skip",
            "set dst_gap to run_after",
        ),
    }
    detail, unblock = details.get(reason, (f"the reason on record is {reason!r}", None))
    meaning: Meaning = "doubt" if reason in (SkipReason.MISSED, SkipReason.QUOTA) else "intended"
    remedy = f"{unblock}; {_again(facts)}" if unblock else _again(facts)
    return Gate(reason, "closed", detail, remedy, meaning=meaning)


def _which_blackout(facts: RunFacts) -> str:
    schedule, at = facts.spec.schedule if facts.spec else None, facts.run.scheduled_for
    if schedule is not None and not isinstance(schedule, ManualSchedule | AfterSchedule) and at is not None:
        for blackout in schedule.blackouts:
            if closed_until([blackout], schedule.timezone, at) is not None:
                return f"the blackout {blackout_in_words(blackout, schedule.timezone)}"
    return "a blackout"


def _again(facts: RunFacts) -> str:
    return f"start another: {command('jobs', 'run', facts.run.job_name)}"
