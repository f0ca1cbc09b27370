"""Cost depends on what is due or requested: not on the number of queues, of runs that no worker can execute, of held
runs or of paused jobs. Measured in rows that the database reads, never in time."""

import pytest

from horae.domain.jobs.job_record import JobRecord
from tests.contract.cost import metered
from tests.contract.wide import Verb, enough, go_through, narrow, widen
from tests.contract.world import World

pytestmark = pytest.mark.slow
_SLACK = 40  # pages, rows or hundreds of steps: an index that is one level deeper, a page that is read in passing


async def _costs(world: World, gated: JobRecord) -> dict[str, tuple[int, int]]:
    """What each verb costs now: statements, and what they read."""
    costly, meter = await metered(world)
    found: dict[str, tuple[int, int]] = {}

    async def cost(name: str, verb: Verb) -> None:
        meter.statements = meter.read = 0
        await verb(costly)
        found[name] = meter.statements, meter.read

    await go_through(world, gated, cost)
    return found


async def test_width_costs_nothing(world: World) -> None:
    gated = await narrow(world)
    before = await _costs(world, gated)
    await widen(world, gated, enough)
    after = await _costs(world, gated)
    said = f"narrow {before}, wide {after}"
    assert {name: cost[0] for name, cost in after.items()} == {name: cost[0] for name, cost in before.items()}, said
    assert not [name for name in before if after[name][1] > 2 * before[name][1] + _SLACK], said
