"""Histograms of times: mergeable, and percentiles close to the truth."""

from datetime import timedelta
from random import Random

import pytest

from horae.domain.runs.claim import QueuePlace
from horae.domain.runs.ending import Ended
from horae.domain.runs.spread import BOUNDS, bucket, merged, pairs, percentile, read_pairs, spread_of
from horae.domain.runs.states import RunStatus
from horae.domain.runs.tally import Detail, detail
from horae.lifecycle.ended import tally


def test_nothing_has_no_percentile():
    assert percentile({}, 0.5) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_percentile_is_off_by_a_fifth_at_most(seed):
    chance = Random(seed)
    times = sorted(int(10 ** chance.uniform(0.5, 9)) for _ in range(1_000))
    for share in (0.01, 0.5, 0.9, 0.99, 1.0):
        exact = times[max(round(share * len(times)) - 1, 0)]
        found = percentile(spread_of(times), share)
        assert found == pytest.approx(exact, rel=0.2, abs=1)


def test_parts_add_up_to_the_whole():
    chance = Random(1)
    times = [int(10 ** chance.uniform(0, 10)) for _ in range(500)]
    parts = [spread_of(times[start : start + 37]) for start in range(0, 500, 37)]
    assert merged(parts) == spread_of(times)


def test_what_is_longer_than_a_month_has_a_bucket_too():
    assert bucket(BOUNDS[-1] + 1) == len(BOUNDS) == bucket(10**15)
    assert percentile(spread_of([10**15]), 0.5) == BOUNDS[-1]


def test_what_started_early_was_not_late():
    assert bucket(-5) == bucket(0) == 0


def test_as_pairs_and_back():
    found = spread_of([5, 5, 5, 70, 70, 10**7])
    assert sorted(found.values()) == [1, 2, 3]
    assert read_pairs([list(pair) for pair in pairs(found)]) == found


@pytest.mark.parametrize("stored", [None, 7, "x", {}, [[1]], [["1", 2]], [[-1, 2]], [[1, 0]], [[10**6, 1]], [[1.5, 2]]])
def test_damaged_pairs_count_as_nothing(stored):
    assert read_pairs(stored) == {}


@pytest.mark.parametrize(
    "text", [None, "", "{", "{}", "7", "[]", '["mail"]', "[7, [], []]", '["mail", 1, []]', "1/2/mail"]
)
def test_a_damaged_detail_counts_as_nothing(text):
    assert Detail.read(text) == ({}, {}, None)


def test_a_detail_with_something_odd_in_it_keeps_the_rest():
    for queue in ("q" * 101, "a\\u0000b"):  # no database takes it: every later roll-up would fail with it
        assert Detail.read(f'["{queue}", [5], [7]]') == ({}, {}, None)
    assert Detail.read('["mail", [5, "x", null], [1.5]]') == ({bucket(5): 1}, {}, "mail")


def _ended(job: str, queue: str, status: RunStatus, late: int | None, took: int) -> Ended:
    place, delay = QueuePlace(queue, None), None if late is None else timedelta(milliseconds=late)
    return Ended("run", job, 1, "project", status, duration_ms=took, place=place, late=delay)


def test_the_times_of_a_queue_are_in_one_delta_of_a_batch():
    """As many deltas as there are jobs and statuses; reading all of them gives every run once."""
    good, bad, cut = RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED
    tallies = tally(
        [
            _ended("a", "mail", cut, 3, 9_999),
            _ended("a", "mail", good, 5, 70),
            _ended("b", "mail", bad, 5, 900),
            _ended("b", "other", good, None, 0),
            _ended("c", "other", good, 8, 20),
        ]
    )
    found = [Detail.read(one.detail) for one in tallies]
    assert [(one.job_id, one.status, one.count, read.queue) for one, read in zip(tallies, found, strict=True)] == [
        ("a", cut, 1, "mail"),
        ("a", good, 1, "mail"),
        ("b", bad, 1, "mail"),
        ("b", good, 1, "other"),
        ("c", good, 1, "other"),
    ]
    for queue, late, took in (("mail", [5, 5], [70, 900]), ("other", [8], [20])):
        (times,) = [read for read in found if read.queue == queue and read.lateness]
        assert times == (spread_of(late), spread_of(took), queue)


def test_a_run_of_no_queue_has_no_detail():
    assert detail(None) is None
