"""Histograms of times: mergeable, and percentiles close to the truth."""

from random import Random

import pytest

from horae.domain.runs.spread import BOUNDS, bucket, merged, pairs, percentile, read_pairs, read_text, written
from horae.domain.runs.tally import Detail


def spread(milliseconds: list[int]) -> dict[int, int]:
    return read_text(written(milliseconds))


def test_nothing_has_no_percentile():
    assert percentile({}, 0.5) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_percentile_is_off_by_a_fifth_at_most(seed):
    chance = Random(seed)
    times = sorted(int(10 ** chance.uniform(0.5, 9)) for _ in range(1_000))
    for share in (0.01, 0.5, 0.9, 0.99, 1.0):
        exact = times[max(round(share * len(times)) - 1, 0)]
        found = percentile(spread(times), share)
        assert found == pytest.approx(exact, rel=0.2, abs=1)


def test_parts_add_up_to_the_whole():
    chance = Random(1)
    times = [int(10 ** chance.uniform(0, 10)) for _ in range(500)]
    parts = [spread(times[start : start + 37]) for start in range(0, 500, 37)]
    assert merged(parts) == spread(times)


def test_what_is_longer_than_a_month_has_a_bucket_too():
    assert bucket(BOUNDS[-1] + 1) == len(BOUNDS) == bucket(10**15)
    assert percentile(spread([10**15]), 0.5) == BOUNDS[-1]


def test_what_started_early_was_not_late():
    assert bucket(-5) == bucket(0) == 0


def test_as_text_and_as_pairs_and_back():
    found = spread([5, 5, 5, 70, 70, 10**7])
    assert sorted(found.values()) == [1, 2, 3]
    assert read_pairs([list(pair) for pair in pairs(found)]) == found
    assert written([5]) == str(bucket(5))


@pytest.mark.parametrize("text", ["x", "5x", "x5", "-1", "9999", "5xx5", "٣", "5x-1", "1.5", "1" * 40, "{}"])
def test_a_damaged_text_counts_as_nothing(text):
    assert read_text(text) == {}
    assert read_text(f"{text} 7x2") == {7: 2}


@pytest.mark.parametrize("stored", [None, 7, "x", {}, [[1]], [["1", 2]], [[-1, 2]], [[1, 0]], [[10**6, 1]], [[1.5, 2]]])
def test_damaged_pairs_count_as_nothing(stored):
    assert read_pairs(stored) == {}


@pytest.mark.parametrize(
    ("text", "queue"),
    [(None, None), ("", None), ("//", None), ("//mail", "mail"), ("1/2/a/b", "a/b"), ("1x2 3/4/mail", "mail")],
)
def test_details_of_a_delta(text, queue):
    assert Detail.read(text).queue == queue
