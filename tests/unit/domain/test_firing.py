"""What is decided for a due job: lateness, catch-up, blackouts, gaps, limits, and that nothing is lost or doubled."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from horae.domain.blackouts import closed_until
from horae.domain.calendar import calendar_of
from horae.domain.firing import (
    DueJob,
    Firing,
    Plan,
    SkippedRange,
    decide,
    first_occurrence,
    parse_plan,
    plan_of,
    plan_text,
    skipped_range,
)
from horae.domain.job import JobSpec
from horae.domain.schedule import Schedule
from horae.domain.states import SkipReason
from tests.unit.domain.expressions import ZONES

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
TICK, SECOND, MINUTE = timedelta(microseconds=1), timedelta(seconds=1), timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NINE = datetime(2026, 1, 5, 9, tzinfo=UTC)  # a Monday
MINUTELY = {"cron": "* * * * *"}


def plan(schedule: dict[str, Any], **changes: Any) -> Plan:
    spec = {"name": "x", "target": {"kind": "script", "source": "true"}, "schedule": schedule, **changes}
    return plan_of(JobSpec.model_validate(spec))


def due(
    schedule: dict[str, Any], at: datetime = NINE, *, through: datetime | None = None, count: int = 0, **changes: Any
) -> DueJob:
    return DueJob("job", "project", 1, plan(schedule, **changes), NINE, at, through, count)


def runs(firing: Firing) -> list[datetime]:
    return [occurrence.at for occurrence in firing.occurrences]


def missed(first: datetime, last: datetime, count: int) -> SkippedRange:
    return SkippedRange(SkipReason.MISSED, first, last, count)


# Lateness and catch-up


@pytest.mark.parametrize("late", [timedelta(0), timedelta(milliseconds=3), 59 * SECOND])
def test_on_time(late):
    firing = decide(due(MINUTELY), NINE + late)
    assert firing == Firing(firing.occurrences, (), NINE + MINUTE, NINE)
    assert [(one.at, one.due_at, one.in_order) for one in firing.occurrences] == [(NINE, NINE, False)]


@pytest.mark.parametrize("catch_up", ["last", "all", "first", "none"])
def test_a_minute_late_is_merely_late(catch_up):
    """Whatever the rule, and the next minute is due as well: both fire, side by side."""
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


def test_what_was_fired_may_lie_ahead_of_this_clock():
    firing = decide(due(MINUTELY, NINE, through=NINE + 5 * MINUTE), NINE + MINUTE)
    assert firing == Firing((), (), NINE + 6 * MINUTE, NINE + 5 * MINUTE)


def test_deciding_again_after_having_fired_does_nothing():
    job = due(MINUTELY, catch_up="all")
    firing = decide(job, THREE_HOURS)
    again = decide(replace(job, fired_through=firing.fired_through), THREE_HOURS)
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
def test_what_others_start_never_fires(schedule):
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
        (one,) = decide(replace(job, id=f"job-{number}"), NINE).occurrences
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


# Blackouts and gaps

LUNCH = {"start": "12:00", "end": "13:00"}


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
    job = replace(due(schedule, NINE + 2 * HOUR), anchor_at=NINE - MINUTE)
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
    firing = decide(replace(due(schedule, at), anchor_at=NINE - DAY), at)
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


def test_blackouts_in_an_outage_are_told_apart():
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


# The ledger

blackouts = st.lists(
    st.sampled_from(
        [
            LUNCH,
            {"days": ["SAT", "SUN"], "start": "00:00", "end": "24:00"},
            {"days": ["MON"], "start": "22:30", "end": "03:00"},
            {"start": NINE + 3 * DAY, "end": NINE + 9 * DAY},
            {"start": NINE + 80 * DAY + SECOND, "end": NINE + 81 * DAY},
        ]
    ),
    max_size=3,
)
crons = st.sampled_from(
    [
        "* * * * *",
        "*/7 * * * *",
        "0 * * * *",
        "30 2 * * *",
        "0,30 1-3 * * *",
        "15 2 * * SUN",
        "0 0 1 * *",
        "*/20 30 1,2 * * *",
    ]
)
schedules = st.one_of(
    st.builds(
        lambda cron, zone, gap, fold, closed: {
            "cron": cron,
            "timezone": zone,
            "dst_gap": gap,
            "dst_fold": fold,
            "blackouts": closed,
        },
        crons,
        st.sampled_from(ZONES),
        st.sampled_from(["run_after", "skip"]),
        st.sampled_from(["first", "second", "both"]),
        blackouts,
    ),
    st.builds(
        lambda every, closed: {"every": every, "blackouts": closed}, st.sampled_from([7.5, 600, 86_400]), blackouts
    ),
)
steps = st.lists(
    st.sampled_from([SECOND, 30 * SECOND, MINUTE, 20 * MINUTE, 3 * HOUR, 2 * DAY, 40 * DAY, 500 * DAY]),
    min_size=1,
    max_size=30,
)


@settings(max_examples=300)
@given(
    schedules,
    st.sampled_from(["last", "all", "first", "none"]),
    st.sampled_from([0, 3_600, 86_400, 10**8]),
    steps,
    st.none() | st.integers(1, 50),
    st.booleans(),
)
def test_every_occurrence_is_accounted_for_once(form, catch_up, window, steps, max_runs, ends):
    """Over ticks, downtimes and blackouts, by every rule."""
    if max_runs:
        form = {**form, "max_runs": max_runs}
    if ends:
        form = {**form, "end_at": NINE + 100 * DAY}
    schedule = SCHEDULE.validate_python(form)
    calendar = calendar_of(schedule, NINE)
    job = DueJob("job", "p", 1, plan(form, catch_up=catch_up, catch_up_window=window), NINE, NINE, None, 0)
    upcoming = first_occurrence(schedule, NINE)
    ran: list[datetime] = []
    rows: list[SkippedRange] = []
    now = NINE
    for step in steps:
        now += step
        if upcoming is None or upcoming > now:
            continue
        job = replace(job, next_run_at=upcoming)
        firing = decide(job, now)
        ran += runs(firing)
        rows += firing.skipped
        assert job.fired_through is None or firing.fired_through >= job.fired_through
        job = replace(job, fired_through=firing.fired_through, fired_count=len(ran))
        upcoming = firing.next_run_at
        assert upcoming is None or upcoming > now
    _check_ledger(schedule, calendar, ran, rows, job.fired_through)
    if max_runs:
        assert len(ran) <= max_runs
        assert (upcoming is None) or len(ran) < max_runs


def _check_ledger(schedule, calendar, ran, rows, through):
    gaps = [row for row in rows if row.reason is SkipReason.DST_GAP]
    ranges = [row for row in rows if row.reason is not SkipReason.DST_GAP]
    if through is None:
        assert not ran
        assert not rows
        return
    assert [row.first for row in gaps] == list(calendar.gaps(NINE - TICK, through))
    assert len(ran) + sum(row.count for row in ranges) == calendar.count(NINE - TICK, through)
    for at in ran:
        assert calendar.last_at_or_before(at) == at
        assert closed_until(schedule.blackouts, schedule.timezone, at) is None
    for row in ranges:
        assert calendar.last_at_or_before(row.first) == row.first
        assert calendar.last_at_or_before(row.last) == row.last
        assert calendar.count(row.first - TICK, row.last) == row.count
    spans = sorted([*((at, at) for at in ran), *((row.first, row.last) for row in ranges)])
    assert all(last < first for (_, last), (first, _) in pairwise(spans))


@settings(max_examples=50)
@given(
    st.lists(st.sampled_from([LUNCH, {"days": ["SAT"], "start": "22:30", "end": "03:00"}]), min_size=1, max_size=2),
    st.integers(1, 2_000),
)
def test_rows_for_the_same_reason_are_joined(closed, days):
    schedule = {"cron": "0 9 * * *", "blackouts": closed}
    firing = decide(due(schedule), NINE + days * DAY)
    assert [row.reason for row in firing.skipped] == [SkipReason.MISSED]
    assert firing.skipped[0].count == days


def test_one_row_for_a_range():
    calendar = calendar_of(SCHEDULE.validate_python(MINUTELY), NINE)
    row = skipped_range(calendar, SkipReason.DISABLED, NINE, NINE + HOUR + SECOND)
    assert row == SkippedRange(SkipReason.DISABLED, NINE + MINUTE, NINE + HOUR, 60)
    assert skipped_range(calendar, SkipReason.DISABLED, NINE, NINE + SECOND) is None
    assert skipped_range(calendar, SkipReason.DISABLED, NINE + HOUR, NINE) is None


# Plans


def test_plans_survive_being_stored():
    for schedule in (MINUTELY, {"every": {"hours": 1}}, {"manual": True}, {"cron": {"hour": 9}, "blackouts": [LUNCH]}):
        spec = JobSpec.model_validate(
            {"name": "ü", "target": {"kind": "http", "url": "http://x.org"}, "schedule": schedule}
        )
        text = plan_text(spec)
        assert parse_plan(text) == plan_of(spec)
        assert parse_plan(text) is parse_plan(str(text.encode(), "utf-8"))
        assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False) == text


def test_equal_plans_have_equal_texts():
    target = {"kind": "script", "source": "true"}
    one = JobSpec.model_validate({"name": "a", "target": target, "schedule": {"cron": "0 9 * * *", "timezone": "UTC"}})
    two = JobSpec.model_validate(
        {"schedule": {"cron": "0 9 * * *", "jitter": 0}, "target": {**target, "source": "x"}, "name": "b"}
    )
    assert plan_text(one) == plan_text(two)
