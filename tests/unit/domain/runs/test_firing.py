"""What is decided for a due job: lateness, catch-up, limits, jitter."""

from __future__ import annotations

from datetime import timedelta

import pytest

from horae.domain.runs.firing import (
    Firing,
    decide,
    first_occurrence,
)
from tests.unit.domain.runs.due import (
    DAY,
    HOUR,
    MINUTE,
    MINUTELY,
    NINE,
    SCHEDULE,
    SECOND,
    TICK,
    due,
    missed,
    runs,
)


@pytest.mark.parametrize("late", [timedelta(0), timedelta(milliseconds=3), 59 * SECOND])
def test_on_time(late):
    firing = decide(due(MINUTELY), NINE + late)
    assert firing == Firing(firing.occurrences, (), NINE + MINUTE, NINE)
    assert [(one.at, one.due_at, one.in_order) for one in firing.occurrences] == [(NINE, NINE, False)]


@pytest.mark.parametrize("catch_up", ["last", "all", "first", "none"])
def test_a_minute_late_is_merely_late(catch_up):
    """Regardless of the rule, and the next minute is due as well: both fire, side by side."""
    firing = decide(due(MINUTELY, catch_up=catch_up), NINE + MINUTE)
    assert runs(firing) == [NINE, NINE + MINUTE]
    assert not any(one.in_order for one in firing.occurrences)
    assert firing.skipped == ()
    every_second = decide(due({"every": 1}, catch_up=catch_up), NINE + MINUTE)
    assert len(every_second.occurrences) == 61


THREE_HOURS = NINE + 3 * HOUR + 30 * SECOND  # 181 minutes are due: 09:00 to 12:00


@pytest.mark.parametrize(
    ("catch_up", "window", "expected", "skipped"),
    [
        ("last", 86_400, [180], [(0, 179)]),
        ("last", 31, [180], [(0, 179)]),
        ("last", 29, [], [(0, 180)]),
        ("last", 0, [], [(0, 180)]),
        ("first", 86_400, [0], [(1, 180)]),
        ("first", 3_600, [121], [(0, 120), (122, 180)]),
        ("first", 29, [], [(0, 180)]),
        ("all", 86_400, range(181), []),
        ("all", 3_600, range(121, 181), [(0, 120)]),
        ("all", 3_630, range(120, 181), [(0, 119)]),
        ("all", 29, [], [(0, 180)]),
        ("none", 86_400, [], [(0, 180)]),
    ],
)
def test_three_hours_missed(catch_up, window, expected, skipped):
    firing = decide(due(MINUTELY, catch_up=catch_up, catch_up_window=window), THREE_HOURS)
    assert runs(firing) == [NINE + n * MINUTE for n in expected]
    assert firing.skipped == tuple(missed(NINE + a * MINUTE, NINE + b * MINUTE, b - a + 1) for a, b in skipped)
    assert firing.next_run_at == NINE + 181 * MINUTE
    assert firing.fired_through == NINE + 180 * MINUTE
    assert all(one.in_order for one in firing.occurrences)


def test_the_newest_thousand_at_most():
    firing = decide(due(MINUTELY, catch_up="all"), NINE + DAY)
    assert runs(firing) == [NINE + DAY - n * MINUTE for n in range(999, -1, -1)]
    assert firing.skipped == (missed(NINE, NINE + DAY - 1_000 * MINUTE, 441),)


def test_sixty_seconds_is_the_border():
    hourly = {"cron": "0 * * * *"}
    assert len(decide(due(hourly, catch_up="none"), NINE + 60 * SECOND).occurrences) == 1
    assert len(decide(due(hourly, catch_up="none"), NINE + 60 * SECOND + TICK).occurrences) == 0


def test_a_single_one_beyond_the_border_is_caught_up():
    firing = decide(due({"cron": "0 * * * *"}), NINE + 61 * SECOND)
    assert runs(firing) == [NINE]
    assert firing.occurrences[0].in_order
    assert firing.skipped == ()


def test_years_of_seconds():
    now = NINE + 3_000 * DAY
    for catch_up, expected in (("last", 1), ("all", 1_000), ("none", 0), ("first", 1)):
        firing = decide(due({"cron": "* * * * * *", "timezone": "Europe/Berlin"}, catch_up=catch_up), now)
        assert len(firing.occurrences) == expected
        assert sum(row.count for row in firing.skipped) == 3_000 * 86_400 + 1 - expected
        assert firing.next_run_at == now + SECOND


# Fences


def test_nothing_at_or_before_what_was_fired():
    """A stale `next_run_at` does not fire again what is done."""
    job = due(MINUTELY, NINE, through=NINE + 2 * MINUTE)
    assert runs(decide(job, NINE + 2 * MINUTE)) == []
    assert decide(job, NINE + 2 * MINUTE).next_run_at == NINE + 3 * MINUTE
    assert decide(job, NINE + 2 * MINUTE).fired_through == NINE + 2 * MINUTE
    assert runs(decide(job, NINE + 3 * MINUTE)) == [NINE + 3 * MINUTE]


