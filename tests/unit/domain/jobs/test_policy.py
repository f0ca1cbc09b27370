from __future__ import annotations

import pytest

from horae.domain.jobs.policy import Retry
from tests.unit.domain.refused import refused


@pytest.mark.parametrize(
    ("backoff", "pauses"),
    [("exponential", [60, 120, 240, 480]), ("linear", [60, 120, 180, 240]), ("fixed", [60, 60, 60, 60])],
)
def test_pauses(backoff, pauses):
    retry = Retry(backoff=backoff, delay=60, jitter=0)
    assert [retry.pause(made, 0.3) for made in (1, 2, 3, 4)] == pauses


def test_no_pause_exceeds_the_longest():
    for backoff in ("exponential", "linear", "fixed"):
        retry = Retry(max_attempts=100, backoff=backoff, delay=86_400, max_delay=604_800, jitter=1)
        for made in (1, 2, 50, 99, 10_000):
            assert 0 <= retry.pause(made, 0.999_999) <= 604_800
    assert Retry(delay=60, max_delay=10, jitter=0).pause(1, 0) == 10


def test_jitter_spreads_both_ways():
    retry = Retry(delay=100, jitter=0.1)
    assert retry.pause(1, 0) == pytest.approx(90)
    assert retry.pause(1, 0.5) == pytest.approx(100)
    assert retry.pause(1, 1) == pytest.approx(110)


def test_what_the_server_asks_for_counts_up_to_the_longest_pause():
    retry = Retry(delay=60, max_delay=3_600, jitter=0)
    assert retry.pause(1, 0, retry_after=120) == 120
    assert retry.pause(1, 0, retry_after=5) == 60
    assert retry.pause(1, 0, retry_after=1e9) == 3_600


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_attempts": 101}, "max_attempts"),
        ({"max_attempts": True}, "max_attempts"),
        ({"max_attempts": "3"}, "max_attempts"),
        ({"max_attempts": 1.5}, "max_attempts"),
        ({"max_attempts": None}, "max_attempts"),
        ({"max_attempts": 10**400}, "max_attempts"),
        ({"delay": -1}, "delay"),
        ({"delay": float("nan")}, "delay"),
        ({"delay": float("inf")}, "delay"),
        ({"delay": True}, "delay"),
        ({"delay": "soon"}, "delay"),
        ({"delay": 86_401}, "delay"),
        ({"max_delay": -0.1}, "max_delay"),
        ({"max_delay": 10**9}, "max_delay"),
        ({"jitter": 1.1}, "jitter"),
        ({"jitter": -0.1}, "jitter"),
        ({"jitter": False}, "jitter"),
        ({"backoff": "random"}, "backoff"),
        ({"backoff": None}, "backoff"),
        ({"attempts": 3}, "attempts"),
        ([], ""),
        (None, ""),
        ("3", ""),
    ],
)
def test_refused(form, field):
    assert refused(Retry, form)[0] == field
