"""Rules about the installation and its projects. Members of every project see alerts about the installation: they name
no job, queue or project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from horae.domain.alerts.alert import INSTALLATION, AlertAction, Finding, Subject
from horae.domain.alerts.facts import WaitingJob, WatchFacts
from horae.domain.cluster.process import SchedulerRecord
from horae.domain.cluster.trouble import Trouble
from horae.domain.explain.explanation import counted, span
from horae.domain.runs.states import SchedulerStatus
from horae.domain.runs.stranded import Stranded, why_stranded
from horae.domain.text.sentence import sentence

NO_SCHEDULER_AFTER = timedelta(minutes=1)
_PATIENCE = timedelta(minutes=1)  # time in which processes restart
_SAMPLE = 20  # runs that must have ended before their failure rate says anything
_FIX = "See with horae doctor which ones, read their log, and restart them once it is fixed"
_FIXES = {
    "database": "Look at the database: what holds locks, whether it takes connections and writes. They go on by "
    "themselves once it does"
}
_DATABASE = ("ConnectionLost", "StoreUnavailable", "StoreRefused", "TryAgain")  # errors of the database


def no_worker(facts: WatchFacts) -> Iterator[Finding]:
    limit = facts.thresholds.no_worker
    if not limit or any(worker.there for worker in facts.workers):
        return
    since = max((worker.heartbeat_at for worker in facts.workers), default=facts.founded_at)
    if facts.now - since < timedelta(seconds=limit):
        return
    last = f"The last heartbeat of a worker came {span(facts.now - since)} ago"
    yield Finding(
        rule="no_worker",
        severity="critical",
        subject=INSTALLATION,
        title="No worker is online",
        why=f"{last if facts.workers else 'No worker is registered'}, so nothing that is due starts.",
        action=AlertAction("Start a worker: horae worker", "/workers"),
        since=since,
    )


def no_scheduler(now: datetime, absent_since: datetime, schedulers: Sequence[SchedulerRecord]) -> Iterator[Finding]:
    """Evaluated by `serve`: no scheduler can see that there is none. One that stopped in an orderly way leaves no
    heartbeat behind; then `absent_since` says since when none has been registered."""
    if any(one.status != SchedulerStatus.OFFLINE for one in schedulers):
        return
    since = max((one.heartbeat_at for one in schedulers), default=absent_since)
    if now - since < NO_SCHEDULER_AFTER:
        return
    last = f"The last heartbeat of a scheduler came {span(now - since)} ago"
    yield Finding(
        rule="no_scheduler",
        severity="critical",
        subject=INSTALLATION,
        title="No scheduler is running",
        why=f"{last if schedulers else 'No scheduler is registered'}: schedules do not fire, runs of lost workers are "
        "not recovered, and no other alert is evaluated.",
        action=AlertAction("Start a scheduler: horae scheduler", "/workers?tab=schedulers"),
        since=since,
    )


def not_fired(facts: WatchFacts) -> Iterator[Finding]:
    limit = facts.thresholds.not_fired
    if not limit or not facts.overdue:
        return
    since = min(job.due_at for job in facts.overdue)
    if facts.now - since < timedelta(seconds=limit):
        return
    yield Finding(
        rule="not_fired",
        severity="critical",
        subject=INSTALLATION,
        title="Schedules do not fire on time",
        why=f"The oldest occurrence that is due and has not been fired was due {span(facts.now - since)} ago.",
        action=AlertAction("Read the log of the schedulers, and see what horae doctor says", "/workers?tab=schedulers"),
        since=since,
    )


def nobody_can_take(facts: WatchFacts) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[Stranded]] = {}
    for one in facts.stranded:
        groups.setdefault((one.project_id, one.queue), []).append(one)
    for (project_id, queue), same in groups.items():
        first = min(same, key=lambda one: one.since)
        if facts.now - first.since < _PATIENCE:
            continue
        cause = why_stranded(first.queue, first.needs, facts.workers, facts.now, facts.engines)
        runs, fix = sum(one.runs for one in same), cause.unblock or "start a worker that can"
        yield Finding(
            rule="nobody_can_take",
            severity="critical",
            subject=Subject("queue", queue, queue),
            title=f"No worker can execute {counted(runs, 'run')} in queue {queue!r}",
            why=f"{sentence(cause.detail)} The first has been waiting for {span(facts.now - first.since)}.",
            action=AlertAction(fix[:1].upper() + fix[1:], "/workers"),
            since=first.since,
            project_id=project_id,
        )


def queued(facts: WatchFacts) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[WaitingJob]] = {}
    for job in facts.waiting:
        groups.setdefault((job.project_id, job.queue), []).append(job)
    for (project_id, queue), waiting in groups.items():
        limit, since = facts.queued_limit(project_id), min(job.since for job in waiting)
        if not limit or facts.now - since < timedelta(seconds=limit):
            continue
        runs, jobs = waiting[0].queue_runs, waiting[0].queue_jobs
        yield Finding(
            rule="queued",
            severity="warning",
            subject=Subject("queue", queue, queue),
            title=f"Runs in queue {queue!r} have been waiting for {span(facts.now - since)}",
            why=f"Due and not started: {counted(runs, 'run')} of {counted(jobs, 'job')}.",
            action=AlertAction(
                "Add workers or slots, or run `horae why` to see what the first run waits for", "/workers?tab=queues"
            ),
            since=since,
            project_id=project_id,
        )


def failure_rate(facts: WatchFacts) -> Iterator[Finding]:
    for one in facts.outcomes:
        limit = facts.rate_limit(one.project_id)
        rate = 100 * one.failed / one.ended if one.ended else 0
        if not limit or one.ended < _SAMPLE or rate <= limit:
            continue
        yield Finding(
            rule="failure_rate",
            severity="warning",
            subject=Subject("project", one.project_id, one.slug),
            title=f"{rate:.0f} % of recent runs failed",
            why=f"{one.failed} of {one.ended} runs that ended in this hour and the last failed; the limit is "
            f"{limit:g} %.",
            action=AlertAction("See what causes most of the failures", "/dead-letters"),
            since=facts.now,
            project_id=one.project_id,
        )


def dead_letters(facts: WatchFacts) -> Iterator[Finding]:
    for one in facts.dead_letters:
        limit = facts.dead_limit(one.project_id)
        if not limit or one.failed < limit:
            continue
        yield Finding(
            rule="dead_letters",
            severity="warning",
            subject=Subject("project", one.project_id, one.slug),
            title=f"{counted(one.failed, 'new dead letter')} within an hour",
            why="Failed runs arrive faster than they are redriven or discarded.",
            action=AlertAction("Fix the most frequent cause, then redrive its group", "/dead-letters"),
            since=facts.now,
            project_id=one.project_id,
        )


def failing_loops(facts: WatchFacts) -> Iterator[Finding]:
    """Processes that are alive and report that a loop keeps failing, by what that means."""
    groups: dict[str, list[Trouble]] = {}
    alive = [one.trouble for one in facts.workers if one.there]
    alive += [one.trouble for one in facts.schedulers if one.status != SchedulerStatus.OFFLINE]
    for trouble in alive:
        if trouble is not None and facts.now - trouble.since >= _PATIENCE:
            database = trouble.reason.partition(":")[0] in _DATABASE
            rule = "database" if database else "claims_failing" if trouble.loop == "claim" else "loop_failing"
            groups.setdefault(rule, []).append(trouble)
    for rule, troubles in groups.items():
        first = min(troubles, key=lambda one: one.since)
        what = {"database": "to use the database", "claims_failing": "to claim runs"}.get(rule, f"to {first.task}")
        number = counted(len(troubles), "process") if len(troubles) == 1 else f"{len(troubles)} processes"
        reason = first.reason.partition(": ")[2] if rule == "database" else ""
        yield Finding(
            rule=rule,
            severity="warning" if rule == "loop_failing" else "critical",
            subject=INSTALLATION,
            title=f"{number} {'keeps' if len(troubles) == 1 else 'keep'} failing {what}",
            why=f"For {span(facts.now - first.since)} now: {reason or first.reason}",
            action=AlertAction(_FIXES.get(rule, _FIX), "/workers"),
            since=first.since,
        )


def disk(facts: WatchFacts) -> Iterator[Finding]:
    limit, found = facts.thresholds.disk, facts.disk
    if not limit or found is None or not found.total or 100 * found.free / found.total >= limit:
        return
    free = f"{found.free / 2**30:.1f} GiB" if found.free >= 2**30 else f"{found.free / 2**20:.0f} MiB"
    share = f"{100 * found.free / found.total:.0f} %"
    yield Finding(
        rule="disk",
        severity="critical",
        subject=INSTALLATION,
        title="The disk of the database is filling up",
        why=f"{free} ({share}) are free where the SQLite file is. When it is full, nothing can be written.",
        action=AlertAction("Free some space, or shorten HORAE_RETENTION and HORAE_LOG_RETENTION", "/"),
        since=facts.now,
    )


def partitions(facts: WatchFacts) -> Iterator[Finding]:
    if not facts.missing_partitions:
        return
    yield Finding(
        rule="partitions",
        severity="warning",
        subject=INSTALLATION,
        title="Partitions for the coming month are missing",
        why=f"{', '.join(facts.missing_partitions)} should have been created long ago. Runs go to the default "
        "partition instead, which retention cannot drop.",
        action=AlertAction(
            "End what holds a long lock on the table, such as a backup or an open transaction",
            "/workers?tab=schedulers",
        ),
        since=facts.now,
    )
