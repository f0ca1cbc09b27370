"""Properties of calendars, and comparisons with two implementations that share nothing with ours: cronsim, and one
that looks at every minute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import Any

import pytest
from cronsim import CronSim
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from horae.domain.time.calendar import Calendar, calendar_of
from horae.domain.time.schedule import Schedule
from horae.domain.time.zones import zone as rules
from tests.unit.domain.time.expressions import ZONES, Slow, busy, five_fields, six_fields, slow_occurrences

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
ANCHOR = datetime(2020, 2, 3, 4, 5, 6, 789, tzinfo=UTC)
TICK = timedelta(microseconds=1)

zones = st.sampled_from(ZONES)
instants = st.integers(0, 60 * 365 * 86_400 * 10**6).map(
    lambda passed: datetime(2001, 1, 1, tzinfo=UTC) + timedelta(microseconds=passed)
)


def calendar(**schedule: Any) -> Calendar:
    try:
        return calendar_of(SCHEDULE.validate_python(schedule), ANCHOR)
    except ValidationError as error:
        assume("matches no date" not in str(error))
        raise


calendars = st.one_of(
    st.builds(lambda cron, timezone: {"cron": cron, "timezone": timezone}, five_fields | six_fields | busy, zones),
    st.builds(
        lambda cron, timezone, gap, fold: {"cron": cron, "timezone": timezone, "dst_gap": gap, "dst_fold": fold},
        busy,
        zones,
        st.sampled_from(["run_after", "skip"]),
        st.sampled_from(["first", "second", "both"]),
    ),
    st.builds(lambda seconds: {"every": seconds}, st.integers(1, 10**7) | st.floats(1, 10**7)),
    st.builds(lambda at: {"at": at}, instants),
)


@settings(max_examples=300)
@given(calendars, instants)
def test_next_is_strictly_later_and_last_is_its_inverse(schedule, after):
    cal = calendar(**schedule)
    found = list(islice(cal.between(after, datetime.max.replace(tzinfo=UTC)), 20))
    before = after
    for at in found:
        assert at > before
        assert at.tzinfo is UTC
        assert cal.last_at_or_before(at) == at
        assert cal.last_at_or_before(at - TICK) in (None if before == after else before, cal.last_at_or_before(after))
        assert cal.next_after(at - TICK) == at
        before = at


@settings(max_examples=300)
@given(calendars, instants, st.lists(st.integers(0, 3 * 86_400), min_size=1, max_size=6))
def test_a_range_holds_the_same_however_it_is_split(schedule, start, steps):
    cal = calendar(**schedule)
    cuts = [start]
    for step in steps:
        cuts.append(cuts[-1] + timedelta(seconds=step))
    whole = list(islice(cal.between(cuts[0], cuts[-1]), 5_000))
    assume(len(whole) < 5_000)
    assert cal.count(cuts[0], cuts[-1]) == len(whole)
    parts = [list(cal.between(after, until)) for after, until in pairwise(cuts)]
    assert [at for part in parts for at in part] == whole
    for part, (after, until) in zip(parts, pairwise(cuts), strict=True):
        assert cal.count(after, until) == len(part)


@settings(max_examples=200)
@given(six_fields | five_fields, zones, instants)
@example("0 0 1 1 *", "Pacific/Apia", datetime(2011, 12, 30, tzinfo=UTC))
def test_occurrences_match_the_fields(expression, zone, after):
    slow, cal = Slow(expression), calendar(cron=expression, timezone=zone)
    for at in islice(cal.between(after, after + timedelta(days=40_000)), 10):
        assert slow.matches(at.astimezone(rules(zone)).replace(tzinfo=None)) or cal.moved(at)


@settings(max_examples=200)
@given(five_fields | busy, zones, instants, st.data())
def test_every_minute_agrees(expression, zone, after, data):
    """Around the changes of the clocks, above all."""
    gap = data.draw(st.sampled_from(["run_after", "skip"]))
    fold = data.draw(st.sampled_from(["first", "second", "both"]))
    cal = calendar(cron=expression, timezone=zone, dst_gap=gap, dst_fold=fold)
    after = after.replace(second=0, microsecond=0)
    change = _next_change(zone, after)
    if change is not None:
        after = change - timedelta(hours=data.draw(st.integers(0, 30)))
    until = after + timedelta(hours=36)
    assert list(cal.between(after, until)) == slow_occurrences(expression, zone, after, until, gap, fold)


def _next_change(zone: str, after: datetime) -> datetime | None:
    place = rules(zone)
    offset = after.astimezone(place).utcoffset()
    for days in range(0, 800, 5):
        if (after + timedelta(days=days)).astimezone(place).utcoffset() != offset:
            low, high = (days - 5) * 1_440, days * 1_440
            while high - low > 1:
                middle = (low + high) // 2
                same = (after + timedelta(minutes=middle)).astimezone(place).utcoffset() == offset
                low, high = (middle, high) if same else (low, middle)
            return after + timedelta(minutes=high)
    return None


# Its clocks were moved at one minute past midnight, and cronsim leaves out what follows such a gap; the test above
# covers it.
_ODD = ("America/St_Johns",)


@settings(max_examples=1_500)
@given(five_fields | busy, zones.filter(lambda zone: zone not in _ODD), instants)
def test_cronsim_agrees(expression, zone, after):
    """cronsim follows Debian's cron, daylight saving included."""
    cal = calendar(cron=expression, timezone=zone)
    place = rules(zone) if zone != "UTC" else UTC
    theirs = [at.astimezone(UTC) for at in islice(CronSim(expression, after.astimezone(place)), 8)]
    # Asked from inside a repeated hour it may begin with what is past.
    theirs = [at for at in theirs if at > after][:5]
    assert list(islice(cal.between(after, datetime(2100, 1, 1, tzinfo=UTC)), len(theirs))) == [
        at for at in theirs if at.year < 2100
    ]


