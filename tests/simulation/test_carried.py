"""Worlds whose runs are carried by a broker that loses, doubles, delays and reorders messages. Bugs that are planted in
them are in `broker_mutants.py`."""

from __future__ import annotations

import pytest

from tests.simulation.shrink import shrink
from tests.simulation.trial import attempt, told
from tests.today import seeds

STAYING, NEW = 20, 6
pytestmark = [pytest.mark.sqlite, pytest.mark.timeout(900)]  # long on a busy machine


@pytest.mark.parametrize("worlds", [range(STAYING // 2), range(STAYING // 2, STAYING), seeds(NEW)], ids=str)
def test_every_world_with_a_broker_ends_well(worlds: range) -> None:
    for seed in worlds:
        trial = attempt(str(seed), kind="broker")
        if trial.failure is not None:
            pytest.fail(told(shrink(trial), trial), pytrace=False)
