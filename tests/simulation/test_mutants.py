"""Bugs that are planted on purpose are found, each in a few worlds: the simulation can fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.simulation.hunt import hunt
from tests.simulation.mutants import BY_NAME

MOST = 150
PAGE = Path(__file__).parents[2] / "docs" / "simulation.md"
pytestmark = [pytest.mark.sqlite, pytest.mark.timeout(900)]  # long on a busy machine


# As `make simulate ARGS=--mutants` prints them: how many worlds each needed.
LISTED = dict(re.findall(r"^\| ([^|]+) \| [^|]+ \| (\d+) \| [^|]+ \|$", PAGE.read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", BY_NAME)
def test_a_planted_bug_is_found(name: str) -> None:
    """In the world where it was found when the page was written, or else in one of many."""
    found = hunt(BY_NAME[name], MOST, likely=int(LISTED.get(name, 1)) - 1)
    print(found.row)
    assert found.trial is not None, f"{name} lived through {MOST} worlds"


def test_the_page_lists_them_all() -> None:
    assert sorted(LISTED) == sorted(BY_NAME)
