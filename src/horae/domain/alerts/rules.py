"""The rules: what is wrong, given the facts. Each says what, since when, why, and the one thing to do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from horae.domain.alerts.alert import INSTALLATION, Action, Finding, Subject
from horae.domain.alerts.facts import Facts, FailingJob
from horae.domain.alerts.thresholds import Thresholds
from horae.domain.explain.explanation import brief, counted, span
from horae.domain.runs.stranded import Stranded, why_stranded

_NOBODY_AFTER = timedelta(minutes=1)  # workers are restarted


def evaluate(facts: Facts, thresholds: Thresholds) -> list[Finding]:
    return [finding for rule in RULES.values() for finding in rule(facts, thresholds)]


def no_worker(facts: Facts, thresholds: Thresholds) -> Iterator[Finding]:
    if not thresholds.no_worker or any(worker.there for worker in facts.workers):
        return
    since = max((worker.heartbeat_at for worker in facts.workers), default=facts.founded_at)
    if facts.now - since < timedelta(seconds=thresholds.no_worker):
        return
    yield Finding(
        rule="no_worker",
        severity="critical",
        subject=INSTALLATION,
        title="No worker is online",
        why=f"The last heartbeat of any worker came {span(facts.now - since)} ago, so nothing that is due starts."
        if facts.workers
        else "No worker is registered, so nothing that is due starts.",
        action=Action("Start a worker: horae worker", "/workers"),
        since=since,
    )


def nobody_can_take(facts: Facts, thresholds: Thresholds) -> Iterator[Finding]:
    waiting: dict[tuple[str, str], list[Stranded]] = {}
    for one in facts.stranded:
        waiting.setdefault((one.project_id, one.queue), []).append(one)
    for (project_id, queue), groups in waiting.items():
        first = min(groups, key=lambda one: one.since)
        if facts.now - first.since < _NOBODY_AFTER:
            continue
        cause = why_stranded(first.queue, first.needs, facts.workers, facts.now)
        runs = sum(one.runs for one in groups)
        yield Finding(
            rule="nobody_can_take",
            severity="critical",
            subject=Subject("queue", queue, queue),
            title=f"{counted(runs, 'run')} in queue {queue!r} cannot be executed by any worker",
            why=f"{_sentence(cause.detail)} The first has been waiting for {span(facts.now - first.since)}.",
            action=Action(_sentence(cause.unblock or "start a worker that can"), "/workers"),
            since=first.since,
            project_id=project_id,
        )


def failing(facts: Facts, thresholds: Thresholds) -> Iterator[Finding]:
    for job in facts.failing:
        if thresholds.failing and job.streak >= thresholds.failing:
            yield _failing(job, facts)


def _failing(job: FailingJob, facts: Facts) -> Finding:
    since = job.since or facts.now
    error = (facts.errors or {}).get(job.last_run_id or "")
    last = f" Last error: {brief(error)}" if error else ""
    run = f"/runs/{job.last_run_id}" if job.last_run_id else f"/jobs/{job.job_id}"
    return Finding(
        rule="failing",
        severity="critical",
        subject=Subject("job", job.job_id, job.name),
        title=f"{job.name} failed {counted(job.streak, 'time')} in a row",
        why=f"No run has succeeded for {span(facts.now - since)}.{last}",
        action=Action("Read the log of the last run, fix the cause, then run the job again", run),
        since=since,
        project_id=job.project_id,
    )


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}{'' if clause.endswith('.') else '.'}"


RULES = {"no_worker": no_worker, "nobody_can_take": nobody_can_take, "failing": failing}
