"""The quick part of the fault suite: one repetition of what takes seconds. `make faults` runs all of it.

Here each scenario runs on the databases where it matters most. On a server that stands in for the machine's own (`make
test-databases`) all of them run.
"""

import os

import pytest

import tests.faults.scenarios  # noqa: F401 (registers them)
from tests.databases import server_url
from tests.faults.scenario import SCENARIOS, Scenario
from tests.faults.stage import Templates, play


def stands_in(kind: str) -> bool:
    return os.environ.get(f"HORAE_TEST_{kind.upper()}_KIND", kind) != kind


FAST = [
    pytest.param(scenario, kind, id=f"{scenario.name}-{kind}", marks=[getattr(pytest.mark, kind), pytest.mark.slow])
    for scenario in SCENARIOS.values()
    for kind in scenario.kinds
    if kind in scenario.fast or (scenario.fast and stands_in(kind))
]


@pytest.mark.parametrize(("scenario", "kind"), FAST)
async def test_the_promise_holds(scenario: Scenario, kind: str, templates: Templates) -> None:
    if not scenario.playable:
        pytest.skip(f"needs {scenario.needs}")
    if kind != "sqlite":
        server_url(kind)
    await play(scenario, templates, kind, scenario.times[0], seed=1)
