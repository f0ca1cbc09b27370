"""Points of a time series: windows, steps, and gaps."""

from datetime import UTC, datetime, timedelta

import pytest

from horae.domain.errors import InvalidInput
from horae.domain.runs.points import MOST_POINTS, Point, points, window
from horae.domain.runs.series import DAY, HOUR, MINUTE, Bucket, begin

NOW = datetime(2026, 11, 15, 7, 3, 23, tzinfo=UTC)


def ago(**time: float) -> datetime:
    return NOW - timedelta(**time)


def sampled(point: Point) -> int:
    assert point.sampled is not None
    return point.sampled.queued


@pytest.mark.parametrize(
    ("since", "step", "length"),
    [
        (None, MINUTE, MINUTE),
        (ago(hours=24), 15 * MINUTE, MINUTE),
        (ago(days=7), 2 * HOUR, HOUR),
        (ago(days=30), 6 * HOUR, HOUR),
        (ago(days=100), DAY, DAY),
        (ago(days=1_000), 30 * DAY, DAY),
        (ago(days=50_000), 30 * DAY, DAY),
    ],
)
def test_the_default_step_gives_a_readable_number_of_points(since, step, length):
    if since == ago(days=50_000):
        with pytest.raises(InvalidInput, match="too short"):
            window(NOW, since, None, None)
        return
    found = window(NOW, since, None, None)
    assert (found.step, found.length) == (step, length)
    assert found.since == begin(since or ago(hours=1), step)
    assert len(list(found.begins())) <= 122


def test_past_windows_use_hourly_series():
    found = window(NOW, ago(days=10), ago(days=10, hours=-1), None)
    assert (found.step, found.length) == (HOUR, HOUR)


@pytest.mark.parametrize(
    ("since", "until", "step", "field"),
    [
        (ago(hours=1), ago(hours=2), None, "until"),
        (ago(hours=1), ago(hours=1), None, "until"),
        (None, None, 30, "step"),
        (None, None, 90, "step"),
        (None, None, 0, "step"),
        (ago(days=3), None, 5 * MINUTE, "step"),
        (ago(minutes=MOST_POINTS + 1), None, MINUTE, "step"),
    ],
)
def test_invalid_windows_are_refused_with_their_field(since, until, step, field):
    with pytest.raises(InvalidInput) as refused:
        window(NOW, since, until, step)
    assert refused.value.field == field


def test_a_gap_is_not_zero_and_zero_is_not_a_gap():
    found = window(NOW, ago(minutes=5), None, MINUTE)
    first, second, third, *_ = found.begins()
    whole = [(first, Bucket(samples=1, slots=8)), (third, Bucket({"failed": 2}))]
    mine = [(first, Bucket(samples=1, queued=3, running=2, most_queued=3))]
    told = {point.at: point for point in points(found, mine, whole)}
    assert sampled(told[first]) == 3
    assert told[first].utilisation == 0.25
    assert told[second].mine is None
    assert told[third].mine == Bucket()
    assert told[third].sampled is None
    quiet = points(found, [], whole)[0]
    assert (sampled(quiet), quiet.utilisation) == (0, 0.0)


def test_minutes_without_anything_count_in_the_mean():
    found = window(NOW, ago(minutes=30), None, 10 * MINUTE)
    start = found.since
    whole = [(start + timedelta(minutes=n), Bucket(samples=1)) for n in range(10)]
    point = points(found, [(start, Bucket(samples=1, queued=20))], whole)[0]
    assert point.mean(sampled(point)) == 2.0


def test_done_is_the_difference_of_a_worker_s_counter():
    found = window(NOW, ago(minutes=3), None, MINUTE)
    start = found.since
    counts = [(start + timedelta(minutes=n), Bucket(samples=1, done=done)) for n, done in enumerate((10, 15, 15), -1)]
    assert [point.done for point in points(found, counts, counts)][:2] == [5, 0]
