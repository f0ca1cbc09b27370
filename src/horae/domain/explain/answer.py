"""Why a job or a run does, did or does not run: facts in, explanation out. Pure: lifecycle/explain.py has the facts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from horae.domain.explain.explanation import Explanation, Gate, besides, distance, doubtful, foremost, moment
from horae.domain.explain.facts import JobFacts, RunFacts
from horae.domain.explain.job import WAITS, job_gates, latest_skipped
from horae.domain.explain.run import run_gates
from horae.domain.runs.states import RunStatus
from horae.domain.runs.timeline import timeline

_SOON = timedelta(seconds=60)


def explain_job(facts: JobFacts) -> Explanation:
    gates = job_gates(facts)
    return Explanation(facts.now, f"{_job_sentence(facts, gates)}.", tuple(gates))


def _job_sentence(facts: JobFacts, gates: Sequence[Gate]) -> str:
    subject, skipped = f"Job {facts.spec.name!r}", _lately(facts)
    gate = foremost(gates)
    if gate is not None and gate.name in WAITS:
        doubt = doubtful(gates)
        if doubt is not None:
            return f"{subject} is waiting, and might not run even then: {gate.detail}; {doubt.detail}{skipped}"
        live = _named(gates, "runs")
        if live is not None:
            return f"{subject} {_busy(facts)}: {live.detail}; {gate.detail}"
        if gate.level == "problem":
            return f"{subject} is blocked: {gate.detail}{skipped}"
        return f"{subject} is fine and waiting: {gate.detail}{skipped}"
    if gate is not None:
        return f"{subject} {_BLOCKED.get(gate.level, 'is blocked')}: {gate.detail}{besides(gates, gate)}{skipped}"
    return _free(subject, facts, gates) + skipped


_BLOCKED = {"intended": "starts no new run", "waiting": "must wait"}


def _free(subject: str, facts: JobFacts, gates: Sequence[Gate]) -> str:
    """The sentence where no gate is closed."""
    doubt, live = doubtful(gates), _named(gates, "runs")
    if doubt is not None:
        return f"{subject} might not run: {doubt.detail}"
    if live is not None:
        return f"{subject} {_busy(facts)}: {live.detail}"
    if facts.due:
        return f"{subject} is due, and nothing blocks it: a scheduler is about to fire it"
    return f"{subject} runs only when triggered, and nothing would block a run"


def _busy(facts: JobFacts) -> str:
    return "has work under way" if facts.live.under_way else "has work waiting"


def _lately(facts: JobFacts) -> str:
    row = latest_skipped(facts)
    if row is None:
        return ""
    at = row.scheduled_until or row.scheduled_for
    return f"; its latest occurrence{f', {moment(at)},' if at else ''} was skipped: {row.reason}"


def explain_run(facts: RunFacts) -> Explanation:
    gates = run_gates(facts)
    return Explanation(facts.now, f"{_run_sentence(facts, gates)}.", tuple(gates), timeline(facts, gates))


_ENDS = {
    RunStatus.SUCCEEDED: "succeeded",
    RunStatus.FAILED: "failed",
    RunStatus.CANCELLED: "was cancelled",
    RunStatus.SKIPPED: "was skipped",
}


def _run_sentence(facts: RunFacts, gates: Sequence[Gate]) -> str:
    run, gate, doubt = facts.run, foremost(gates), doubtful(gates)
    subject = f"This run of {run.job_name!r}"
    if run.finished_at is not None:
        ended = f"{subject} {_ENDS[RunStatus(run.status)]} {distance(run.finished_at, facts.now)}"
        return f"{ended}: {(gate or gates[0]).detail}"
    subject += f" is {run.status}"
    if gate is not None:
        return f"{subject}: {gate.detail}{besides(gates, gate)}"
    if doubt is not None:
        return f"{subject}, and it may be stuck: {doubt.detail}"
    if run.status == RunStatus.RUNNING:
        return f"{subject}: {gates[0].detail}"
    if facts.now - run.due_at > _SOON:
        overdue = f"though it was due {distance(run.due_at, facts.now)} and nothing known blocks it"
        return f"{subject}, {overdue}: see the logs of the workers"
    return f"{subject}, and nothing blocks it: a worker is about to take it"


def _named(gates: Sequence[Gate], name: str) -> Gate | None:
    return next((gate for gate in gates if gate.name == name), None)
