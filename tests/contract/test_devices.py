"""Devices without a browser, and the users who approve them."""

from typing import Any

import pytest

from horae.accounts import devices, sessions, users
from horae.domain.errors import Conflict, DuplicateKey, NotAllowed, NotFound
from horae.domain.people.account import LONGEST_SESSION, NewSession, User
from horae.domain.people.device import NewDevice, Waiting

from .accounts import HASH, SignedIn, alive, session, user
from .factors import enrolled
from .world import IDS, World, lost_reply

CODE = "BCDFGHJK"


@pytest.fixture
async def ada(world: World) -> SignedIn:
    await world.store.transact(devices.begin, device=NewDevice("digest", CODE, "horae on laptop", "192.0.2.7"))
    return await session(world, await user(world, "ada"))


async def poll(world: World, digest: str = "digest", *, lost: bool = False, id: str | None = None) -> Any:
    made = NewSession(id or IDS.new(), "", "d1", "cli", "127.0.0.1")
    return await world.store.transact(lost_reply(devices.poll) if lost else devices.poll, digest=digest, session=made)


async def decide(world: World, who: SignedIn, *, approve: bool = True, code: str = CODE) -> None:
    await world.store.transact(devices.decide, user_code=code, approve=approve, user_id=who.user.id, session_id=who.id)


async def move(world: World, column: str, seconds: str) -> None:
    async def change(tx: Any) -> None:
        await tx.devices.db.execute(f"UPDATE device_codes SET {column} = {tx.devices.d.earlier(seconds)}")

    await world.store.transact(change)


async def test_a_device_waits_and_then_acts_as_who_approved_it(world: World, ada: SignedIn):
    assert await poll(world) == Waiting.PENDING
    assert (await world.store.read(devices.find, user_code=CODE)).client == "horae on laptop"
    await decide(world, ada)
    await decide(world, ada)  # a second click
    opened = IDS.new()
    got = await poll(world, id=opened)
    assert isinstance(got, User)
    assert (got.username, await alive(world, opened)) == ("ada", True)
    assert await poll(world) == Waiting.EXPIRED, "a code is good once"


async def test_a_reply_that_was_lost_opens_one_session(world: World, ada: SignedIn):
    await decide(world, ada)
    assert isinstance(await poll(world, lost=True), User)


async def test_polling_too_fast_is_slowed_down(world: World, ada: SignedIn):
    assert [await poll(world) for _ in range(3)] == [Waiting.PENDING, Waiting.SLOW_DOWN, Waiting.SLOW_DOWN]
    await move(world, "polled_at", "10")
    assert await poll(world) == Waiting.SLOW_DOWN, "each time, the pause grows"
    await move(world, "polled_at", "30")
    assert await poll(world) == Waiting.PENDING


async def test_a_device_that_is_denied_gets_nothing(world: World, ada: SignedIn):
    await decide(world, ada, approve=False)
    with pytest.raises(Conflict):
        await decide(world, ada)
    assert await poll(world) == Waiting.DENIED


async def test_codes_end(world: World, ada: SignedIn):
    await move(world, "expires_at", "1")
    for ask in (decide(world, ada), world.store.read(devices.find, user_code=CODE)):
        with pytest.raises(NotFound):
            await ask
    assert await poll(world) == Waiting.EXPIRED
    assert await poll(world, "unknown") == Waiting.EXPIRED
    with pytest.raises(NotFound):
        await decide(world, ada, code="ZZZZZZZZ")


async def test_a_code_is_one_devices(world: World, ada: SignedIn):
    with pytest.raises(DuplicateKey):
        await world.store.transact(devices.begin, device=NewDevice("other", CODE, "x", "y"))


async def test_an_ended_session_cannot_approve_a_device(world: World, ada: SignedIn):
    await world.store.transact(sessions.end_session, session_id=ada.id)
    with pytest.raises(NotAllowed):
        await decide(world, ada)


async def test_deactivating_the_user_withdraws_the_approval(world: World, ada: SignedIn):
    await decide(world, ada)
    await user(world, "root", admin=True)
    await world.store.transact(users.change_user, ref="ada", is_active=False, actor="user:root")
    assert await poll(world) == Waiting.DENIED


async def test_a_device_lasts_no_longer_than_the_sign_in_that_approved_it(world: World, ada: SignedIn):
    async def limit(tx: Any) -> None:
        await tx.sessions.db.execute("UPDATE sessions SET limit_at = expires_at")

    await world.store.transact(limit)
    await decide(world, ada)
    opened = IDS.new()
    await poll(world, id=opened)

    async def limits(tx: Any) -> list[Any]:
        return [(await tx.sessions.find(one)).limit_at for one in (ada.id, opened)]

    hers, the_devices = await world.store.read(limits)
    assert hers == the_devices is not None


async def test_a_device_does_not_prolong_a_sign_in_by_password(world: World, ada: SignedIn):
    """Otherwise one session could approve the next forever, without a password."""
    await decide(world, ada)
    opened = IDS.new()
    await poll(world, id=opened)

    async def both(tx: Any) -> list[Any]:
        return [await tx.sessions.find(one) for one in (ada.id, opened)]

    hers, the_devices = await world.store.read(both)
    assert the_devices.limit_at == hers.created_at + LONGEST_SESSION


async def test_a_new_password_takes_back_what_was_approved(world: World, ada: SignedIn):
    """A user who was tricked into approving a stranger's device gets rid of it with a new password, even if the
    stranger has not fetched the session yet."""
    await decide(world, ada)
    assert await world.store.transact(
        users.change_password, user_id=ada.user.id, checked=HASH, new="other", session_id=ada.id
    )
    assert await alive(world, ada.id)
    assert await poll(world) == Waiting.EXPIRED


async def test_a_new_second_factor_takes_back_what_was_approved(world: World, ada: SignedIn):
    await decide(world, ada)
    await enrolled(world, ada.user, keep=ada.id)
    assert await alive(world, ada.id)
    assert await poll(world) == Waiting.EXPIRED
