"""Counting everything, by status and by reason: exact before, during and after a roll-up."""

from __future__ import annotations

from horae.ports import Transaction
from tests.contract.world import World


async def _overall(tx: Transaction) -> dict[str, dict[str, int]]:
    return await tx.stats.overall()


async def test_skipped_occurrences_are_counted_by_reason(world: World) -> None:
    await world.job(every="60s", catch_up="last")
    await world.job(every="60s", catch_up="none")
    later = await world.later(seconds=600)
    await later.fire()
    found = await world.store.read(_overall)
    assert found["skipped"] == {"missed": 10 + 11}
    assert found["ended"]["skipped"] == 21
    assert found["live"] == {"queued": 1}
    for _ in range(2):
        await world.roll_up()
        assert await world.store.read(_overall) == found, "a roll-up changes nothing of what is read"


async def test_runs_are_counted_by_how_they_ended(world: World) -> None:
    await world.ended()
    await world.ended()
    await world.cancel(*await world.trigger(await world.job()))
    found = await world.store.read(_overall)
    assert (found["ended"]["succeeded"], found["ended"]["cancelled"], found["skipped"]) == (2, 1, {})
