"""Facts for explanations, as good as they get: tests change the one that matters to them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from horae.domain.cluster.process import Host, ShardView, WorkerRecord
from horae.domain.explain.explanation import Explanation, Gate
from horae.domain.explain.facts import (
    EndedRun,
    JobFacts,
    LiveRun,
    LiveRuns,
    RunFacts,
    SchedulerFact,
    UpstreamFact,
)
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.attempts import AttemptRecord
from horae.domain.runs.run_record import RunRecord
from tests.unit.job_records import job_record

NOW = datetime(2026, 11, 15, 3, 0, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
WORKER = WorkerRecord(
    id="w1",
    name="alpha",
    host=Host("host", "linux", "key", 1, 2),
    version="1",
    queues=("default",),
    offers=("http", "python:work"),
    slots=4,
    busy=0,
    status="idle",
    runs_done=0,
    started_at=NOW - MINUTE,
    heartbeat_at=NOW,
)
SCHEDULER = SchedulerFact("s1", "beta", 7, NOW)
NO_RUNS = LiveRuns(1, 0, 0, 0, ())


def spec(**fields: Any) -> JobSpec:
    return JobSpec.model_validate({"name": "report", "target": {"kind": "python", "function": "work"}, **fields})


def job(**fields: Any) -> JobFacts:
    """A job that is due and free; fields of the job, of its definition, or of the facts."""
    facts = {name: fields.pop(name) for name in list(fields) if name in JobFacts.__slots__}
    record = {name: fields.pop(name) for name in list(fields) if name in JobRecord.__slots__}
    state = {"id": "j1", "anchor_at": NOW - MINUTE, "next_run_at": NOW, "updated_by": "key:ops", **record}
    definition = spec(**{"schedule": {"every": "1h"}, **fields})
    around: dict[str, Any] = {
        "now": NOW,
        "job": job_record(NOW - MINUTE, **{"spec": definition, **state}),
        "shard": ShardView(3, "s1", 1, NOW + MINUTE),
        "live": NO_RUNS,
        "recent": (),
        "workers": (WORKER,),
        "schedulers": (SCHEDULER,),
    }
    return JobFacts(**{**around, **facts})


def live_run(**fields: Any) -> LiveRun:
    values: dict[str, Any] = {
        "id": "r1",
        "status": "queued",
        "held": False,
        "due_at": NOW,
        "started_at": None,
        "worker_id": None,
        "created_at": NOW - MINUTE,
        "attempt": 0,
        "queue": "default",
        "needs": "python:work",
    }
    return LiveRun(**{**values, **fields})


def ended_run(**fields: Any) -> EndedRun:
    values: dict[str, Any] = {
        "id": "r0",
        "status": "skipped",
        "reason": "overlap",
        "occurrences": 1,
        "scheduled_for": NOW - MINUTE,
        "scheduled_until": NOW - MINUTE,
        "finished_at": NOW - MINUTE,
        "error": None,
    }
    return EndedRun(**{**values, **fields})


RUN: dict[str, Any] = {
    "id": "r1",
    "job_id": "j1",
    "job_name": "report",
    "version": 1,
    "project_id": "p1",
    "trigger": "api",
    "due_at": NOW - MINUTE,
    "created_at": NOW - MINUTE,
    "queue": "default",
    "priority": 5,
    "status": "queued",
    "attempt": 0,
    "uncounted": 0,
    "max_attempts": 3,
    "triggered_by": "key:ops",
}
RUNNING: dict[str, Any] = {
    "status": "running",
    "attempt": 1,
    "worker_id": "w1",
    "started_at": NOW - MINUTE / 2,
    "lease_until": NOW + MINUTE / 4,
}
PARKED: dict[str, Any] = {**RUNNING, "parked": True, "worker_id": None, "lease_until": NOW + HOUR}
ENDED: dict[str, Any] = {
    "attempt": 1,
    "worker_id": "w1",
    "started_at": NOW - MINUTE / 2,
    "finished_at": NOW,
    "duration_ms": 30_000,
}


def run(**fields: Any) -> RunFacts:
    """A queued run that nothing is in the way of; fields of the run, or of the facts."""
    facts = {name: fields.pop(name) for name in list(fields) if name in RunFacts.__slots__}
    around: dict[str, Any] = {
        "now": NOW,
        "spec": spec(),
        "attempts": (),
        "workers": (WORKER,),
        "schedulers": (SCHEDULER,),
    }
    return RunFacts(**{**around, "run": RunRecord(**{**RUN, **fields}), **facts})


def tried(n: int = 1, **fields: Any) -> AttemptRecord:
    values: dict[str, Any] = {
        **dict.fromkeys(AttemptRecord._fields),
        "n": n,
        "worker_id": "w1",
        "started_at": NOW - MINUTE,
        "finished_at": NOW - MINUTE / 2,
        "outcome": "failed",
        "error": "it broke\nin many lines",
    }
    return AttemptRecord(**{**values, **fields})


def upstream(**fields: Any) -> UpstreamFact:
    values: dict[str, Any] = {
        "id": "u",
        "name": "load",
        "run_on": "any",
        "enabled": True,
        "paused": False,
        "live": 0,
        "last_status": "cancelled",
        "last_ended_at": NOW - HOUR,
    }
    return UpstreamFact(**{**values, **fields})


def closed(found: Explanation) -> list[str]:
    return [gate.name for gate in found.gates if gate.closed]


def gate(found: Explanation, name: str) -> Gate:
    return next(one for one in found.gates if one.name == name)
