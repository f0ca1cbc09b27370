"""From where on a job's occurrences are still to come."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.standing import TICK, paused_at, upcoming_after

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SPEC = JobSpec.model_validate(
    {"name": "a", "target": {"kind": "http", "url": "http://x.y/"}, "schedule": {"every": "1h"}}
)
JOB = JobRecord(
    id="id",
    project_id="p",
    version=1,
    spec=SPEC,
    enabled=True,
    paused=False,
    paused_until=None,
    anchor_at=NOW - 10 * HOUR,
    next_run_at=NOW + HOUR,
    fired_through=None,
    fired_count=0,
    live_runs=0,
    last_run_at=None,
    last_status=None,
    created_by="user:ann",
    created_at=NOW,
    updated_by="user:ben",
    updated_at=NOW,
)


@pytest.mark.parametrize(
    ("fields", "after"),
    [
        ({}, NOW - TICK),  # what lies in a blackout before the next one is still told
        ({"next_run_at": NOW - HOUR}, NOW - HOUR - TICK),  # due, and not fired yet
        ({"next_run_at": NOW - HOUR, "fired_through": NOW - HOUR}, NOW - HOUR),
        ({"fired_through": NOW + HOUR}, NOW + HOUR),
        ({"next_run_at": None}, NOW - TICK),
        ({"next_run_at": NOW - HOUR, "paused": True}, NOW - TICK),
        ({"next_run_at": NOW - HOUR, "paused": True, "paused_until": NOW + HOUR}, NOW - TICK),
        ({"next_run_at": NOW - HOUR, "paused": True, "paused_until": NOW}, NOW - HOUR - TICK),
        ({"next_run_at": None, "enabled": False}, NOW - TICK),
    ],
)
def test_what_is_still_to_come(fields: dict[str, Any], after: datetime):
    assert upcoming_after(replace(JOB, **fields), NOW) == after


def test_a_pause_ends_by_itself():
    assert not paused_at(JOB, NOW)
    assert paused_at(replace(JOB, paused=True), NOW)
    assert paused_at(replace(JOB, paused=True, paused_until=NOW + TICK), NOW)
    assert not paused_at(replace(JOB, paused=True, paused_until=NOW), NOW)
