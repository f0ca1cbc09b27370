"""Sessions and their refresh tokens; tries to sign in, and their limits."""

import asyncio
from typing import Any

from horae.accounts import sessions, users
from horae.domain.people.account import NewSession
from horae.domain.people.audit import AuditFilter
from horae.domain.people.lockout import ACCOUNT, ADDRESS

from .accounts import (
    HASH,
    alive,
    refresh,
    session,
    user,
)
from .world import IDS, World, lost_reply


async def test_a_refresh_token_is_good_once_and_its_return_ends_the_session(world: World):
    opened = await session(world, await user(world, "ada"))
    assert await refresh(world, opened.id, 1, "d2")
    assert await refresh(world, opened.id, 2, "d3")
    assert await alive(world, opened.id)
    assert await refresh(world, opened.id, 1, "x") is None
    assert not await alive(world, opened.id)
    assert await refresh(world, opened.id, 3, "d4") is None


async def test_of_two_refreshes_at_once_one_wins_and_the_session_ends(world: World):
    opened = await session(world, await user(world, "ada"))
    one, two = await world.crowd(2)
    got = await asyncio.gather(refresh(one, opened.id, 1, "d2"), refresh(two, opened.id, 1, "e2"))
    assert sorted(found is not None for found in got) == [False, True]
    assert not await alive(world, opened.id)


async def test_a_refresh_repeated_after_a_lost_reply_is_not_a_reuse(world: World):
    opened = await session(world, await user(world, "ada"))
    assert await world.store.transact(
        lost_reply(sessions.refresh), session_id=opened.id, generation=1, digest="d1", new_digest="d2"
    )
    assert await refresh(world, opened.id, 2, "d3")


async def test_a_new_token_that_never_arrived_may_be_asked_for_again_for_a_moment(world: World):
    opened = await session(world, await user(world, "ada"))
    assert await refresh(world, opened.id, 1, "d2")
    assert await refresh(world, opened.id, 1, "e2", lost_within=10)
    assert await refresh(world, opened.id, 2, "x", lost_within=10) is None, "the lost one turned up: somebody has it"
    assert not await alive(world, opened.id)


async def test_but_only_once(world: World):
    opened = await session(world, await user(world, "ada"))
    assert await refresh(world, opened.id, 1, "d2")
    assert await refresh(world, opened.id, 1, "e2", lost_within=10)
    assert await refresh(world, opened.id, 1, "f2", lost_within=10) is None
    assert not await alive(world, opened.id)


async def test_each_generation_may_lose_its_answer_once(world: World):
    opened = await session(world, await user(world, "ada"))
    for n in range(1, 4):
        lost = await refresh(world, opened.id, n, "lost", digest=f"d{n}")
        assert lost
        assert await refresh(world, opened.id, n, f"d{n + 1}", lost_within=10)


async def test_the_ten_seconds_begin_with_the_first_exchange(world: World):
    opened = await session(world, await user(world, "ada"))
    assert await refresh(world, opened.id, 1, "d2")
    assert await refresh(await world.later(seconds=6), opened.id, 1, "e2", lost_within=10)
    assert await refresh(await world.later(seconds=12), opened.id, 1, "f2", lost_within=10) is None


async def test_and_only_in_a_browser(world: World):
    ada = await user(world, "ada")
    made = NewSession(IDS.new(), ada.id, "d1", "cli", "127.0.0.1")
    assert await world.store.transact(sessions.open_session, session=made, checked=HASH)
    assert await refresh(world, made.id, 1, "d2")
    assert await refresh(world, made.id, 1, "e2", lost_within=10) is None


async def test_the_try_that_locks_is_in_the_trail_once(world: World):
    ada = await user(world, "ada")
    buckets = {f"account:{ada.id}": ACCOUNT, "address:y": ADDRESS}

    async def tell(tx: Any) -> Any:
        found = await tx.audit.page(None, AuditFilter(action="session.refused"), limit=50, after=None)
        return [(one.subject_name, one.changes[0]["new"]) for one in found.items]

    at = world
    for n in range(ACCOUNT.free + 3):
        assert await at.store.transact(sessions.admit, buckets=buckets, user=ada) == 0
        told = await at.store.read(tell)
        assert told == ([("ada", "account")] if n + 1 >= ACCOUNT.free else [])
        at = at if n + 1 < ACCOUNT.free else await world.later(seconds=ACCOUNT.longest * (n + 1))
    for _ in range(ADDRESS.free):
        await world.store.transact(sessions.admit, buckets={"address:z": ADDRESS, "account:unknown": ACCOUNT})
    assert len(await world.store.read(tell)) == 1  # no one has that name


