"""Runs wait if the live workers of their queue have another engine: that is said, and what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from horae.domain.explain.answer import explain_job
from horae.domain.runs.engine_choice import EngineChoice
from horae.domain.runs.stranded import unserved, why_stranded
from tests.unit.domain.explain.situations import NOW, WORKER, closed, gate, job

CARRIED = EngineChoice("database", {"default": "celery"}, has_broker=True)
ALL = replace(WORKER, queues=())
WANT = ("default", "python:work")


def test_a_queue_of_the_broker_and_workers_of_the_database() -> None:
    found = explain_job(job(workers=(replace(ALL, engine="database"),), engines=CARRIED))
    assert closed(found)[0] == "queue"
    cause = gate(found, "queue")
    assert cause.detail == (
        "queue 'default' is carried by celery, and no live worker consumes it from the broker; "
        "worker alpha claims from the database"
    )
    assert "horae worker --engine celery --queues default" in (cause.unblock or "")
    assert "horae queues set default --engine database" in (cause.unblock or "")


def test_a_queue_of_the_database_and_workers_of_the_broker() -> None:
    found = explain_job(job(workers=(replace(WORKER, engine="celery"),)))
    cause = gate(found, "queue")
    assert "is carried by the database, and no live worker claims it from there" in cause.detail
    assert "horae worker --engine database --queues default" in (cause.unblock or "")


@pytest.mark.parametrize(
    ("worker", "engines", "reached"),
    [
        (replace(ALL, engine="database"), EngineChoice(), True),
        (replace(ALL, engine="database"), CARRIED, False),
        (replace(WORKER, engine="database"), CARRIED, True),  # it names the queue
        (replace(ALL, engine="celery"), CARRIED, True),
        (replace(ALL, engine="celery"), EngineChoice(), False),
        (replace(WORKER, engine="celery"), EngineChoice(), False),
        (ALL, CARRIED, True),  # of a version that does not say it
        (replace(ALL, engine="celery"), EngineChoice("database", chosen={"default": "celery"}), True),
        (replace(ALL, engine="database"), EngineChoice("celery", chosen={"default": "database"}), True),
        (
            replace(ALL, engine="database"),
            EngineChoice(chosen={"default": "carrier pigeon"}),
            True,
        ),  # of a newer version
    ],
)
def test_whom_runs_reach(worker: object, engines: EngineChoice, reached: bool) -> None:
    assert unserved([WANT], [worker], engines) == ([] if reached else [WANT])  # type: ignore[list-item]
    state = why_stranded(*WANT, [worker], NOW, engines).state  # type: ignore[list-item]
    assert (state == "open") == reached
