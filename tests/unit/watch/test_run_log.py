"""A line per step of a run, and no more of them than a second may have."""

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from structlog.testing import capture_logs

from horae.domain.cluster import log_events
from horae.domain.people.audit import Deed
from horae.domain.runs import events
from horae.domain.runs.claim import Claimed, Leased
from horae.domain.runs.ending import Ended, Overdue
from horae.domain.runs.events import RunsEnded
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.run import NewRun, Skipped
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import AttemptOutcome, RunStatus, Trigger
from horae.watch.run_log import WRITERS, RunLog

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SECRET = "hunter2-in-everything-that-a-job-may-hold"
WHICH: dict[str, Any] = {"id": "run", "job_id": "job", "version": 1, "project_id": "project"}
UNDER_WAY: dict[str, Any] = {**WHICH, "trigger": "api", "attempt": 2, "uncounted": 0, "started_at": NOW, "due_at": NOW}
LEASED = Leased(**UNDER_WAY, queue="mail", priority=5, token=SECRET, worker_id="w", cancel_requested_at=None)
CLAIMED = Claimed(**UNDER_WAY, scheduled_for=NOW, input=SECRET, token=SECRET)
NEW = NewRun(**WHICH, trigger=Trigger.API, queue="mail", priority=5, needs="script", input=SECRET)
SHOWN: dict[str, Any] = {"job_name": SECRET, "queue": "q", "priority": 5, "status": "running", "max_attempts": 3}
RECORD = RunRecord(**UNDER_WAY, **SHOWN, created_at=NOW, input=SECRET)
GAP: dict[str, Any] = {"reason": "missed", "occurrences": 3, "scheduled_for": NOW, "scheduled_until": NOW}
SAID: dict[str, Any] = {"error": SECRET, "traceback": SECRET, "result": SECRET}
OVER = [kind for kind in AttemptOutcome if kind is not AttemptOutcome.PARKED]
EVERY: list[events.Event] = [
    events.RunsQueued([NEW, NEW._replace(trigger=Trigger.SCHEDULE, scheduled_for=NOW)]),
    events.RunsSkipped([Skipped(**WHICH, **GAP, queue="q", priority=5)]),
    events.RunsClaimed([CLAIMED], "w"),
    events.RunsReleased([LEASED]),
    events.RunsStarted([CLAIMED], "w"),
    events.RunsParked([LEASED]),
    events.AttemptsOver(
        [
            events.AttemptOver(LEASED, Outcome(kind, exit_code=3, **({} if kind is AttemptOutcome.LOST else SAID)), 5)
            for kind in OVER
        ]
    ),
    events.RunsRetried([events.Retried(LEASED, kind, 1.5) for kind in (AttemptOutcome.FAILED, AttemptOutcome.LOST)]),
    events.RunsExpired([Overdue(**WHICH, trigger="api", due_at=NOW, queue="q", needs="script")]),
    events.CancelsRequested([RECORD], "ada"),
    RunsEnded([Ended(**WHICH, status=RunStatus.FAILED, error=SECRET, code=3, attempt=2)]),
    events.Audited([Deed(action, "ada", "project", "subject") for action in (*log_events.JOBS, "secret.create")]),
]


def ends(count: int) -> RunsEnded:
    return RunsEnded(
        [Ended(f"run-{n}", "job", 1, "project", RunStatus.SUCCEEDED, duration_ms=5, attempt=1) for n in range(count)]
    )


@pytest.fixture
def clock() -> list[float]:
    return [100.0]


def test_each_run_has_its_line(clock: list[float]) -> None:
    with capture_logs() as lines:
        RunLog(10, lambda: clock[0])(ends(1))
    (line,) = lines
    assert line == {
        "event": "run ended",
        "log_level": "info",
        "run": "run-0",
        "job": "job",
        "project": "project",
        "status": "succeeded",
        "duration_ms": 5,
        "attempt": 1,
        "trace_id": "run0",
    }


def test_a_busy_second_is_summed_up(clock: list[float]) -> None:
    observe = RunLog(10, lambda: clock[0])
    with capture_logs() as lines:
        observe(ends(7))
        observe(ends(1_000))
        observe(ends(1))
        clock[0] += 1
        observe(ends(2))
    assert [line["event"] for line in lines] == ["run ended"] * 10 + ["runs not logged"] + ["run ended"] * 2
    assert lines[10]["count"] == 998


def test_every_declared_line_can_be_written_and_no_other_and_none_contains_data_of_jobs() -> None:
    assert set(WRITERS) == set(get_args(events.Event)) == {type(event) for event in EVERY}
    observe = RunLog(1_000, lambda: 1.0)
    with capture_logs() as lines:
        for event in EVERY:
            observe(event)
    declared = {event.name: event for event in log_events.EVENTS}
    assert {line["event"] for line in lines} == set(declared) - {"runs not logged"}
    for line in lines:
        known = declared[line["event"]]
        ids = log_events.IDS if known in log_events.RUN_EVENTS else ()
        assert set(line) - {"event", "log_level"} <= {*ids, *log_events.CONTEXT, *known.fields}
        assert {*ids} <= set(line)
    assert SECRET not in str(lines)


def test_a_flood_of_runs_does_not_hide_what_people_do(clock: list[float]) -> None:
    observe = RunLog(1, lambda: clock[0])
    with capture_logs() as lines:
        observe(ends(5))
        observe(events.Audited([Deed("job.edit", "ada", "project", "job")]))
    assert [line["event"] for line in lines] == ["run ended", "job edited"]
