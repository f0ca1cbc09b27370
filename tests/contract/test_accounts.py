"""Sign-up, joining and leaving, and what the audit trail records of it."""

from datetime import timedelta
from typing import Any

import pytest

from horae.accounts import projects, sessions, signup, users
from horae.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from horae.domain.people.account import User
from horae.domain.people.lockout import ACCOUNT
from horae.lifecycle.prune import tidy

from .accounts import (
    invite,
    new_user,
    offer,
    outcomes,
    places,
    session,
    sign_up,
    user,
)
from .world import World, lost_reply


async def test_the_first_token_makes_one_admin_who_owns_the_default_project(world: World):
    assert await offer(world)
    first, second = await world.crowd(2)
    made, refused = await outcomes(sign_up(first, "ada"), sign_up(second, "eve"))
    assert (made.is_admin, type(refused)) == (True, InvalidInput)
    ((place,),) = [await world.store.read(places, made.id)]
    assert (place.slug, place.role) == ("default", "owner")
    assert not await offer(world, "second")
    with pytest.raises(InvalidInput):
        await sign_up(world, "eve")


async def test_two_first_tokens_make_one_admin_all_the_same(world: World):
    for digest in ("first", "second"):
        assert await offer(world, digest)
    one, two = await world.crowd(2)
    made, refused = await outcomes(sign_up(one, "ada", "first"), sign_up(two, "eve", "second"))
    assert (made.is_admin, type(refused)) == (True, InvalidInput)


async def test_the_first_token_runs_out(world: World):
    await offer(world)
    later = await world.later(hours=25)
    with pytest.raises(InvalidInput, match="not valid"):
        await sign_up(later, "ada")
    assert await offer(later, "second")
    assert (await sign_up(later, "ada", "second")).is_admin


async def test_signing_up_requires_the_one_time_token_or_an_invitation(world: World):
    for open_to_all in (False, True):
        with pytest.raises(NotAllowed, match="one-time token"):
            await sign_up(world, "eve", None, open_to_all=open_to_all)
    await user(world, "ada", admin=True)
    with pytest.raises(NotAllowed, match="invitation"):
        await sign_up(world, "eve", None)
    eve = await sign_up(world, "eve", None, open_to_all=True)
    assert not eve.is_admin
    assert await world.store.read(places, eve.id) == ()
    with pytest.raises(Conflict):
        await sign_up(world, "eve", None, open_to_all=True)


async def test_a_sign_up_whose_answer_was_lost_is_made_once(world: World):
    await offer(world)
    made = await world.store.transact(
        lost_reply(signup.sign_up), user=new_user("ada"), digest="first", open_to_all=False
    )
    assert made.username == "ada"
    assert made.is_admin


async def test_an_invitation_is_good_once_and_for_a_while(world: World):
    await user(world, "ada", admin=True)
    await invite(world, "editor")
    one, two = await world.crowd(2)
    made, refused = await outcomes(sign_up(one, "bob", "link"), sign_up(two, "eve", "link"))
    assert (made.is_admin, type(refused)) == (False, InvalidInput)
    assert [place.role for place in await world.store.read(places, made.id)] == ["editor"]
    await invite(world, "editor", "another")
    later = await world.later(days=8)
    with pytest.raises(InvalidInput):
        await sign_up(later, "eve", "another")
    with pytest.raises(InvalidInput, match="90 days"):
        await invite(world, "editor", "long", expires_at=await world.now() + timedelta(days=91))


async def test_accepting_an_invitation_never_lowers_a_role(world: World):
    bob = await user(world, "bob")
    await invite(world, "owner", "up")
    await invite(world, "viewer", "down")
    for digest in ("up", "up", "down"):  # the second time it is theirs already
        await world.store.transact(signup.join, user_id=bob.id, digest=digest)
    assert [place.role for place in await world.store.read(places, bob.id)] == ["owner"]
    eve = await user(world, "eve")
    with pytest.raises(InvalidInput):
        await world.store.transact(signup.join, user_id=eve.id, digest="up")
    await offer(world)
    with pytest.raises(InvalidInput):
        await world.store.transact(signup.join, user_id=eve.id, digest="first")


