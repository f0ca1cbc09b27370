"""Worlds of 200 seeds that stay and 40 that are new every day, and that a seed is always the same world."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.simulation.shrink import shrink
from tests.simulation.trial import attempt, told
from tests.today import seeds

PORTIONS, PORTION, NEW = 20, 10, 4
pytestmark = [pytest.mark.sqlite, pytest.mark.timeout(900)]  # long on a busy machine


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_every_world_ends_well(portion: int) -> None:
    _end_well(range(portion * PORTION, (portion + 1) * PORTION))


@pytest.mark.parametrize("portion", range(NEW))
def test_every_new_world_ends_well(portion: int) -> None:
    _end_well(seeds(NEW * PORTION)[portion * PORTION : (portion + 1) * PORTION])


def _end_well(worlds: range) -> None:
    for seed in worlds:
        trial = attempt(str(seed))
        if trial.failure is not None:
            pytest.fail(told(shrink(trial), trial), pytrace=False)


def test_a_seed_is_the_same_world_in_every_process() -> None:
    """Also where sets have another order: the classic trap."""
    code = "from tests.simulation.trial import attempt\nfor s in '0', '3', '7': print(attempt(s).fingerprint)"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": order},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for order in ("1", "2")
    }
    assert len(told) == 1
    assert len(set(told.pop().split())) == 3
