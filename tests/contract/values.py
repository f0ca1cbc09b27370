"""What tests of the store speak of: definitions, outcomes, ids, and processes that sign themselves in."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any, ParamSpec, TypeVar

from horae.clock import SystemIds
from horae.domain.cluster.process import Host, SchedulerSign, WorkerSign
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.task import describe
from horae.domain.runs.log import LogPosition
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.ports import Transaction, Verb
from horae.store.failures import ConnectionLost
from horae.store.store import SqlTransaction

P = ParamSpec("P")
T = TypeVar("T")

IDS = SystemIds()
OFFERS = ("python:work",)
WORK = describe(lambda **arguments: None, name="work")  # what jobs run, unless they say otherwise
ALL_SHARDS = range(64)
LEASE = 15.0
START = LogPosition()
FAILED = Outcome(AttemptOutcome.FAILED, error="it broke")
PERMANENT = Outcome(AttemptOutcome.FAILED, error="no such thing", permanent=True)
TIMED_OUT = Outcome(AttemptOutcome.TIMED_OUT, error="took too long")
INTERRUPTED = Outcome(AttemptOutcome.INTERRUPTED, error="the worker shut down")
CANCELLED = Outcome(AttemptOutcome.CANCELLED, error="cancelled")

Row = dict[str, Any]
_numbers = itertools.count(1)
_SCHEDULE = [
    "every",
    "cron",
    "at",
    "manual",
    "after",
    "start_at",
    "end_at",
    "max_runs",
    "jitter",
    "timezone",
    "blackouts",
]
_SCHEDULE += ["dst_gap", "dst_fold"]


def spec(**fields: Any) -> JobSpec:
    """A definition; what is left out does not matter to the test."""
    schedule = {part: fields.pop(part) for part in _SCHEDULE if part in fields}
    if schedule:
        fields["schedule"] = schedule
    fields.setdefault("name", f"job {next(_numbers)}")
    fields.setdefault("target", {"kind": "python", "function": "work"})
    return JobSpec.model_validate(fields)


def lost_reply(verb: Verb[P, T]) -> Verb[P, T]:
    """The same verb, but the reply to its first commit is lost: it is unknown whether it took effect."""

    async def work(tx: Transaction, *args: P.args, **kwargs: P.kwargs) -> T:
        result = await verb(tx, *args, **kwargs)
        if not tx.repeated:
            assert isinstance(tx, SqlTransaction)
            await tx._db.commit()
            raise ConnectionLost()
        return result

    return work


def middle() -> float:
    """Chance at its middle: backoffs are then what the policy says, without jitter."""
    return 0.5


def ids(runs: Collection[Any]) -> set[str]:
    return {id_of(run) for run in runs}


def id_of(thing: Any) -> str:
    if isinstance(thing, str):
        return thing
    found: str = thing["id"] if isinstance(thing, dict) else thing.id
    return found


def worker_sign(**fields: Any) -> WorkerSign:
    values: dict[str, Any] = {
        "id": IDS.new(),
        "name": "worker",
        "host": Host("host", "linux", "host:boot", 1, 2),
        "version": "1",
        "queues": ("default",),
        "offers": OFFERS,
        "slots": 4,
    }
    return WorkerSign(**(values | fields))


def scheduler_sign() -> SchedulerSign:
    return SchedulerSign(IDS.new(), Host("host", "linux", "host:boot", 1, 2), "1")


def counts(rows: Collection[Row]) -> dict[str, int]:
    """How many occurrences the rows stand for, by status."""
    found: dict[str, int] = {}
    for row in rows:
        found[row["status"]] = found.get(row["status"], 0) + row["occurrences"]
    return found
