"""A claim whose reply was lost: the worker repeats it with the same token, and gets the runs it took."""

from datetime import timedelta

from horae.domain.runs.claim import Claimant, Claimed, ClaimRequest
from horae.lifecycle.claim import claim
from tests.contract.world import IDS, LEASE, OFFERS, World, ids


async def again(world: World, worker: str, token: str, limit: int = 10) -> list[Claimed]:
    request = ClaimRequest(Claimant(worker, OFFERS), token, LEASE, limit, ["default"])
    return (await world.store.transact(claim, request, again=True)).runs


async def test_what_it_took_is_given_with_a_fresh_lease(world: World) -> None:
    await world.trigger(await world.job(), 5)
    worker, token = IDS.new(), IDS.new()
    taken = await world.claim(3, worker=worker, token=token)
    (before, *_) = {row["lease_until"] for row in await world.live() if row["token"] == token}
    later = await world.later(seconds=LEASE - 5)
    found = await again(later, worker, token)
    assert ids(found) == ids(taken)
    assert {run.attempt for run in found} == {1}
    (after,) = {row["lease_until"] for row in await world.live() if row["token"] == token}
    assert after - before > timedelta(seconds=LEASE - 6)


async def test_what_it_did_not_take_is_left_for_the_next_claim(world: World) -> None:
    """It may have taken something after all that was lost and queued again since: a token is never given twice."""
    await world.trigger(await world.job(), 2)
    assert await again(world, IDS.new(), IDS.new()) == []
    assert len(await world.claim(2)) == 2


async def test_what_was_taken_away_meanwhile_is_not_given(world: World) -> None:
    """Its lease expired, and another worker has it by now."""
    await world.trigger(await world.job(retry={"max_attempts": 3, "delay": 0}))
    worker, token = IDS.new(), IDS.new()
    (lost,) = await world.claim(worker=worker, token=token)
    later = await world.later(seconds=LEASE + 1)
    await later.recover()
    (taken,) = await later.claim()
    assert (taken.id, taken.attempt) == (lost.id, 2)
    assert await again(later, worker, token) == []
