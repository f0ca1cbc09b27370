"""Keys of requests: one holder at a time, one answer, and nothing kept longer than a day."""

import asyncio
from dataclasses import replace

import pytest

from horae.accounts import idempotency
from horae.domain.errors import Conflict
from horae.domain.jobs.idempotency import KEPT, KeptAnswer, KeptRequest, Once
from tests.contract.world import World, lost_reply

ANSWER = KeptAnswer(202, {"location": "/api/v1/runs/1"}, "sealed")


def once(world: World, key: str = "a" * 64, request: str = "r" * 64) -> Once:
    return Once(world.project, key, request, world.ids.new())


async def claim(world: World, asked: Once, *, reply_lost: bool = False) -> KeptRequest:
    verb = lost_reply(idempotency.claim) if reply_lost else idempotency.claim
    return await world.store.transact(verb, asked, [asked.request])


async def test_the_first_holds_it_and_the_second_waits(world: World):
    one, two = once(world), once(world)
    assert (await claim(world, one)).holder == one.holder
    second = await claim(world, two)
    assert (second.holder, second.status, second.taken_over) == (one.holder, None, False)
    await world.store.autocommit(idempotency.keep, one, ANSWER)
    second = await claim(world, two)
    assert (second.status, second.headers, second.body) == (202, ANSWER.headers, "sealed")


async def test_a_claim_whose_reply_was_lost_is_still_ours(world: World):
    asked = once(world)
    kept = await claim(world, asked, reply_lost=True)
    assert (kept.holder, kept.taken_over) == (asked.holder, False)


async def test_another_request_is_refused(world: World):
    await claim(world, once(world))
    with pytest.raises(Conflict, match="another request"):
        await claim(world, once(world, request="s" * 64))
    assert (await claim(world, once(world, key="b" * 64, request="s" * 64))).status is None


async def test_of_many_at_once_one_holds_it(world: World):
    crowd = await world.crowd(6)
    asked = [once(world) for _ in crowd]
    found = await asyncio.gather(
        *(one.store.autocommit(idempotency.claim, mine, [mine.request]) for one, mine in zip(crowd, asked, strict=True))
    )
    assert len({kept.holder for kept in found}) == 1
    assert sum(kept.holder == mine.holder for kept, mine in zip(found, asked, strict=True)) == 1


async def test_an_abandoned_key_is_taken_over_by_one_request(world: World):
    first = once(world)
    begun = await claim(world, first)
    crowd = [await world.later(seconds=31) for _ in range(5)]
    asked = [once(world) for _ in crowd]
    found = await asyncio.gather(
        *(one.store.autocommit(idempotency.claim, mine, [mine.request]) for one, mine in zip(crowd, asked, strict=True))
    )
    heirs = [kept for kept, mine in zip(found, asked, strict=True) if kept.holder == mine.holder]
    assert [(kept.taken_over, kept.created_at) for kept in heirs] == [(True, begun.created_at)]
    # The first one was only slow: what it says now is not kept.
    await world.store.autocommit(idempotency.keep, first, ANSWER)
    assert (await claim(world, once(world))).status is None


async def test_what_was_refused_may_be_sent_again_in_another_form(world: World):
    asked = once(world)
    await claim(world, asked)
    await world.store.autocommit(idempotency.release, asked, refused=True)
    assert (await claim(world, once(world, request="s" * 64))).taken_over is False


async def test_after_a_failure_the_next_may_try_at_once(world: World):
    asked, again = once(world), once(world)
    await claim(world, asked)
    await world.store.autocommit(idempotency.release, asked, refused=False)
    kept = await claim(world, again)
    assert (kept.holder, kept.taken_over) == (again.holder, True)


async def test_a_key_is_released_only_by_its_holder(world: World):
    asked = once(world)
    await claim(world, asked)
    for refused in (True, False):
        await world.store.autocommit(idempotency.release, replace(asked, holder=world.ids.new()), refused=refused)
    assert (await claim(world, once(world))).holder == asked.holder


async def test_a_day_later_it_is_forgotten(world: World):
    asked = once(world)
    await claim(world, asked)
    await world.store.autocommit(idempotency.keep, asked, ANSWER)
    soon = await world.later(seconds=KEPT - 60)
    assert (await claim(soon, once(world))).status == 202
    late = await world.later(seconds=KEPT + 60)
    new = once(world, request="s" * 64)
    assert (await claim(late, new)).holder == new.holder


async def test_keys_are_pruned(world: World):
    for n in range(5):
        await claim(world, once(world, key=f"{n:064}"))
    late = await world.later(seconds=KEPT + 60)
    await claim(late, once(world, key="f" * 64))
    while await late.prune(days=30, limit=2):
        pass
    assert [row["digest"] for row in await world.rows("SELECT digest FROM idempotency_keys")] == ["f" * 64]


async def test_projects_do_not_share_keys(world: World):
    await claim(world, once(world))
    other = replace(once(world, request="s" * 64), project_id=world.ids.new())
    assert (await claim(world, other)).holder == other.holder