async def test_the_last_admin_stays(world: World):
    ada, bob = [await user(world, name, admin=True) for name in ("ada", "bob")]
    one, two = await world.crowd(2)
    done, refused = await outcomes(
        one.store.transact(users.change_user, ref=ada.id, is_active=False, actor="user:bob"),
        two.store.transact(users.change_user, ref="bob", is_admin=False, actor="user:ada"),
    )
    done, _ = done
    assert isinstance(done, User)
    assert isinstance(refused, Conflict)
    left = ada if done.id == bob.id else bob
    for verb, how in (
        (users.delete_user, {}),
        (users.change_user, {"is_admin": False}),
        (users.change_user, {"is_active": False}),
    ):
        with pytest.raises(Conflict, match="last active admin"):
            await world.store.transact(verb, ref=left.id, actor="x", **how)  # type: ignore[arg-type]
    await world.store.transact(users.delete_user, ref=done.id, actor="x")
    with pytest.raises(NotFound):
        await world.store.transact(users.delete_user, ref=done.id, actor="x")


async def test_the_last_owner_stays(world: World):
    ada, bob = [await user(world, name) for name in ("ada", "bob")]

    async def put(at: World, who: User, role: str) -> Any:
        member, _ = await at.store.transact(
            projects.set_member, project_id=world.project, ref=who.username, role=role, actor="x"
        )
        return member

    for who in (ada, bob):
        assert (await put(world, who, "owner")).role == "owner"
    one, two = await world.crowd(2)
    done, refused = await outcomes(put(one, ada, "viewer"), put(two, bob, "viewer"))
    assert done.role == "viewer"
    assert isinstance(refused, Conflict)
    left = bob if done.user_id == ada.id else ada
    with pytest.raises(Conflict, match="last owner"):
        await world.store.transact(projects.remove_member, project_id=world.project, ref=left.id, actor="x")
    await world.store.transact(projects.remove_member, project_id=world.project, ref=done.user_id, actor="x")
    with pytest.raises(NotFound):
        await world.store.transact(projects.remove_member, project_id=world.project, ref=done.user_id, actor="x")


async def test_ended_sessions_and_invitations_are_deleted_after_retention(world: World):
    ada = await user(world, "ada", admin=True)
    opened = await session(world, ada)
    await invite(world, "editor")
    await world.store.transact(sessions.admit, buckets={"account:x": ACCOUNT})
    await world.store.transact(tidy)
    tables = ("sessions", "invitations", "rate_limits")

    async def counts() -> list[int]:
        return [(await world.plain.fetch(f"SELECT COUNT(*) AS n FROM {table}"))[0]["n"] for table in tables]

    assert await counts() == [1, 1, 1]
    await (await world.later(days=3)).store.transact(tidy)
    assert await counts() == [1, 1, 0]
    await world.store.transact(sessions.end_session, session_id=opened.id)
    await (await world.later(days=40)).store.transact(tidy)
    assert await counts() == [0, 0, 0]


async def test_every_change_is_in_the_audit_trail(world: World):
    await offer(world)
    ada = await sign_up(world, "ada")
    await invite(world, "editor")
    await sign_up(world, "bob", "link")
    await session(world, ada)
    rows = await world.plain.fetch("SELECT action, actor, subject_name FROM audit_log ORDER BY id")
    assert [(row["action"], row["actor"]) for row in rows] == [
        ("user.signup", "user:ada"),
        ("member.join", "user:ada"),
        ("invitation.create", "user:ada"),
        ("user.signup", "user:bob"),
        ("member.join", "user:bob"),
        ("session.open", "user:ada"),
    ]
