"""What is decided for a due job whose schedule has blackouts, or a time that a day does not have."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from horae.domain.runs.firing import (
    DueJob,
    Firing,
    SkippedRange,
    decide,
    first_occurrence,
)
from horae.domain.runs.states import SkipReason
from horae.domain.time.blackouts import closed_until
from horae.domain.time.calendar import calendar_of
from horae.domain.time.schedule import Schedule
from tests.unit.domain.runs.due import (
    DAY,
    HOUR,
    LUNCH,
    MINUTE,
    MINUTELY,
    NINE,
    SCHEDULE,
    TICK,
    due,
    missed,
    runs,
)


def test_a_blackout_leaves_one_row():
    """`next_run_at` passes over it; the row is written with the next run."""
    schedule = {**MINUTELY, "blackouts": [LUNCH]}
    last = NINE + 3 * HOUR - MINUTE
    before = decide(due(schedule, last, through=last - MINUTE), last)
    assert before.next_run_at == NINE + 4 * HOUR
    after = decide(due(schedule, NINE + 4 * HOUR, through=last), NINE + 4 * HOUR)
    assert runs(after) == [NINE + 4 * HOUR]
    assert after.skipped == (SkippedRange(SkipReason.BLACKOUT, NINE + 3 * HOUR, NINE + 4 * HOUR - MINUTE, 60),)


def test_a_blackout_from_the_very_start():
    schedule = {"cron": "0 * * * *", "blackouts": [{"start": NINE, "end": NINE + 2 * HOUR}]}
    assert first_occurrence(SCHEDULE.validate_python(schedule), NINE - MINUTE) == NINE + 2 * HOUR
    job = due(schedule, NINE + 2 * HOUR)._replace(anchor_at=NINE - MINUTE)
    firing = decide(job, NINE + 2 * HOUR)
    assert runs(firing) == [NINE + 2 * HOUR]
    assert firing.skipped == (SkippedRange(SkipReason.BLACKOUT, NINE, NINE + HOUR, 2),)


def test_a_new_schedule_does_not_account_for_the_time_before_it():
    """The job was edited at 09:00 (its anchor), long after it last fired."""
    schedule = {"cron": "0 * * * *", "blackouts": [{"start": NINE - DAY, "end": NINE + 2 * HOUR}]}
    firing = decide(due(schedule, NINE + 2 * HOUR, through=NINE - 20 * HOUR), NINE + 2 * HOUR)
    assert firing.skipped == (SkippedRange(SkipReason.BLACKOUT, NINE, NINE + HOUR, 2),)


def test_a_blackout_to_the_very_end():
    """The last occurrences are accounted for too, though nothing runs after them."""
    schedule = {
        "cron": "0 * * * *",
        "end_at": NINE + 3 * HOUR,
        "blackouts": [{"start": NINE + HOUR, "end": NINE + DAY}],
    }
    firing = decide(due(schedule), NINE)
    assert firing.next_run_at == NINE + 3 * HOUR
    last = decide(due(schedule, NINE + 3 * HOUR, through=NINE), NINE + 3 * HOUR)
    assert last == Firing(
        (), (SkippedRange(SkipReason.BLACKOUT, NINE + HOUR, NINE + 3 * HOUR, 3),), None, NINE + 3 * HOUR
    )


def test_a_blackout_that_covers_every_occurrence():
    schedule = {"cron": "0 9 * * MON", "blackouts": [{"days": ["MON"], "start": "08:00", "end": "10:00"}]}
    at = first_occurrence(SCHEDULE.validate_python(schedule), NINE - DAY)
    assert at is not None
    firing = decide(due(schedule, at)._replace(anchor_at=NINE - DAY), at)
    assert firing.occurrences == ()
    assert sum(row.count for row in firing.skipped) == calendar_of(firing_schedule(schedule), NINE).count(
        NINE - DAY, at
    )
    assert firing.next_run_at is not None
    assert firing.next_run_at > at


def firing_schedule(schedule: dict[str, Any]) -> Schedule:
    return SCHEDULE.validate_python(schedule)


def test_a_blackout_of_years():
    schedule = {**MINUTELY, "blackouts": [{"start": NINE + HOUR, "end": NINE + 3_000 * DAY}]}
    end = NINE + 3_000 * DAY
    assert decide(due(schedule, NINE + 59 * MINUTE), NINE + 59 * MINUTE).next_run_at == end
    firing = decide(due(schedule, end, through=NINE + 59 * MINUTE), end)
    assert runs(firing) == [end]
    assert firing.skipped == (SkippedRange(SkipReason.BLACKOUT, NINE + HOUR, end - MINUTE, 3_000 * 1_440 - 60),)


def test_blackouts_within_an_outage_have_their_own_rows():
    schedule = {**MINUTELY, "blackouts": [LUNCH]}
    firing = decide(due(schedule), NINE + 5 * HOUR)
    assert runs(firing) == [NINE + 5 * HOUR]
    noon, one = NINE + 3 * HOUR, NINE + 4 * HOUR
    assert firing.skipped == (
        missed(NINE, noon - MINUTE, 180),
        SkippedRange(SkipReason.BLACKOUT, noon, one - MINUTE, 60),
        missed(one, NINE + 5 * HOUR - MINUTE, 60),
    )


@pytest.mark.parametrize("catch_up", ["last", "all", "first"])
@pytest.mark.parametrize("days", [1, 20, 90, 3_000])
def test_many_blackouts_in_a_long_outage(catch_up, days):
    """However long it was: few rows, no loop over years, and nothing that lies in a blackout is caught up."""
    closed = [{"start": f"{hour:02}:00", "end": f"{hour:02}:30"} for hour in range(20)]
    for cron, most in (("0 * * * *", 24), ("* * * * * *", 1_000)):
        job = due({"cron": cron, "blackouts": closed}, catch_up=catch_up, catch_up_window=10**8)
        firing = decide(job, NINE + days * DAY)
        assert 0 < len(firing.occurrences) <= (1 if catch_up != "all" else max(most, 4 * days))
        for at in runs(firing):
            assert closed_until(blackouts_of(job), "UTC", at) is None
        assert len(firing.skipped) < 600
        assert sum(row.count for row in firing.skipped) + len(firing.occurrences) == calendar_of(
            job.plan.schedule, NINE
        ).count(NINE - TICK, NINE + days * DAY)
    never = decide(due({"cron": "0 9 * * *", "blackouts": closed}, catch_up=catch_up), NINE + days * DAY)
    assert never.occurrences == ()


def blackouts_of(job: DueJob) -> Any:
    return getattr(job.plan.schedule, "blackouts", ())


def test_catching_up_passes_over_blackouts():
    schedule = {"cron": "*/30 * * * *", "blackouts": [LUNCH]}
    firing = decide(due(schedule, NINE + 2 * HOUR, catch_up="all"), NINE + 5 * HOUR)
    assert [f"{at:%H:%M}" for at in runs(firing)] == ["11:00", "11:30", "13:00", "13:30", "14:00"]
    assert firing.skipped == (SkippedRange(SkipReason.BLACKOUT, NINE + 3 * HOUR, NINE + 3 * HOUR + 30 * MINUTE, 2),)


def test_a_time_in_a_gap_leaves_a_row_or_runs_after_it():
    night = datetime(2026, 3, 28, 1, 30, tzinfo=UTC)  # 02:30 in Berlin; on the next day the clocks go forward
    gap_end = datetime(2026, 3, 29, 1, tzinfo=UTC)
    schedule = {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}
    assert decide(due(schedule, night), night).next_run_at == gap_end
    skipping = {**schedule, "dst_gap": "skip"}
    firing = decide(due(skipping, night), night)
    assert firing.next_run_at == datetime(2026, 3, 30, 0, 30, tzinfo=UTC)
    assert firing.skipped == ()
    following = decide(due(skipping, firing.next_run_at, through=night), firing.next_run_at)
    assert following.skipped == (SkippedRange(SkipReason.DST_GAP, gap_end, gap_end, 1),)
    assert runs(following) == [firing.next_run_at]
