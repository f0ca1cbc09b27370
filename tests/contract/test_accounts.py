"""Accounts on every database: sign-up, sessions, members and keys, and what happens when two come at once."""

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from horae.domain.account import NewSession, NewUser, User
from horae.domain.audit import Origin
from horae.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from horae.domain.lockout import ACCOUNT, ADDRESS
from horae.domain.records import ApiKey, Project
from horae.lifecycle import keys, projects, sessions, signup, submit, users
from horae.lifecycle.prune import tidy

from .world import IDS, World, lost_reply

HASH = "a hash"


def new_user(name: str, *, admin: bool = False) -> NewUser:
    return NewUser(IDS.new(), name, HASH, admin, f"user:{name}")


async def user(world: World, name: str, *, admin: bool = False) -> User:
    return await world.store.transact(users.create_user, user=new_user(name, admin=admin))


async def offer(world: World, digest: str = "first") -> bool:
    return await world.store.transact(signup.offer_first, invitation_id=IDS.new(), digest=digest)


async def sign_up(world: World, name: str, digest: str | None = "first", *, open_to_all: bool = False) -> User:
    return await world.store.transact(signup.sign_up, user=new_user(name), digest=digest, open_to_all=open_to_all)


async def outcomes(*work: Any) -> list[Any]:
    return sorted(await asyncio.gather(*work, return_exceptions=True), key=lambda one: isinstance(one, Exception))


async def test_the_first_token_makes_one_admin_who_owns_the_default_project(world: World):
    assert await offer(world)
    first, second = await world.crowd(2)
    made, refused = await outcomes(sign_up(first, "ada"), sign_up(second, "eve"))
    assert (made.is_admin, type(refused)) == (True, InvalidInput)
    ((place,),) = [await world.store.read(_places, made.id)]
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


async def test_nobody_signs_up_without_being_asked(world: World):
    for open_to_all in (False, True):
        with pytest.raises(NotAllowed, match="one-time token"):
            await sign_up(world, "eve", None, open_to_all=open_to_all)
    await user(world, "ada", admin=True)
    with pytest.raises(NotAllowed, match="invitation"):
        await sign_up(world, "eve", None)
    eve = await sign_up(world, "eve", None, open_to_all=True)
    assert not eve.is_admin
    assert await world.store.read(_places, eve.id) == ()
    with pytest.raises(Conflict):
        await sign_up(world, "eve", None, open_to_all=True)


async def test_a_sign_up_whose_answer_was_lost_is_made_once(world: World):
    await offer(world)
    made = await world.store.transact(
        lost_reply(signup.sign_up), user=new_user("ada"), digest="first", open_to_all=False
    )
    assert made.username == "ada"
    assert made.is_admin


async def invite(world: World, role: str, digest: str = "link", **how: Any) -> Any:
    link = projects.Link(IDS.new(), role, digest, how.get("note"), how.get("expires_at"))
    return await world.store.transact(projects.invite, project_id=world.project, link=link, actor="user:ada")


async def test_an_invitation_is_good_once_and_for_a_while(world: World):
    await user(world, "ada", admin=True)
    await invite(world, "editor")
    one, two = await world.crowd(2)
    made, refused = await outcomes(sign_up(one, "bob", "link"), sign_up(two, "eve", "link"))
    assert (made.is_admin, type(refused)) == (False, InvalidInput)
    assert [place.role for place in await world.store.read(_places, made.id)] == ["editor"]
    await invite(world, "editor", "another")
    later = await world.later(days=8)
    with pytest.raises(InvalidInput):
        await sign_up(later, "eve", "another")
    with pytest.raises(InvalidInput, match="90 days"):
        await invite(world, "editor", "long", expires_at=await world.now() + timedelta(days=91))


async def test_somebody_with_an_account_joins_and_never_loses_by_it(world: World):
    bob = await user(world, "bob")
    await invite(world, "owner", "up")
    await invite(world, "viewer", "down")
    for digest in ("up", "up", "down"):  # the second time it is theirs already
        await world.store.transact(signup.join, user_id=bob.id, digest=digest)
    assert [place.role for place in await world.store.read(_places, bob.id)] == ["owner"]
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
        return await at.store.transact(
            projects.set_member, project_id=world.project, ref=who.username, role=role, actor="x"
        )

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


# ---- sessions


@dataclass
class SignedIn:
    user: User
    id: str


async def session(world: World, who: User) -> SignedIn:
    made = NewSession(IDS.new(), who.id, "d1", "test", "127.0.0.1")
    assert await world.store.transact(sessions.open_session, session=made, checked=HASH)
    return SignedIn(who, made.id)


async def refresh(world: World, session_id: str, generation: int, new: str, digest: str | None = None) -> User | None:
    return await world.store.transact(
        sessions.refresh,
        session_id=session_id,
        generation=generation,
        digest=digest or f"d{generation}",
        new_digest=new,
    )


async def alive(world: World, session_id: str) -> bool:
    async def account(tx: Any) -> Any:
        return await tx.accounts.account(session_id)

    return await world.store.read(account) is not None


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


async def test_a_refresh_whose_answer_was_lost_is_no_reuse(world: World):
    opened = await session(world, await user(world, "ada"))
    assert await world.store.transact(
        lost_reply(sessions.refresh), session_id=opened.id, generation=1, digest="d1", new_digest="d2"
    )
    assert await refresh(world, opened.id, 2, "d3")


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


# ---- limits


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


# ---- projects and keys


