"""Counted without walking: the same as by walking, for any schedules."""

import random
from datetime import datetime, timedelta
from typing import Any

import pytest

from horae.domain.jobs.job_record import JobRecord
from horae.domain.time.agenda import agenda
from horae.domain.time.forecast import Forecast, forecast

from .test_agenda import DAY, MINUTE, NOW, job

HOUR = timedelta(hours=1)
PLENTY = 10_000_000


def of(*jobs: JobRecord, start: datetime = NOW, span: timedelta = DAY, step: timedelta = HOUR, budget: int = PLENTY):
    return forecast(jobs, NOW, start, start + span, step, budget)


def walked(jobs: list[JobRecord], start: datetime, span: timedelta, step: timedelta) -> dict[datetime, int]:
    counts: dict[datetime, int] = {}
    for entry in agenda(jobs, NOW, start, start + span, PLENTY).entries:
        seconds = step.total_seconds()
        at = datetime.fromtimestamp(entry.at.timestamp() // seconds * seconds, NOW.tzinfo)
        counts[at] = counts.get(at, 0) + 1
    return counts


def test_nine_small_intervals_over_a_week_are_all_counted():
    """They were cut at 100,000 occurrences, and the rest of the week said 0."""
    intervals = ["10s", "15s", "20s", "30s", "45s", "1m", "90s", "2m", "3m"]
    jobs = [job(every, every=every) for every in intervals]
    found = of(*jobs, span=7 * DAY, step=MINUTE)
    assert found.complete_until == NOW + 7 * DAY
    assert sum(count for _, count in found.counts) == sum(
        7 * 86_400 // seconds for seconds in (10, 15, 20, 30, 45, 60, 90, 120, 180)
    )
    assert {at.date(): 0 for at, _ in found.counts}.keys() == {(NOW + n * DAY).date() for n in range(8)}


def test_five_thousand_jobs_that_run_every_ten_seconds_cost_as_many_steps():
    jobs = [job(f"job {number}", every="10s") for number in range(5_000)]
    found = of(*jobs, span=7 * DAY, step=MINUTE, budget=5_000)
    assert found.complete_until == NOW + 7 * DAY
    assert found.counts[:2] == [(NOW, 30_000), (NOW + MINUTE, 30_000)]


def test_equal_schedules_are_counted_once():
    jobs = [job(f"job {number}", cron="*/5 * * * *", timezone="Europe/Berlin") for number in range(1_000)]
    found = of(*jobs, budget=250 * 24)
    assert found.counts == [(NOW + n * HOUR, 12_000) for n in range(24)]


def test_counting_stops_at_the_budget_for_all_jobs_alike():
    jobs = [job("a", cron="* * * * *"), job("b", every="7s")]
    found = of(*jobs, step=MINUTE, budget=50 * 500)
    assert NOW < found.complete_until < NOW + DAY
    assert dict(found.counts) == walked(jobs, NOW, found.complete_until - NOW, MINUTE)
    assert of(*jobs, budget=0) == Forecast([], NOW)


def test_no_more_than_its_runs_and_nothing_that_is_past():
    assert of(job("a", every="1h", max_runs=5, fired_count=3)).counts == [(NOW, 1), (NOW + HOUR, 1)]
    assert of(job("a", every="20s", max_runs=4), step=MINUTE).counts == [(NOW, 3), (NOW + MINUTE, 1)]
    assert of(job("a", every="1h", max_runs=3, fired_count=3), job("b", manual=True)).counts == []
    assert of(job("a", every="1h"), start=NOW - 3 * HOUR, span=4 * HOUR).counts == [(NOW, 1)]
    assert of(job("a", every="1h", fired_through=NOW), span=2 * HOUR).counts == [(NOW + HOUR, 1)]


NIGHTS = [{"start": "22:00", "end": "06:00"}]
WEEKENDS = [{"days": ["SAT", "SUN"], "start": "00:00", "end": "24:00"}, {"start": "12:10", "end": "12:25"}]
SCHEDULES: list[dict[str, Any]] = [
    {"every": "7s"},
    {"every": "61s"},
    {"every": "10s", "end_at": "2026-11-15T14:30:05Z"},
    {"every": "1.3s", "end_at": "2026-11-15T12:40:00Z"},
    {"every": "25m", "start_at": "2026-11-15T13:07:30Z"},
    {"every": "40s", "blackouts": NIGHTS, "timezone": "Asia/Kolkata"},
    {"cron": "*/20 * * * * *", "timezone": "America/New_York"},
    {"cron": "15,45 */3 * * *", "timezone": "Australia/Lord_Howe", "blackouts": WEEKENDS},
    {"cron": "* 9-17 * * 1-5", "max_runs": 100},
    {"at": "2026-11-15T20:00:00Z"},
]


@pytest.mark.parametrize("step", [MINUTE, HOUR], ids=["minute", "hour"])
@pytest.mark.parametrize("seed", range(8))
def test_the_same_as_by_walking(seed: int, step: timedelta):
    chance = random.Random(seed)
    chosen = chance.choices(SCHEDULES, k=6)
    jobs = [job(f"job {number}", **schedule) for number, schedule in enumerate(chosen)]
    start = NOW + timedelta(seconds=chance.randint(-3_600, 7_200))
    span = timedelta(seconds=chance.randint(60, 90_000))
    found = of(*jobs, start=start, span=span, step=step)
    assert dict(found.counts) == walked(jobs, start, span, step)
    assert found.complete_until == start + span
