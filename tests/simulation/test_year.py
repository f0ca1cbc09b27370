"""A year of schedules in seconds, with schedulers that come and go: every occurrence is accounted for."""

from __future__ import annotations

import pytest

from tests.simulation.year import live_through

pytestmark = [pytest.mark.sqlite, pytest.mark.timeout(900)]  # long on a busy machine


def test_a_year_is_accounted_for() -> None:
    year = live_through("0")
    assert year.loop.time() > 365 * 86_400
    assert sum(year.oracle.ended.values()) > 3_000
    assert len(year.faults.happened) > 100
