"""Views match the schema of the API."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from horae.api.merge import READ_ONLY, patched
from horae.api.schedule_views import next_json, operation_json, stats_json, version_json
from horae.api.schemas import JobView, RunView
from horae.api.schemas.schedules import JobStatsView, OperationView, RecentView, VersionView
from horae.api.views import job_json, render, run_json
from horae.domain.errors import HoraeError
from horae.domain.jobs.job_record import JobRecord, VersionRecord
from horae.domain.jobs.standing import job_status
from horae.domain.runs.operation import Operation
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import JobStatus
from horae.domain.runs.statistics import JobStats
from tests.unit.job_records import job_record

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def record(**fields: Any) -> JobRecord:
    return job_record(NOW, **{"next_run_at": LATER, **fields})


@pytest.mark.parametrize(
    ("job", "status"),
    [
        (record(), JobStatus.SCHEDULED),
        (record(live_runs=1), JobStatus.RUNNING),
        (record(live_runs=1, next_run_at=None), JobStatus.RUNNING),
        (record(next_run_at=None), JobStatus.FINISHED),
        (record(schedule={"manual": True}, next_run_at=None), JobStatus.SCHEDULED),
        (record(paused=True), JobStatus.PAUSED),
        (record(paused=True, paused_until=LATER, live_runs=1), JobStatus.PAUSED),
        (record(paused=True, paused_until=NOW), JobStatus.SCHEDULED),
        (record(enabled=False, paused=True, live_runs=1), JobStatus.DISABLED),
    ],
)
def test_how_a_job_stands(job: JobRecord, status: JobStatus):
    assert job_status(job, NOW) is status


RUN = RunRecord("r", "j", "a", 1, "p", "api", NOW, "default", 5, "queued", 0, 0, 3, NOW)


def test_views_hold_what_the_schema_says():
    assert set(job_json(record(), NOW)) == set(JobView.model_fields)
    assert set(run_json(RUN)) == set(RunView.model_fields)
    version = VersionRecord(1, record().spec, "key:a", NOW, None)
    assert set(version_json(version, None)) == set(VersionView.model_fields)
    for details in ({}, {"start": "2026-01-01T00:00:00+00:00", "after": "x", "parallelism": 1}):
        operation = Operation("id", "p", "backfill", "running", "j", details, 0, 1, None, "key:a", NOW, None)
        assert set(operation_json(operation)) == set(OperationView.model_fields)
    counts = dict.fromkeys(("succeeded", "failed", "cancelled", "skipped"), 2)
    stats = JobStats(counts, counts, {"queued": 0, "running": 0}, {}, NOW, 0, 0, 100, None, None, None)
    shown = stats_json("id", stats)
    assert set(shown) == set(JobStatsView.model_fields)
    assert set(shown["recent"]) == set(RecentView.model_fields)
    assert (shown["success_rate"], shown["avg_duration_ms"]) == (50.0, 25)


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({}, None),
        ({"enabled": False, "paused": True}, "the job is disabled: none of these run until it is enabled"),
        (
            {"paused": True},
            "the job is paused: none of these run until it is resumed (then catch_up decides: last)",
        ),
        (
            {"paused": True, "paused_until": LATER},
            "the job is paused: none of these run before 2026-01-01 01:00:00 UTC (then catch_up decides: last)",
        ),
        ({"paused": True, "paused_until": NOW}, None),
    ],
)
def test_why_nothing_comes_next(fields: dict[str, Any], note: str | None):
    assert next_json(record(**fields), [], NOW).get("note") == note


def test_times_end_in_z():
    text = render({"at": NOW, "exact": NOW + timedelta(microseconds=5), "none": None})
    assert text == b'{"at":"2026-01-01T00:00:00Z","exact":"2026-01-01T00:00:00.000005Z","none":null}'


def test_read_only_fields_are_those_of_the_interface():
    names = "id version status next_run_at last_run_at last_status paused paused_until"
    listed = {"stranded", "words", "recent"}  # of jobs in lists
    written = {"created_by", "created_at", "updated_by", "updated_at"}
    assert {*names.split(), *written, "unreadable", *listed} == READ_ONLY


def test_a_patch_merges_deeply_and_null_takes_away():
    spec = record().spec
    new = patched(spec, {"retry": {"delay": 5}, "target": {"headers": {"a": "1"}}})
    assert (new.retry.delay, new.retry.max_attempts) == (5, 3)
    new = patched(new, {"target": {"headers": {"a": None, "b": "2"}}, "retry": None})
    assert new.to_json()["target"]["headers"] == {"b": "2"}
    assert new.retry.delay == 60
    with pytest.raises(HoraeError):
        patched(spec, {"name": None})


def test_a_job_that_gets_a_schedule_gets_its_limit():
    by_hand = record(schedule={"manual": True}).spec
    assert by_hand.max_instances is None
    assert patched(by_hand, {"schedule": {"every": "1h"}}).max_instances == 1
    assert patched(by_hand, {"schedule": {"every": "1h"}, "max_instances": 7}).max_instances == 7
    assert patched(by_hand, {"description": "x"}).max_instances is None
    assert patched(record().spec, {"max_instances": None}).max_instances == 1  # null brings back the default
