"""From where on a job's occurrences are still to come."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from horae.domain.jobs.standing import TICK, paused_at, upcoming_after
from tests.unit.job_records import job_record

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
JOB = job_record(NOW, anchor_at=NOW - 10 * HOUR, next_run_at=NOW + HOUR)


@pytest.mark.parametrize(
    ("fields", "after"),
    [
        ({}, NOW - TICK),  # what lies in a blackout before the next one is still shown
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
def test_upcoming_occurrences_follow_from_status_and_schedule(fields: dict[str, Any], after: datetime):
    assert upcoming_after(replace(JOB, **fields), NOW) == after


def test_a_pause_ends_by_itself():
    assert not paused_at(JOB, NOW)
    assert paused_at(replace(JOB, paused=True), NOW)
    assert paused_at(replace(JOB, paused=True, paused_until=NOW + TICK), NOW)
    assert not paused_at(replace(JOB, paused=True, paused_until=NOW), NOW)
