"""Lockout: the growing wait after failed attempts."""

from datetime import UTC, datetime, timedelta

import pytest

from horae.domain.people.lockout import Lockout, Tries

NOW = datetime(2026, 11, 15, tzinfo=UTC)
RULE = Lockout(free=3, first=10, longest=60, forget=100)


@pytest.mark.parametrize(
    ("level", "ago", "wait"),
    [
        (0, 0, 0),
        (2, 0, 0),
        (3, 0, 10),
        (2.999, 0, 10),  # a little has faded since the try before
        (3, 4, 6),
        (3, 10, 0),
        (4, 0, 20),
        (5, 0, 40),
        (6, 0, 60),
        (1_000, 0, 60),
        (1_000, 61, 0),
    ],
)
def test_the_wait_doubles_up_to_an_end(level: float, ago: float, wait: float):
    assert RULE.wait(Tries(level, NOW - timedelta(seconds=ago)), NOW) == wait


def test_tries_are_forgotten_one_by_one():
    tries = Tries(3, NOW)
    assert [RULE.level(tries, NOW + timedelta(seconds=s)) for s in (0, 100, 250, 400)] == [3, 2, 0.5, 0]


def test_a_clock_that_went_back_forgives_nothing():
    assert RULE.level(Tries(3, NOW), NOW - timedelta(hours=1)) == 3