async def test_but_not_for_longer_and_not_an_older_one(world: World):
    opened = await session(world, await user(world, "ada"))
    assert await refresh(world, opened.id, 1, "d2")
    assert await refresh(await world.later(seconds=60), opened.id, 1, "e2", lost_within=10) is None
    other = await session(world, await user(world, "bob"))
    assert await refresh(world, other.id, 1, "d2")
    assert await refresh(world, other.id, 2, "d3")
    assert await refresh(world, other.id, 1, "e2", lost_within=10) is None
    assert not await alive(world, other.id)


async def test_sessions_end_by_themselves(world: World):
    opened = await session(world, await user(world, "ada"))
    week = await world.later(days=13)
    assert await refresh(week, opened.id, 1, "d2")
    assert not await alive(await world.later(days=28), opened.id)
    generation = 2
    for days in range(26, 91, 13):
        at = await world.later(days=days)
        renewed = await refresh(at, opened.id, generation, f"d{generation + 1}")
        assert renewed, days
        generation += 1
    assert await refresh(await world.later(days=91), opened.id, generation, "x") is None


async def test_deactivation_and_a_new_password_end_sessions(world: World):
    await user(world, "root", admin=True)
    ada = await user(world, "ada")
    one, two = [await session(world, ada) for _ in range(2)]
    done = await world.store.transact(
        users.change_password, user_id=ada.id, checked=HASH, new="other", session_id=one.id
    )
    assert (done, await alive(world, one.id), await alive(world, two.id)) == (True, True, False)
    stale = await world.store.transact(
        users.change_password, user_id=ada.id, checked=HASH, new="third", session_id=one.id
    )
    assert not stale
    late = NewSession(IDS.new(), ada.id, "d", "test", "127.0.0.1")
    assert await world.store.transact(sessions.open_session, session=late, checked=HASH) is None
    await world.store.transact(users.change_user, ref=ada.id, is_active=False, actor="user:root")
    assert not await alive(world, one.id)
    assert await refresh(world, one.id, 1, "d2") is None
    late = NewSession(IDS.new(), ada.id, "d", "test", "127.0.0.1")
    assert await world.store.transact(sessions.open_session, session=late, checked="other") is None


async def test_signing_out_ends_the_session(world: World):
    opened = await session(world, await user(world, "ada"))
    for _ in range(2):
        await world.store.transact(sessions.end_session, session_id=opened.id)
    assert not await alive(world, opened.id)


async def test_tries_are_counted_across_processes_and_wait_longer_each_time(world: World):
    crowd = await world.crowd(4)
    buckets = {"account:x": ACCOUNT, "address:y": ADDRESS}
    waits = await asyncio.gather(
        *(at.store.transact(sessions.admit, buckets=buckets) for at in crowd for _ in range(5))
    )
    assert sum(wait == 0 for wait in waits) == ACCOUNT.free
    assert all(wait <= ACCOUNT.first for wait in waits)
    later = await world.later(seconds=ACCOUNT.first + 1)
    assert await later.store.transact(sessions.admit, buckets=buckets) == 0
    again = await later.store.transact(sessions.admit, buckets=buckets)
    assert ACCOUNT.first < again <= 2 * ACCOUNT.first
    await later.store.transact(sessions.forgive, account="account:x", others=["address:y"])
    assert await later.store.transact(sessions.admit, buckets=buckets) == 0
    found = await later.store.transact(_levels, list(buckets))
    assert found["account:x"].level == 1
    assert 5 < found["address:y"].level <= 6
    much_later = await world.later(hours=10)
    assert await much_later.store.transact(sessions.admit, buckets=buckets) == 0
    assert (await much_later.store.transact(_levels, ["account:x"]))["account:x"].level == 1


async def test_buckets_leak(world: World):
    async def pour(at: World, **amounts: float) -> dict[str, float]:
        async def work(tx: Any) -> dict[str, float]:
            found: dict[str, float] = await tx.limits.pour(amounts, 2.0)
            return found

        return await at.store.transact(work)

    assert await pour(world, a=100, b=7) == {"a": 100, "b": 7}
    later = await world.later(seconds=20)
    found = await pour(later, a=5, b=1)
    assert 60 < found["a"] <= 65
    assert found["b"] == 1
    assert sum((await asyncio.gather(*(pour(later, c=1) for _ in range(10))))[-1].values()) <= 10


async def _levels(tx: Any, buckets: list[str]) -> Any:
    return await tx.limits.lock(buckets)
