"""Cost follows what is due or asked for: not the number of queues, of runs that nobody can take, of held runs or of
paused jobs. Counted in what the database looks at, never in time."""

from collections.abc import Awaitable, Callable

import pytest

from horae.domain.records import JobRecord
from horae.lifecycle.claim import look
from horae.ports import Transaction
from tests.contract.cost import metered
from tests.contract.wide import widen
from tests.contract.world import OFFERS, World

pytestmark = pytest.mark.slow
_SLACK = 40  # pages, rows or hundreds of steps: an index that is one level deeper, a page that is read in passing


async def _empty_claim(world: World) -> None:
    assert await world.claim(queues=("none",)) == []


async def _claim(world: World) -> None:
    assert len(await world.claim(1, queues=("one",), lease=86_400)) == 1


async def _look(world: World) -> None:
    await world.store.read(look, queues=("default", "one", "q-1"), offers=OFFERS)


async def _fire_nothing(world: World) -> None:
    assert (await world.fire()).jobs == 0


async def _fire(world: World) -> None:
    assert (await world.fire()).runs == 1


async def _sweep(world: World) -> None:
    assert not await world.store.read(_chores) & {"lost", "overdue"}


async def _chores(tx: Transaction) -> set[str]:
    return await tx.runs.chores()


async def _recover(world: World) -> None:
    assert await world.recover() == 0


async def _expire(world: World) -> None:
    assert await world.expire() == 0


async def _costs(world: World, gated: JobRecord) -> dict[str, tuple[int, int]]:
    """What each verb costs now: statements, and what they read."""
    costly, meter = await metered(world)
    single = await world.job(queue="one")
    found: dict[str, tuple[int, int]] = {}

    async def cost(name: str, verb: Callable[[World], Awaitable[object]]) -> None:
        meter.statements = meter.read = 0
        await verb(costly)
        found[name] = meter.statements, meter.read

    await cost("claim of nothing", _empty_claim)
    await cost("look", _look)
    await world.trigger(single, 2)
    await cost("claim of one", _claim)
    await cost("chores", _sweep)
    await cost("recover", _recover)
    await cost("expire", _expire)
    await cost("fire nothing", _fire_nothing)
    await world.job(every="1h")
    await cost("fire one", _fire)
    await cost("trigger behind a gate", lambda one: one.trigger(gated))
    run, *_ = [run for run in await world.claim(lease=86_400) if run.job_id == gated.id]
    await cost("end behind a gate", lambda one: one.finish(run))
    return found


async def test_width_costs_nothing(world: World) -> None:
    gated = await world.job(max_instances=2)
    waiting = (await world.trigger(gated, 6))[5]
    await world.job(every="1h")
    await world.fire()
    narrow = await _costs(world, gated)
    await widen(world, waiting)
    wide = await _costs(world, gated)
    assert {name: statements for name, (statements, _) in wide.items()} == {
        name: statements for name, (statements, _) in narrow.items()
    }
    dearer = {name: (narrow[name], wide[name]) for name in narrow if wide[name][1] > 2 * narrow[name][1] + _SLACK}
    assert not dearer, f"narrow {narrow}, wide {wide}"
