"""Pairs of verbs, stepped through on PostgreSQL and MariaDB in orders that a seed chooses; and locks left out."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest

from horae.store.dialects.base import Dialect
from horae.store.open import choose
from tests.contract.conftest import template  # noqa: F401  (a fixture)
from tests.contract.oracle import TABLES, Oracle
from tests.contract.world import World
from tests.simulation.pairs import PAIRS
from tests.simulation.rewrites import Misfit, Rewrite, changing, listening
from tests.simulation.steps import Party, play, stepped_store

ORDERS = 5
SERVERS = [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in ("postgresql", "mysql")]
pytestmark = pytest.mark.timeout(600)
Change = Callable[[Dialect], None]


@pytest.fixture(params=SERVERS)
async def world(
    request: pytest.FixtureRequest,
    template: Callable[[str], str],  # noqa: F811
    make_database: Callable[..., str],
) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield await World.open(make_database(request.param, like=template(request.param)), stack)


async def step_through(world: World, name: str, seed: int, change: Change | None = None) -> None:
    """One pair in one order, with nothing left of what was before. Raises what is wrong afterwards."""
    for table in ("job_gates", *TABLES, "stat_deltas", "job_stats", "run_stats", "operations"):
        await world.execute(f"DELETE FROM {table}")
    pair = await PAIRS[name](world)
    async with AsyncExitStack() as stack:
        watcher = await choose(world.url, world.clock.now)[1]()
        stack.push_async_callback(watcher.close)
        parties = {}
        for place, act in (("first", pair.first), ("second", pair.second)):
            one, party = await World.open(world.url, stack, shift=pair.later, connections=1), Party(place)
            # Statements are kept by dialect: with its own shift a changed one has its own.
            dialect, connect = choose(world.url, world.clock.now, shift=pair.later + (1e-3 if change else 0))
            if change is not None:
                change(dialect)
            one.store = stepped_store(connect, dialect, party)
            stack.push_async_callback(one.store.close)
            parties[party] = act(one)
        results = await play(parties, random.Random(f"{name}/{seed}"), watcher, world.kind)
    failed = [result for result in results if isinstance(result, BaseException)]
    if failed and isinstance(failed[0], Misfit | TypeError | AttributeError):
        raise failed[0]  # no order of statements brings that about
    assert not failed, repr(failed[0])
    after = await world.later(seconds=pair.later)
    if name != "redrive/redrive":
        await Oracle(after).look()
    await pair.check(after, results)


@pytest.mark.parametrize("name", PAIRS)
async def test_any_order_ends_well(world: World, name: str) -> None:
    for seed in range(ORDERS):
        await step_through(world, name, seed)


def without_locks(dialect: Dialect) -> None:
    dialect.lock = ""
    dialect.lock_of = lambda alias: ""  # type: ignore[method-assign]


def without_skipping(dialect: Dialect) -> None:
    dialect.lock_skip = ""


MUTANTS = {
    "no lock on the gate: trigger": ("trigger/trigger", without_locks, ()),
    "no lock on what runs: finish and cancel": ("finish/cancel", without_locks, ()),
    "no lock on dead letters": ("redrive/redrive", without_locks, ()),
    "no lock on what is claimed": ("claim/claim", without_skipping, ()),
    "no lock on what is due": ("fire/fire", without_skipping, ()),
    "no compare-and-set, no lock": (
        "edit/edit",
        without_locks,
        (Rewrite(" AND version = :version", "", ("UPDATE jobs SET name",)),),
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
async def test_a_lock_that_is_left_out_is_found(world: World, name: str) -> None:
    pair, change, rewrite = MUTANTS[name]
    with listening() as sent, changing(*rewrite):
        for seed in range(4 * ORDERS):
            try:
                await step_through(world, pair, seed, change)
            except AssertionError as error:
                print(f"{world.kind}: {name}: found in order {seed}: {error}")
                assert not [begin for one in rewrite for begin in one.without_it(sent)]
                return
    pytest.fail(f"{name} was not found")
