"""`done_by`: from that time of day until midnight, unless the job succeeded today."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from horae.domain.alerts.facts import WatchedJob
from horae.domain.alerts.job_rules import _not_done_by
from horae.domain.alerts.spec import JobRules

TODAY = datetime(2026, 11, 16, tzinfo=UTC)


def at(hour: int, minute: int = 0) -> datetime:
    return TODAY + timedelta(hours=hour, minutes=minute)


def job(**fields: Any) -> WatchedJob:
    given: dict[str, Any] = dict.fromkeys(WatchedJob.__dataclass_fields__)
    rules = JobRules.model_validate({"done_by": "06:00"})
    return WatchedJob(
        **{**given, "job_id": "1", "name": "report", "rules": rules, "created_at": at(-99), **fields},
    )


@pytest.mark.parametrize("now", [at(6, 5), at(7, 5), at(12, 5), at(23, 59)])
def test_it_stays_broken_while_an_hourly_job_goes_on_failing(now: datetime) -> None:
    hour = now.replace(minute=0)
    hourly = job(fired_through=hour, next_run_at=hour + timedelta(hours=1), last_success_at=at(-5))
    assert [finding.rule for finding in _not_done_by(hourly, now)] == ["not_done"]


def test_a_job_that_was_due_and_never_fired_is_not_done() -> None:
    stopped = job(fired_through=at(-20), next_run_at=at(4))
    assert len(list(_not_done_by(stopped, at(6, 5)))) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"fired_through": at(4), "next_run_at": at(28), "last_success_at": at(4, 10)},
        {"fired_through": at(-20), "next_run_at": at(28)},  # not a day of this job
    ],
)
def test_nothing_is_missing(fields: dict[str, Any]) -> None:
    assert list(_not_done_by(job(**fields), at(6, 5))) == []


def test_not_before_its_time() -> None:
    assert list(_not_done_by(job(fired_through=at(4)), at(5, 59))) == []
