"""Stuck runs: no worker can execute them, or their worker is lost."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from horae.domain.explain.capacity import capacity_gates, silent, worker_name
from horae.domain.explain.explanation import Gate, command, distance, named
from horae.domain.explain.facts import JobFacts, LiveRun, RunFacts
from horae.domain.runs.states import RunStatus

Facts = JobFacts | RunFacts


def stuck(runs: Iterable[LiveRun], facts: Facts) -> tuple[LiveRun, Gate] | None:
    """The first stuck run, and the gate that it is stuck at."""
    for run in runs:
        cause = _cause(run, facts)
        if cause is not None:
            return run, cause
    return None


def _cause(run: LiveRun, facts: Facts) -> Gate | None:
    if run.status == RunStatus.RUNNING:
        return lost(run.lease_until, run.worker_id, facts)
    if run.held or run.due_at > facts.now:
        return None
    gates = capacity_gates(
        facts.workers,
        queue=run.queue,
        needs=run.needs,
        now=facts.now,
        wanted=False,
        engine=facts.engines.of(run.queue),
        paused=facts.paused_queues.get(run.queue),
    )
    return next((gate for gate in gates if gate.closed), None)


def lost(lease_until: datetime | None, worker_id: str | None, facts: Facts) -> Gate | None:
    """The gate of a running run whose lease has expired."""
    if lease_until is None or lease_until > facts.now:
        return None
    detail = f"{worker_name(facts.workers, worker_id)} is lost: its lease ran out {distance(lease_until, facts.now)}"
    return Gate("lease", "closed", detail, taken_back(facts))


def taken_back(facts: Facts) -> str:
    """Who recovers a run whose lease has expired."""
    alive = [f"scheduler {one.name}" for one in facts.schedulers if not silent(one.heartbeat_at, facts.now)]
    if alive:
        return f"wait: {named(alive)} should recover it within seconds; or {command('runs', 'reset-stuck')}"
    return f"{command('runs', 'reset-stuck')}, and start a scheduler: {command('scheduler')}"
