"""A year of schedules in seconds, with schedulers that come and go: every occurrence is accounted for."""

from __future__ import annotations

import pytest

from tests.simulation.trial import attempt, told

pytestmark = [pytest.mark.sqlite, pytest.mark.timeout(900)]  # long on a busy machine


def test_a_year_is_accounted_for() -> None:
    year = attempt("0", kind="year")
    if year.failure is not None:
        pytest.fail(told(year, year), pytrace=False)
    assert year.virtual > 365 * 86_400
    assert sum(year.ended.values()) > 3_000
    assert len(year.happened) > 100
