"""The second factor: each code is good once, also for many at once; enrolling, replacing, turning off, resetting."""

import asyncio
from typing import Any

import pytest

from horae.accounts import second_factor, sessions, users
from horae.accounts.secrets import Resealed
from horae.domain.errors import Conflict
from horae.domain.people import totp
from horae.domain.people.audit import AuditFilter
from horae.domain.people.second_factor import recovery_digest
from horae.sealing import Keyring

from .accounts import HASH, alive, session, user
from .factors import RECOVERY, SEALS, App, begin, confirm, enrolled, new_session, sign_in
from .meeting import meet
from .world import World, lost_reply


@pytest.fixture
async def world(world: World) -> World:
    """At the beginning of a step: the codes that a test computes stay good until it ends."""
    return await world.later(seconds=totp.PERIOD - (await world.now()).timestamp() % totp.PERIOD)


async def actions(world: World) -> list[str]:
    page = await world.store.read(lambda tx: tx.audit.page(None, AuditFilter(kind="user"), limit=50, after=None))
    return [entry.action for entry in page.items][::-1]


async def test_a_password_suffices_until_the_first_code_is_confirmed_and_not_after(world: World):
    ada = await user(world, "ada")
    app = App(ada)
    assert await begin(world, app)
    assert not await confirm(world, app, "000000" if await app.code(world) != "000000" else "111111")
    await session(world, ada)
    assert await confirm(world, app, await app.code(world))
    assert await world.store.transact(sessions.open_session, session=new_session(ada), checked=HASH) is None
    assert await sign_in(world, ada, await app.code(world, 1))
    assert "user.second_factor_on" in await actions(world)


async def test_enrolling_ends_the_other_sessions(world: World):
    ada = await user(world, "ada")
    here, elsewhere = await session(world, ada), await session(world, ada)
    await enrolled(world, ada, keep=here.id)
    assert (await alive(world, here.id), await alive(world, elsewhere.id)) == (True, False)


async def test_a_password_that_was_checked_before_enrolling_opens_nothing_after(world: World):
    ada = await user(world, "ada")
    app = App(ada)
    assert await begin(world, app)
    opened = new_session(ada)
    enrol = {"user_id": ada.id, "checked": HASH, "code": await app.code(world), "seals": SEALS, "recovery": ["digest"]}
    by_password = (sessions.open_session, {"session": opened, "checked": HASH})
    assert await meet(world, (second_factor.confirm, enrol), by_password, "credentials") == [True, None]
    assert not await alive(world, opened.id)


@pytest.mark.parametrize("factor", [False, True])
async def test_a_password_that_was_changed_at_the_same_moment_opens_nothing(world: World, factor: bool):
    ada = await user(world, "ada")
    opened = new_session(ada)
    how = {"session": opened, "checked": HASH}
    by_password: Any = (sessions.open_session, how)
    if factor:
        app = await enrolled(world, ada)
        by_password = (second_factor.sign_in, {**how, "code": await app.code(world), "seals": SEALS})
    change = (users.change_user, {"ref": "ada", "password": "another", "actor": "user:ada"})
    _, got = await meet(world, change, by_password, "credentials")
    assert got is None
    assert not await alive(world, opened.id)


async def test_a_code_opens_one_session_however_many_try_at_once(world: World):
    ada = await user(world, "ada")
    app = await enrolled(world, ada)
    code = await app.code(world)
    got = await asyncio.gather(*(sign_in(one, ada, code) for one in await world.crowd(6)))
    assert sorted(found is not None for found in got) == [False] * 5 + [True]
    assert await sign_in(world, ada, code) is None
    assert await sign_in(world, ada, await app.code(world, -1)) is None, "a code from before one that was used"
    assert await sign_in(world, ada, await app.code(world, 1))


async def test_a_recovery_code_opens_one_session_however_many_try_at_once(world: World):
    ada = await user(world, "ada")
    await enrolled(world, ada)
    got = await asyncio.gather(*(sign_in(one, ada, "CODE 3") for one in await world.crowd(6)))
    assert sorted(found is not None for found in got) == [False] * 5 + [True]
    assert (await world.store.read(second_factor.standing, user_id=ada.id)).recovery_codes == len(RECOVERY) - 1
    assert (await actions(world)).count("user.recovery_code_used") == 1
    bob = await user(world, "bob")
    await enrolled(world, bob, recovery=["other"])
    assert await sign_in(world, bob, "code-4") is None, "codes belong to one user"


async def test_a_sign_in_repeated_after_a_lost_reply_is_not_a_replay(world: World):
    ada = await user(world, "ada")
    app = await enrolled(world, ada)
    how: dict[str, Any] = {"session": new_session(ada), "checked": HASH, "code": await app.code(world), "seals": SEALS}
    assert await world.store.transact(lost_reply(second_factor.sign_in), **how)
    assert await world.store.transact(
        lost_reply(second_factor.new_recovery_codes),
        user_id=ada.id,
        checked=HASH,
        code=await app.code(world, 1),
        recovery=["d"],
        seals=SEALS,
    )


