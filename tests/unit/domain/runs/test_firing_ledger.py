"""No decision about a due job loses or duplicates an occurrence; and plans are the same after being stored."""

from __future__ import annotations

import json
from datetime import datetime
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from horae.domain.jobs.job import JobSpec
from horae.domain.runs.firing import (
    DueJob,
    SkippedRange,
    decide,
    first_occurrence,
    parse_plan,
    plan_of,
    plan_text,
    skipped_range,
)
from horae.domain.runs.states import SkipReason
from horae.domain.time.blackouts import closed_until
from horae.domain.time.calendar import calendar_of
from tests.unit.domain.runs.due import (
    DAY,
    HOUR,
    LUNCH,
    MINUTE,
    MINUTELY,
    NINE,
    SCHEDULE,
    SECOND,
    TICK,
    due,
    plan,
    runs,
)
from tests.unit.domain.time.expressions import ZONES

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
        job = job._replace(next_run_at=upcoming)
        firing = decide(job, now)
        ran += runs(firing)
        rows += firing.skipped
        assert job.fired_through is None or firing.fired_through >= job.fired_through
        job = job._replace(fired_through=firing.fired_through, fired_count=len(ran))
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
