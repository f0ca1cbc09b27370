"""Bugs that are planted on purpose are found, each in a few worlds: the simulation can fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from horae.lifecycle import settle
from tests.simulation.hunt import hunt
from tests.simulation.mutant import Mutant
from tests.simulation.mutants import BY_NAME, MUTANTS
from tests.simulation.rewrites import Misfit, Rewrite, listening
from tests.simulation.trial import attempt

MOST = 400
WORLDS = 20
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


def test_every_rewrite_finds_what_it_is_meant_for() -> None:
    """In worlds without a bug: with one, they may end before all of its statements were sent."""
    rewrites = [rewrite for mutant in MUTANTS for rewrite in mutant.sql]
    without: dict[str, list[str]] = {}
    with listening() as sent:
        for seed in range(WORLDS):
            assert attempt(str(seed)).failure is None
            without = {rewrite.old: begins for rewrite in rewrites if (begins := rewrite.without_it(sent))}
            if not without:
                return
    pytest.fail(f"no statement that begins so has this text: {without}")


def test_a_plant_that_is_broken_finds_nothing() -> None:
    """An argument of another name must not count as a bug that was found."""
    broken = Mutant("broken", "", patches=lambda: [(settle, "judge", lambda renamed: None)])
    with pytest.raises(Misfit, match="broke no rule"):
        hunt(broken, 1)
    elsewhere = Mutant("elsewhere", "", sql=(Rewrite("status = 'queued'", "TRUE", ("DELETE FROM runs",)),))
    with pytest.raises(Misfit, match="a statement that is not meant"):
        hunt(elsewhere, 1)


def test_the_page_lists_them_all() -> None:
    assert sorted(LISTED) == sorted(BY_NAME)
