"""Alert evaluation: gathers the facts for the rules, and finds what changes. Read-only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from horae.domain.alerts.alert import Finding
from horae.domain.alerts.facts import AlertSubjects, Disk, FailingJob, LastError, UnknownSecret, WatchedJob, WatchFacts
from horae.domain.alerts.installation_rules import NO_SCHEDULER_AFTER, failing_loops, no_scheduler
from horae.domain.alerts.rules import NO_SCHEDULER, PROCESS_RULES, RULES, evaluate
from horae.domain.alerts.thresholds import Thresholds
from horae.domain.alerts.transition import Changes, transitions
from horae.domain.alerts.turns import in_turn
from horae.domain.errors import NotFound
from horae.domain.explain.explanation import Explanation, doubtful
from horae.domain.explain.job import WAITS
from horae.domain.runs.engine_choice import DATABASE_ONLY, EngineChoice
from horae.domain.runs.stranded import PATIENCE, unserved
from horae.domain.secrets.secret import missing_name
from horae.lifecycle.explain import explain_job
from horae.lifecycle.queues import current_engines
from horae.ports import Transaction

_ERRORS = 200  # last errors to look up
_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Eyes:
    """The evaluator's parameters: thresholds, and when a process counts as gone."""

    thresholds: Thresholds
    offline_after: float
    shard_lease: float
    engines: EngineChoice = DATABASE_ONLY  # of the settings


async def watch(tx: Transaction, *, eyes: Eyes, disk: Disk | None = None) -> Changes:
    there = await tx.alert_facts.present()
    facts = await gather(tx, eyes, there, disk)
    return transitions(await tx.alerts.standing(RULES) if there.alerts else [], evaluate(facts), facts.now)


async def watch_processes(tx: Transaction, *, eyes: Eyes) -> Changes:
    """What processes report, and nothing else: for when the other facts cannot be read, because a table is locked."""
    now, standing = await tx.now(), await tx.alerts.standing(PROCESS_RULES)
    schedulers = tuple(await tx.processes.schedulers(eyes.shard_lease))
    workers = tuple(await tx.processes.workers(eyes.offline_after))
    facts = WatchFacts(now, now, eyes.thresholds, workers=workers, schedulers=schedulers)
    return transitions(standing, failing_loops(facts), now)


async def watch_schedulers(
    tx: Transaction, *, shard_lease: float, absent_since: datetime | None
) -> tuple[Changes, datetime | None]:
    """For `serve`, which keeps running when the last scheduler is gone. Takes and returns since when it has seen none
    registered: during a restart there is none for some seconds, which is nothing to wake anyone up for."""
    now = await tx.now()
    schedulers = await tx.processes.schedulers(shard_lease)
    standing = await tx.alerts.standing([NO_SCHEDULER])
    if schedulers:
        absent_since = None
    elif absent_since is None:
        absent_since = now - NO_SCHEDULER_AFTER if standing else now  # another `serve` has waited already
    found = no_scheduler(now, absent_since or now, schedulers)
    return transitions(standing, found, now), absent_since


async def gather(tx: Transaction, eyes: Eyes, there: AlertSubjects, disk: Disk | None = None) -> WatchFacts:
    """Asks only about what is there."""
    facts, limits = tx.alert_facts, eyes.thresholds
    now = await tx.now()
    workers = await tx.processes.workers(eyes.offline_after)
    wants, engines = await tx.queues.wants(), await current_engines(tx, eyes.engines)
    by_project = await facts.projects() if there.projects else {}
    watched = await facts.watched(now) if there.settings else []
    failing = await facts.failing() if there.failing else []
    least_late = await facts.least_late() if there.settings else None
    lateness = _least(limits.late, least_late, *(one.late for one in by_project.values()))
    waits = _least(lateness, limits.queued, *(one.queued for one in by_project.values()))
    overdue = _least(lateness, limits.not_fired)
    waiting = await facts.waiting(wants, waits) if waits else []
    unfired = await facts.overdue(overdue) if overdue and there.due else []
    errors = await _errors(tx, failing)
    hour = now.replace(minute=0, second=0, microsecond=0)
    return WatchFacts(
        now=now,
        founded_at=await facts.founded_at(),
        thresholds=limits,
        by_project=by_project,
        by_job=await facts.rules({job.job_id for jobs in (failing, waiting, unfired) for job in jobs}),
        workers=tuple(workers),
        engines=engines,
        schedulers=tuple(await tx.processes.schedulers(eyes.shard_lease)),
        stranded=tuple(await tx.queues.stranded(unserved(wants, workers, engines), PATIENCE)),
        waiting=tuple(waiting),
        overdue=tuple(unfired),
        stuck=tuple(await facts.stuck(limits.stuck)) if limits.stuck and there.running else (),
        long=tuple(await facts.long()) if there.settings and there.running else (),
        failing=tuple(failing),
        errors=errors,
        watched=tuple(watched),
        failures=await _failures(tx, watched, now),
        outcomes=tuple(await facts.outcomes(hour - timedelta(hours=1))),
        dead_letters=tuple(await facts.new_dead_letters(_HOUR)) if there.dead_letters else (),
        secrets=tuple(await _secrets(tx, failing, errors, standing=there.alerts)),
        disk=disk,
        missing_partitions=tuple(await facts.missing_partitions()),
    )