async def test_a_password_that_was_changed_meanwhile_is_not_enough_and_the_factor_stays(world: World):
    ada = await user(world, "ada")
    app = await enrolled(world, ada)
    await world.store.transact(users.change_user, ref="ada", password="another", actor="user:root")
    assert await sign_in(world, ada, await app.code(world)) is None
    assert await world.store.transact(sessions.open_session, session=new_session(ada), checked="another") is None
    assert await sign_in(world, ada, await app.code(world), checked="another")
    await world.store.transact(lambda tx: tx.accounts.rehash(ada.id, "another", "stronger"))
    found = await world.store.read(lambda tx: tx.accounts.credentials("ada"))
    assert found is not None
    assert (found.password, found.user.second_factor) == ("stronger", True)


async def test_versions_that_know_no_second_factor_cannot_read_the_hash(world: World):
    ada = await user(world, "ada")
    stored = "SELECT password FROM users WHERE username = 'ada'"
    app = await enrolled(world, ada)
    assert (await world.rows(stored))[0]["password"] == f"2fa:{HASH}"
    await world.store.transact(users.change_user, ref="ada", password="another", actor="user:root")
    assert (await world.rows(stored))[0]["password"] == "2fa:another"
    off: dict[str, Any] = {"user_id": ada.id, "checked": "another", "seals": SEALS}
    assert await world.store.transact(second_factor.turn_off, code=await app.code(world), **off)
    assert (await world.rows(stored))[0]["password"] == "another"


async def test_replacing_the_app_takes_a_code_of_the_present_one(world: World):
    ada = await user(world, "ada")
    old = await enrolled(world, ada)
    new = App(ada, secret=b"another secret of 20")
    assert not await begin(world, new)
    assert await begin(world, new, code=await old.code(world))
    assert await sign_in(world, ada, await old.code(world, 1)), "until it is confirmed"
    assert await confirm(world, new, await new.code(world), ["fresh"])
    assert await sign_in(world, ada, await old.code(world, 1)) is None
    assert await sign_in(world, ada, "code-1") is None
    assert await sign_in(world, ada, "fresh")


async def test_an_enrolment_waits_for_an_hour(world: World):
    app = App(await user(world, "ada"))
    assert await begin(world, app)
    later = await world.later(hours=2)
    with pytest.raises(Conflict, match="expired"):
        await confirm(later, app, await app.code(later))


async def test_new_recovery_codes_replace_the_old_ones(world: World):
    ada = await user(world, "ada")
    app = await enrolled(world, ada)
    how: dict[str, Any] = {"user_id": ada.id, "checked": HASH, "seals": SEALS}
    digests = [recovery_digest(ada.id, "fresh")]
    renew = second_factor.new_recovery_codes
    assert not await world.store.transact(renew, code="123", recovery=digests, **how)
    assert await world.store.transact(renew, code=await app.code(world), recovery=digests, **how)
    assert await sign_in(world, ada, "code-1") is None
    assert await sign_in(world, ada, "fresh")


async def test_turning_off_takes_the_password_and_a_code(world: World):
    ada = await user(world, "ada")
    app = await enrolled(world, ada)
    off: dict[str, Any] = {"user_id": ada.id, "seals": SEALS}
    assert not await world.store.transact(second_factor.turn_off, checked="not it", code="code-1", **off)
    assert not await world.store.transact(second_factor.turn_off, checked=HASH, code="not one", **off)
    lost = lost_reply(second_factor.turn_off)
    assert await world.store.transact(lost, checked=HASH, code=await app.code(world), **off)
    await session(world, ada)
    assert (await actions(world))[-1] == "user.second_factor_off"
    assert await sign_in(world, ada, "code-2") is None


async def test_an_admin_resets_it_and_signs_them_out(world: World):
    ada = await user(world, "ada")
    await enrolled(world, ada)
    assert await sign_in(world, ada, "code-1")
    await world.store.transact(second_factor.reset, ref="ada", actor="user:root")
    await world.store.transact(second_factor.reset, ref="ada", actor="user:root")
    assert (await actions(world)).count("user.second_factor_reset") == 1
    open_ones = await world.rows("SELECT id FROM sessions WHERE ended_at IS NULL")
    assert open_ones == []
    await session(world, ada)


async def test_it_goes_with_its_user(world: World):
    await user(world, "root", admin=True)
    await enrolled(world, await user(world, "ada"))
    await world.store.transact(users.delete_user, ref="ada", actor="user:root")
    assert await world.rows("SELECT * FROM second_factors") == []
    assert await world.rows("SELECT * FROM recovery_codes") == []


async def test_its_secret_is_sealed_and_follows_the_key(world: World):
    ada, bob = await user(world, "ada"), await user(world, "bob")
    app = await enrolled(world, ada)
    await enrolled(world, bob)
    (stored,) = await world.rows(f"SELECT sealed FROM second_factors WHERE user_id = '{ada.id}'")
    assert "GEZDGNBV" not in stored["sealed"]
    key = "another key, which is long enough"
    rotating = Keyring(key, "the key of these tests, long enough")
    assert await world.store.transact(second_factor.reseal, seals=rotating) == Resealed(2, [], None)
    new: dict[str, Any] = {"session": new_session(ada), "checked": HASH, "code": await app.code(world)}
    with pytest.raises(Conflict, match="recovery code"):
        await world.store.transact(second_factor.sign_in, **new, seals=SEALS)
    assert await world.store.transact(second_factor.sign_in, **new, seals=Keyring(key))
    lost = await world.store.transact(second_factor.reseal, seals=Keyring("a third one, which opens nothing"))
    assert lost.cannot == ["second factor (user ada)", "second factor (user bob)"]
    assert await sign_in(world, bob, "code-1"), "recovery codes need no key"