@settings(max_examples=500)
@given(six_fields, instants)
def test_cronsim_agrees_about_seconds(expression, after):
    cal = calendar(cron=expression)
    theirs = [at for at in islice(CronSim(expression, after), 5) if at.year < 2100]
    assert list(islice(cal.between(after, datetime(2100, 1, 1, tzinfo=UTC)), len(theirs))) == theirs


@settings(max_examples=200)
@given(busy, zones, instants, st.integers(0, 10**6), st.integers(0, 10**6))
def test_start_and_end_are_inclusive(expression, zone, start, length, lead):
    end = start + timedelta(seconds=length)
    free = calendar(cron=expression, timezone=zone)
    bound = calendar(cron=expression, timezone=zone, start_at=start, end_at=end)
    before = start - timedelta(seconds=lead) - TICK
    expected = list(islice(free.between(start - TICK, end), 50))
    assert list(islice(bound.between(before, datetime.max.replace(tzinfo=UTC)), 50)) == expected
    assert bound.count(before, end + timedelta(days=99)) == free.count(start - TICK, end)
    assert (
        bound.last_at_or_before(end + timedelta(days=99))
        == max(filter(None, [free.last_at_or_before(end)]), default=None)
        or not expected
    )


def test_an_occurrence_at_the_very_start_and_end_counts():
    nine, ten = datetime(2026, 1, 5, 9, tzinfo=UTC), datetime(2026, 1, 5, 10, tzinfo=UTC)
    cal = calendar(cron="0 * * * *", start_at=nine, end_at=ten)
    assert list(cal.between(nine - timedelta(days=1), ten + timedelta(days=1))) == [nine, ten]
    grid = calendar(every="1h", start_at=nine, end_at=ten)
    assert list(grid.between(nine - timedelta(days=1), ten + timedelta(days=1))) == [nine, ten]


@given(st.integers(1, 10**5), st.integers(0, 10**4), instants)
def test_a_grid_never_drifts(seconds, number, start):
    cal = calendar(every=seconds, start_at=start)
    assume(seconds * number < 10**9)
    at = start + number * timedelta(seconds=seconds)
    assume(at.year < 2100)
    assert cal.next_after(at - TICK) == at
    assert cal.count(start - TICK, at) == number + 1
    assert cal.next_after(start - timedelta(days=9)) == start
    assert cal.last_at_or_before(start - TICK) is None


def test_a_grid_begins_where_the_job_was_made():
    assert calendar(every="90s").next_after(ANCHOR - TICK) == ANCHOR
    assert calendar(every="90s").next_after(ANCHOR) == ANCHOR + timedelta(seconds=90)


@pytest.mark.parametrize("schedule", [{"manual": True}, {"after": {"job": "load"}}])
def test_manual_and_after_schedules_have_no_occurrences(schedule):
    cal = calendar(**schedule)
    far = ANCHOR + timedelta(days=9_999)
    assert cal.next_after(ANCHOR) is None
    assert cal.last_at_or_before(far) is None
    assert cal.count(ANCHOR, far) == 0
    assert list(cal.between(ANCHOR, far)) == []


def test_calendars_end_with_the_year_2100():
    edge = datetime(2100, 12, 31, 23, 59, 59, tzinfo=UTC)
    for schedule in ({"cron": "* * * * * *", "timezone": "Pacific/Kiritimati"}, {"every": 1, "start_at": ANCHOR}):
        cal = calendar(**schedule)
        last = cal.last_at_or_before(datetime.max.replace(tzinfo=UTC))
        assert last is not None
        assert edge - timedelta(seconds=1) < last < edge + timedelta(seconds=1)
        assert cal.next_after(last) is None
        assert cal.next_after(datetime.max.replace(tzinfo=UTC)) is None
        assert cal.count(last, datetime.max.replace(tzinfo=UTC)) == 0


def test_calendars_begin_in_1970():
    cal = calendar(cron="0 0 * * *", timezone="Europe/London")
    assert cal.next_after(datetime.min.replace(tzinfo=UTC)) == datetime(1970, 1, 1, 23, tzinfo=UTC)
    assert cal.last_at_or_before(datetime(1969, 1, 1, tzinfo=UTC)) is None


def test_a_hundred_years_of_seconds_are_counted_not_walked():
    cal = calendar(cron="* * * * * *", timezone="Europe/Berlin")
    start, end = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
    assert cal.count(start, end) == (end - start) // timedelta(seconds=1)
    daily = calendar(cron="30 2 * * *", timezone="Europe/Berlin")
    assert daily.count(start, end) == (end - start).days


def test_equal_schedules_share_a_calendar():
    one = SCHEDULE.validate_python({"cron": "0 9 * * *", "timezone": "Europe/Berlin"})
    two = SCHEDULE.validate_python({"timezone": "Europe/Berlin", "cron": "0 9 * * *"})
    assert calendar_of(one, ANCHOR) is calendar_of(two, ANCHOR + timedelta(days=1))