def test_fired_through_may_be_ahead_of_this_clock():
    firing = decide(due(MINUTELY, NINE, through=NINE + 5 * MINUTE), NINE + MINUTE)
    assert firing == Firing((), (), NINE + 6 * MINUTE, NINE + 5 * MINUTE)


def test_deciding_again_after_having_fired_does_nothing():
    job = due(MINUTELY, catch_up="all")
    firing = decide(job, THREE_HOURS)
    again = decide(job._replace(fired_through=firing.fired_through), THREE_HOURS)
    assert (again.occurrences, again.skipped, again.next_run_at) == ((), (), firing.next_run_at)


def test_a_next_run_at_that_is_no_occurrence_any_more():
    """The rules of a zone may change after it was computed: what the calendar says now counts."""
    firing = decide(due({"cron": "30 9 * * *"}, NINE), NINE + SECOND)
    assert firing.occurrences == ()
    assert firing.next_run_at == NINE + 30 * MINUTE


def test_clock_behind():
    """Another scheduler's `now` may be a little ahead of ours."""
    firing = decide(due(MINUTELY, NINE), NINE - SECOND)
    assert firing.occurrences == ()
    assert firing.next_run_at == NINE


@pytest.mark.parametrize("schedule", [{"manual": True}, {"after": {"job": "load"}}])
def test_manual_and_after_schedules_never_fire(schedule):
    assert decide(due(schedule), NINE).occurrences == ()
    assert decide(due(schedule), NINE).next_run_at is None
    assert first_occurrence(SCHEDULE.validate_python(schedule), NINE) is None


# Options


def test_at_runs_once_and_late_if_the_window_allows():
    once = {"at": NINE}
    assert decide(due(once), NINE + SECOND).next_run_at is None
    assert runs(decide(due(once), NINE + 5 * HOUR)) == [NINE]
    old = decide(due(once), NINE + 25 * HOUR)
    assert old == Firing((), (missed(NINE, NINE, 1),), None, NINE)
    assert runs(decide(due(once, catch_up="none"), NINE + 5 * HOUR)) == []


def test_end_at():
    schedule = {**MINUTELY, "end_at": NINE + 2 * MINUTE}
    assert decide(due(schedule, NINE + 2 * MINUTE), NINE + 2 * MINUTE).next_run_at is None
    late = decide(due(schedule, catch_up="all"), NINE + DAY)
    assert runs(late) == [NINE, NINE + MINUTE, NINE + 2 * MINUTE]
    assert late.next_run_at is None


@pytest.mark.parametrize(
    ("catch_up", "fired", "expected", "skipped"),
    [
        ("all", 0, [0, 1, 2], 0),
        ("all", 1, [0, 1], 0),
        ("all", 2, [0], 0),
        ("last", 2, [180], 180),
        ("last", 1, [180], 180),
        ("all", 3, [], 0),
        ("all", 9, [], 0),
    ],
)
def test_max_runs(catch_up, fired, expected, skipped):
    firing = decide(due({**MINUTELY, "max_runs": 3}, count=fired, catch_up=catch_up), THREE_HOURS)
    assert runs(firing) == [NINE + n * MINUTE for n in expected]
    assert sum(row.count for row in firing.skipped) == skipped
    finished = fired + len(expected) >= 3
    assert firing.next_run_at == (None if finished else NINE + 181 * MINUTE)
    if expected and finished:
        assert firing.fired_through == NINE + expected[-1] * MINUTE
        assert firing.whole == decide(due(MINUTELY, catch_up=catch_up), THREE_HOURS), "if some are skipped yet"


def test_jitter_moves_the_due_time_only_and_always_alike():
    schedule = {"every": 3_600, "jitter": 600}
    job = due(schedule)
    first = decide(job, NINE)
    assert first == decide(job, NINE + SECOND)
    assert first.next_run_at == NINE + HOUR
    spread = set()
    for number in range(200):
        (one,) = decide(job._replace(id=f"job-{number}"), NINE).occurrences
        assert one.at == NINE
        assert NINE <= one.due_at < NINE + 600 * SECOND
        spread.add(one.due_at)
    assert len(spread) > 190
    assert max(spread) - min(spread) > 500 * SECOND


def test_first_occurrence():
    read = SCHEDULE.validate_python
    assert first_occurrence(read({"every": "1h"}), NINE) == NINE
    assert first_occurrence(read({"every": "1h"}), NINE, NINE - TICK) == NINE
    assert first_occurrence(read({"every": "1h"}), NINE, NINE) == NINE + HOUR
    assert first_occurrence(read({"every": "1h", "start_at": NINE - DAY - MINUTE}), NINE) == NINE + 59 * MINUTE
    assert first_occurrence(read({"every": "1h", "start_at": NINE + DAY}), NINE) == NINE + DAY
    assert first_occurrence(read({"cron": "0 9 * * *"}), NINE) == NINE
    assert first_occurrence(read({"cron": "0 9 * * *"}), NINE, NINE) == NINE + DAY
    assert first_occurrence(read({"at": NINE - DAY}), NINE) == NINE - DAY
    assert first_occurrence(read({"cron": "0 9 * * *", "end_at": NINE - DAY}), NINE) is None
