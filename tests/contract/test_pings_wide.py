"""Many pings: a pass reads only those that are due, a signal reads one. Measured in rows that the database reads."""

import pytest

from horae.domain.pings.ping import PingState
from tests.contract.cost import metered
from tests.contract.test_pings import START, SUCCESS, hear, look, make, page
from tests.contract.wide import copy, enough
from tests.contract.world import World

pytestmark = pytest.mark.slow
MANY = 100_000
SLACK = 90  # pages, rows or hundreds of steps: a page of 50, an index that is one level deeper


async def costs(world: World) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    now, meter = await metered(world)
    for name, verb in (
        ("success", lambda: hear(now, SUCCESS, "mine")),
        ("start", lambda: hear(now, START, "mine")),
        ("nothing due", lambda: look(now)),
        ("page", lambda: page(now, limit=50)),
        ("down", lambda: page(now, limit=50, state=PingState.DOWN)),
        ("when", lambda: now.store.read(lambda tx: tx.pings.next_due())),
    ):
        meter.statements = meter.read = 0
        await verb()
        found[name] = meter.statements, meter.read
    return found


async def test_their_number_costs_nothing(world: World):
    for name in ("mine", "like"):
        await make(world, name)
        await hear(world, SUCCESS, name)
    before = await costs(world)
    like = (await world.rows("SELECT id FROM pings WHERE name = 'like'"))[0]["id"]
    text = "'w-' || v.n" if world.kind == "sqlite" else "CONCAT('w-', v.n)"
    await copy(world, "pings", like, enough(world, MANY), name=text, digest=text)
    for table in ("pings", "ping_events"):
        if world.kind != "sqlite":
            await world.rows(f"ANALYZE {'TABLE ' if world.kind != 'postgresql' else ''}{table}")
    if world.kind == "sqlite":
        await world.execute("ANALYZE")
    after = await costs(world)
    said = f"few {before}, many {after}"
    assert {name: cost[0] for name, cost in after.items()} == {name: cost[0] for name, cost in before.items()}, said
    assert not [name for name in before if after[name][1] > 2 * before[name][1] + SLACK], said


async def test_all_of_them_due_at_once_are_taken_in_portions(world: World):
    await make(world, "like")
    await hear(world, SUCCESS, "like")
    like = (await world.rows("SELECT id FROM pings WHERE name = 'like'"))[0]["id"]
    text = "'w-' || v.n" if world.kind == "sqlite" else "CONCAT('w-', v.n)"
    await copy(world, "pings", like, 2_000, name=text, digest=text)
    later = await world.later(hours=2)
    assert [await look(later) for _ in range(5)] == [500, 500, 500, 500, 1]
    assert await look(later) == 0
    (row,) = await world.rows("SELECT COUNT(*) AS n FROM alerts WHERE rule = 'ping_late'")
    assert row["n"] == 2_001