async def test_only_an_empty_project_is_deleted(world: World):
    made = await world.store.transact(
        projects.create_project, project=Project(IDS.new(), "other", "Other"), actor="user:ada"
    )
    with pytest.raises(Conflict, match="slug"):
        await world.store.transact(
            projects.create_project, project=Project(IDS.new(), "other", "Again"), actor="user:ada"
        )
    renamed = await world.store.transact(projects.rename_project, project_id=made.id, name="New", actor="user:ada")
    assert (renamed.slug, renamed.name) == ("other", "New")
    await world.job(name="hello")
    with pytest.raises(Conflict, match="default"):
        await world.store.transact(projects.delete_project, project_id=world.project, actor="user:ada")
    await world.store.transact(projects.delete_project, project_id=made.id, actor="user:ada")
    with pytest.raises(NotFound):
        await world.store.transact(projects.delete_project, project_id=made.id, actor="user:ada")


async def test_what_is_put_into_a_project_meanwhile_keeps_it(world: World):
    """Whoever deletes it waits for those who are at it, and then finds that it is not empty."""
    spec = (await world.job(name="hello")).spec
    (other,) = await world.crowd(1)
    made = await world.store.transact(
        projects.create_project, project=Project(IDS.new(), "other", "Other"), actor="user:ada"
    )
    put, go_on = asyncio.Event(), asyncio.Event()
    job: dict[str, Any] = {"job_id": IDS.new(), "project_id": made.id, "spec": spec, "enabled": True, "actor": "bob"}

    async def slowly(tx: Any) -> None:
        await submit.create_job(tx, **job)
        put.set()
        await go_on.wait()

    making = asyncio.create_task(world.store.transact(slowly))
    await put.wait()
    deleting = asyncio.create_task(other.store.transact(projects.delete_project, project_id=made.id, actor="user:ada"))
    await asyncio.wait([deleting], timeout=0.3)
    go_on.set()
    await making
    with pytest.raises(Conflict, match="jobs"):
        await deleting
    await world.store.transact(submit.delete_job, project_id=made.id, ref=job["job_id"], actor="user:bob")
    await world.store.transact(projects.delete_project, project_id=made.id, actor="user:ada")
    with pytest.raises(NotFound, match="project"):
        await world.store.transact(submit.create_job, **{**job, "job_id": IDS.new()})
    with pytest.raises(NotFound, match="project"):
        await world.store.transact(
            keys.create_key, key=replace(key(world, "viewer"), project_id=made.id), maker="owner"
        )


def key(world: World, role: str, **how: Any) -> ApiKey:
    made = IDS.new()
    return ApiKey(made, world.project, "ci", role, made[-16:], "digest", "user:ada", how.get("expires_at"))


async def test_keys_are_no_stronger_than_their_maker_and_expire(world: World):
    with pytest.raises(NotAllowed):
        await world.store.transact(keys.create_key, key=key(world, "admin"), maker="owner")
    with pytest.raises(InvalidInput):
        await world.store.transact(
            keys.create_key, key=key(world, "viewer", expires_at=await world.now()), maker="owner"
        )
    short = key(world, "viewer", expires_at=await world.now() + timedelta(hours=1))
    made = await world.store.transact(lost_reply(keys.create_key), key=short, maker="owner")

    async def find(tx: Any) -> Any:
        return await tx.access.key(short.prefix)

    assert (await world.store.read(find)).project_slug == "default"
    assert await (await world.later(hours=2)).store.read(find) is None
    strong = await world.store.transact(keys.create_key, key=key(world, "admin"), maker="admin")
    with pytest.raises(NotAllowed):
        await world.store.transact(
            keys.revoke_key, project_id=world.project, key_id=strong.id, revoker="owner", actor="x"
        )
    await world.store.transact(keys.revoke_key, project_id=world.project, key_id=made.id, revoker="owner", actor="x")
    assert await world.store.read(find) is None
    for unknown in (made.id, IDS.new(), "x"):
        with pytest.raises(NotFound):
            await world.store.transact(
                keys.revoke_key, project_id=world.project, key_id=unknown, revoker="owner", actor="x"
            )


async def test_a_keys_use_is_written_down_at_most_once_a_minute(world: World):
    made = await world.store.transact(keys.create_key, key=key(world, "viewer"), maker="owner")

    async def used(at: World) -> Any:
        async def work(tx: Any) -> Any:
            await tx.access.used(made.id)
            return (await tx.access.find_key(world.project, made.id)).last_used_at

        return await at.store.transact(work)

    first = await used(world)
    assert first is not None
    assert await used(await world.later(seconds=30)) == first
    assert await used(await world.later(seconds=61)) > first


async def _places(tx: Any, user_id: str) -> Any:
    return await tx.accounts.places(user_id)


async def _levels(tx: Any, buckets: list[str]) -> Any:
    return await tx.limits.lock(buckets)


async def test_what_is_made_again_has_the_token_that_was_told_last(world: World):
    """A request that is repeated by its idempotency key, whose first answer nobody heard."""
    made = key(world, "viewer")
    await world.store.transact(keys.create_key, key=made, maker="owner")
    again = replace(made, prefix="another", digest="of another token")
    store = world.store.on_behalf_of(Origin(repeated=True))
    await store.transact(keys.create_key, key=again, maker="owner")

    async def find(tx: Any) -> Any:
        return await tx.access.key("another"), await tx.access.key(made.prefix)

    found, old = await world.store.read(find)
    assert (found.id, found.digest, old) == (made.id, "of another token", None)


async def test_what_is_over_is_forgotten_after_a_while(world: World):
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
