"""Upcoming occurrences of many jobs, merged in order."""

from datetime import UTC, datetime, timedelta
from typing import Any

from horae.domain.jobs.job_record import JobRecord
from horae.domain.time.agenda import agenda
from tests.unit.job_records import job_record

NOW = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


def job(name: str, fired_count: int = 0, fired_through: datetime | None = None, **schedule: Any) -> JobRecord:
    return job_record(
        NOW - DAY,
        id=f"id of {name}",
        name=name,
        schedule=schedule,
        next_run_at=NOW,
        fired_through=fired_through,
        fired_count=fired_count,
    )


def names(*jobs: JobRecord, start: datetime = NOW, hours: float = 24, most: int = 1000) -> list[str]:
    found = agenda(jobs, NOW, start, start + timedelta(hours=hours), most)
    return [f"{entry.job_name} {entry.at:%H:%M}" for entry in found.entries]


def test_in_order_over_all_jobs():
    found = names(job("a", cron="0 */6 * * *"), job("b", every="8h"), job("c", manual=True), hours=12)
    assert found == ["a 12:00", "b 12:00", "a 18:00", "b 20:00"]


def test_the_end_is_not_part_of_it():
    assert names(job("a", every="1h"), hours=2) == ["a 12:00", "a 13:00"]


def test_past_and_fired_occurrences_are_omitted():
    assert names(job("a", every="1h"), start=NOW - timedelta(hours=3), hours=4) == ["a 12:00"]
    assert names(job("a", every="1h", fired_through=NOW), hours=2) == ["a 13:00"]


def test_blackouts_are_left_out_and_take_no_time():
    nights = [{"days": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], "start": "13:00", "end": "12:59"}]
    found = names(job("a", every="1s", blackouts=nights), start=NOW + timedelta(minutes=58), hours=1)
    assert found == ["a 12:59"] * 60  # one minute of the day is open


def test_no_more_than_its_runs():
    assert names(job("a", every="1h", max_runs=5, fired_count=3)) == ["a 12:00", "a 13:00"]
    assert names(job("a", every="1h", max_runs=3, fired_count=3)) == []


def test_it_says_how_far_it_is_complete():
    jobs = [job("a", every="1h"), job("b", every="1h")]
    found = agenda(jobs, NOW, NOW, NOW + DAY, 3)
    assert len(found.entries) == 3
    assert found.complete_until == NOW + timedelta(hours=1)
    assert agenda(jobs, NOW, NOW, NOW + DAY, 48).complete_until == NOW + DAY
    assert agenda([], NOW, NOW, NOW + DAY, 48).complete_until == NOW + DAY
