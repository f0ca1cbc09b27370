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


@pytest.mark.parametrize("name", BY_NAME)
def test_a_planted_bug_is_found(name: str) -> None:
    found = hunt(BY_NAME[name], MOST)
    print(found.row)
    assert found.trial is not None, f"{name} lived through {MOST} worlds"


def test_the_page_lists_them_all() -> None:
    """As `make simulate ARGS=--mutants` prints them."""
    listed = re.findall(r"^\| ([^|]+) \| [^|]+ \| \d+ \| [^|]+ \|$", PAGE.read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(BY_NAME)