def _least(*limits: float | None) -> float:
    """The shortest of those that are on; 0 if none is."""
    return min((limit for limit in limits if limit), default=0.0)


async def _errors(tx: Transaction, failing: Sequence[FailingJob]) -> dict[str, str | None]:
    """Of the longest streaks of each project; by primary key."""
    worst = in_turn(sorted(failing, key=lambda job: -job.streak))[:_ERRORS]
    last = [job.last_run_id for job in worst if job.last_run_id is not None]
    return {run.id: run.error for run in await tx.history.pick(LastError, last)}


async def _failures(tx: Transaction, watched: Sequence[WatchedJob], now: datetime) -> dict[str, dict[datetime, int]]:
    """Only for jobs with a budget that have failed within it."""
    since, jobs = now, []
    for job in watched:
        budget = job.rules.failure_budget
        if budget is not None and job.last_failure_at is not None:
            begins = (now - timedelta(seconds=budget.within)).replace(minute=0, second=0, microsecond=0)
            if job.last_failure_at >= begins:
                jobs.append(job.job_id)
                since = min(since, begins)
    return await tx.alert_facts.failures(jobs, since)


async def _secrets(
    tx: Transaction, failing: Sequence[FailingJob], errors: dict[str, str | None], *, standing: bool
) -> list[UnknownSecret]:
    """Secrets missing from jobs that failed because of that, and from those with an alert that already says so, if
    there are alerts."""
    asked = {(job.job_id, job.version): (job.project_id, job.name) for job in failing if _lacks(job, errors)}
    for project_id, job_id, name, version in await tx.alert_facts.subjects("secret_missing") if standing else ():
        asked[job_id, version] = (project_id, name)
    named = [
        UnknownSecret(asked[pair][0], pair[0], asked[pair][1], secret)
        for pair, spec in (await tx.jobs.definitions(asked)).items()
        for secret in sorted(spec.target.secrets)
    ]
    return await tx.alert_facts.unknown_secrets(named)


def _lacks(job: FailingJob, errors: dict[str, str | None]) -> bool:
    return missing_name(errors.get(job.last_run_id or "")) is not None


async def explained(tx: Transaction, findings: Sequence[Finding], *, eyes: Eyes) -> list[Finding]:
    """The same findings, with what `explain` says about their jobs."""
    return [await _explained(tx, finding, eyes) for finding in findings]


async def _explained(tx: Transaction, finding: Finding, eyes: Eyes) -> Finding:
    assert finding.project_id is not None
    try:
        found = await explain_job(
            tx,
            project_id=finding.project_id,
            ref=finding.subject.id,
            offline_after=eyes.offline_after,
            engines=eyes.engines,
        )
    except NotFound:  # deleted meanwhile
        return finding
    return replace(finding, why=f"{finding.why} {_reason(found)}".rstrip(), explains=False)


def _reason(found: Explanation) -> str:
    """What blocks the job or keeps it busy. If nothing does, how its last run ended: an alert must not say that the job
    is fine."""
    gates = {gate.name: gate for gate in found.gates}
    idle = found.cause is None or (found.cause.name in WAITS and found.level != "problem")
    if not idle or doubtful(found.gates) or "runs" in gates:
        return found.summary
    return f"Last run: {gates['last_run'].detail}." if "last_run" in gates else ""
