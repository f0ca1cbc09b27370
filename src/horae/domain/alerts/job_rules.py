"""Rules about single jobs: those that are on by default, and those that a definition sets (`alert`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Protocol

from horae.domain.alerts.alert import AlertAction, Finding, Severity, Subject
from horae.domain.alerts.daily import day_of
from horae.domain.alerts.facts import OverdueJob, UnknownSecret, WaitingJob, WatchedJob, WatchFacts
from horae.domain.explain.explanation import brief, command, counted, moment, span
from horae.domain.runs.states import RunStatus

MOST_LATE = 100  # jobs of a project that are named unless asked for: the queue's alert covers the others
_ENDED = (RunStatus.SUCCEEDED, RunStatus.FAILED)


def failing(facts: WatchFacts) -> Iterator[Finding]:
    for job in facts.failing:
        limit = facts.failing_limit(job)
        if not limit or job.streak < limit:
            continue
        since, error = job.since or facts.now, facts.errors.get(job.last_run_id or "")
        yield _of(
            job,
            "failing",
            severity="critical",
            title=f"{job.name} failed" + (f" {job.streak} times in a row" if job.streak > 1 else ""),
            why=f"No run has succeeded since {moment(since)}.{f' Last error: {brief(error)}' if error else ''}",
            action=AlertAction(
                "Read the log of the last run, fix the cause, then run the job again",
                f"/runs/{job.last_run_id}" if job.last_run_id else f"/jobs/{job.job_id}",
            ),
            since=since,
        )


def late(facts: WatchFacts) -> Iterator[Finding]:
    """Due and not started: its run waits in the queue, or has not even been fired."""
    since: dict[str, tuple[datetime, WaitingJob | OverdueJob]] = {one.job_id: (one.since, one) for one in facts.waiting}
    for due in facts.overdue:
        since.setdefault(due.job_id, (due.due_at, due))
    named = Counter[str]()
    for at, job in sorted(since.values(), key=lambda one: one[0]):
        limit = facts.late_limit(job.project_id, job.job_id)
        if not limit or facts.now - at < timedelta(seconds=limit):
            continue
        if not facts.explicit_late(job.job_id):
            named[job.project_id] += 1
            if named[job.project_id] > MOST_LATE:
                continue
        yield _of(
            job,
            "late",
            severity="warning",
            title=f"{job.name} is {span(facts.now - at)} late",
            why=f"It was due at {moment(at)} and has not started.",
            action=AlertAction(f"See what it waits for: {command('why', job.name)}", f"/jobs/{job.job_id}"),
            since=at,
            explains=True,
        )


def stuck(facts: WatchFacts) -> Iterator[Finding]:
    limit = facts.thresholds.stuck
    for run in facts.stuck:
        if limit and facts.now - run.since >= timedelta(seconds=limit):
            yield _of(
                run,
                "stuck",
                severity="critical",
                title=f"A run of {run.name} is stuck",
                why=f"Its worker is lost: the lease ran out {span(facts.now - run.since)} ago, and no scheduler has "
                "recovered the run.",
                action=AlertAction("Recover it: horae runs reset-stuck", f"/runs/{run.run_id}"),
                since=run.since,
            )


def secret_missing(facts: WatchFacts) -> Iterator[Finding]:
    for one in facts.secrets:
        yield lacking(one, facts.now)


def lacking(one: UnknownSecret, now: datetime) -> Finding:
    return _of(
        one,
        "secret_missing",
        severity="critical",
        title=f"{one.name} needs the secret {one.secret}, which does not exist",
        why="Every run fails until the secret is set or the job no longer names it.",
        action=AlertAction(f"Set it: horae secrets set {one.secret}", "/settings/secrets"),
        since=now,
    )


def watched(facts: WatchFacts) -> Iterator[Finding]:
    """The rules that definitions set."""
    running = {run.job_id: run for run in sorted(facts.long, key=lambda one: one.since, reverse=True)}
    for run in running.values():
        yield _too_long(
            run, run.limit_ms, facts.now - run.since, run.since, f"/runs/{run.run_id}", "has been running for"
        )
    for job in facts.watched:
        limit, took = job.rules.longer_than, timedelta(milliseconds=job.last_duration_ms or 0)
        if limit is not None and job.job_id not in running and _exceeded(job, limit):
            since = job.last_run_at or job.created_at
            yield _too_long(job, limit * 1000, took, since, f"/runs/{job.last_run_id}", "took")
        yield from _too_short(job)
        yield from _not_done_by(job, facts.now)
        yield from _no_success(job, facts.now)
        yield from _missed(job)
        yield from _over_budget(job, facts)


def _exceeded(job: WatchedJob, limit: float) -> bool:
    return job.last_status in _ENDED and (job.last_duration_ms or 0) > limit * 1000


def _too_long(job: _Named, limit_ms: float, took: timedelta, since: datetime, path: str, verb: str) -> Finding:
    return _of(
        job,
        "took_too_long",
        title=f"{job.name} {verb} {span(took)}",
        why=f"It should take no more than {span(timedelta(milliseconds=limit_ms))}.",
        action=AlertAction("Read its log to see what takes so long", path),
        since=since,
    )


def _too_short(job: WatchedJob) -> Iterator[Finding]:
    limit, took = job.rules.shorter_than, job.last_duration_ms
    if limit is None or took is None or job.last_status != RunStatus.SUCCEEDED or took >= limit * 1000:
        return
    yield _of(
        job,
        "too_short",
        title=f"{job.name} succeeded after only {span(timedelta(milliseconds=took))}",
        why=f"It should take at least {span(timedelta(seconds=limit))}: it may have done nothing.",
        action=AlertAction("Read the log of the last run", f"/runs/{job.last_run_id}"),
        since=job.last_run_at or job.created_at,
    )


def _not_done_by(job: WatchedJob, now: datetime) -> Iterator[Finding]:
    """Broken from that time of day until midnight in the schedule's zone, unless it has succeeded since midnight. Days
    on which nothing was due do not count."""
    if job.rules.done_by is None:
        return
    day = day_of(now, job.rules.done_by, job.rules.timezone)
    if day is None or now < day.deadline or job.created_at >= day.deadline:
        return
    if job.last_success_at is not None and job.last_success_at >= day.midnight:
        return
    fired, coming = job.fired_through, job.next_run_at
    was_due = (fired is not None and fired >= day.midnight) or (coming is not None and coming <= day.deadline)
    if (fired or coming) and not was_due:
        return
    last = f"It last succeeded at {moment(job.last_success_at)}." if job.last_success_at else "It has never succeeded."
    yield _of(
        job,
        "not_done",
        severity="critical",
        title=f"{job.name} is not done by {job.rules.done_by}",
        why=last,
        action=AlertAction(f"See what happened: {command('why', job.name)}", f"/jobs/{job.job_id}"),
        since=day.deadline,
        explains=True,
    )


def _no_success(job: WatchedJob, now: datetime) -> Iterator[Finding]:
    limit, since = job.rules.no_success_for, job.last_success_at or job.created_at
    if limit is None or now - since < timedelta(seconds=limit):
        return
    yield _of(
        job,
        "no_success",
        severity="critical",
        title=f"{job.name} has not succeeded for {span(now - since)}",
        why=f"It should succeed at least every {span(timedelta(seconds=limit))}."
        + ("" if job.last_success_at else " It has never succeeded."),
        action=AlertAction(f"See what happened: {command('why', job.name)}", f"/jobs/{job.job_id}"),
        since=since + timedelta(seconds=limit),
        explains=True,
    )


def _missed(job: WatchedJob) -> Iterator[Finding]:
    """Until the next run has ended."""
    missed = job.missed_at
    if not job.rules.missed or missed is None or (job.last_run_at is not None and job.last_run_at > missed):
        return
    yield _of(
        job,
        "missed",
        title=f"{job.name} missed an occurrence",
        why=f"At {moment(missed)} an occurrence was skipped because it had not been fired in time.",
        action=AlertAction("Run it now, or fill the gap with a backfill", f"/jobs/{job.job_id}"),
        since=missed,
        explains=True,
    )


def _over_budget(job: WatchedJob, facts: WatchFacts) -> Iterator[Finding]:
    budget = job.rules.failure_budget
    if budget is None:
        return
    begins = (facts.now - timedelta(seconds=budget.within)).replace(minute=0, second=0, microsecond=0)
    failed = sum(runs for hour, runs in facts.failures.get(job.job_id, {}).items() if hour >= begins)
    if failed < budget.failures:
        return
    within = span(timedelta(seconds=budget.within))
    yield _of(
        job,
        "failure_budget",
        title=f"{job.name} has used up its budget of failures",
        why=f"{counted(failed, 'run')} failed within {within}; the budget is {budget.failures}.",
        action=AlertAction("See why they failed", f"/jobs/{job.job_id}"),
        since=job.last_failure_at or facts.now,
    )


class _Named(Protocol):
    @property
    def project_id(self) -> str: ...
    @property
    def job_id(self) -> str: ...
    @property
    def name(self) -> str: ...


def _of(
    job: _Named,
    rule: str,
    *,
    title: str,
    why: str,
    action: AlertAction,
    since: datetime,
    severity: Severity = "warning",
    explains: bool = False,
) -> Finding:
    subject = Subject("job", job.job_id, job.name)
    return Finding(rule, severity, subject, title, why, action, since, job.project_id, explains=explains)
