"""Accounts and roles that come from an identity provider's claims, beside those that people gave by hand."""

import asyncio
from typing import Any

import pytest

from horae.accounts import projects, sessions, single_sign_on, users
from horae.accounts.single_sign_on import SignedIn
from horae.domain.errors import Conflict, DuplicateKey
from horae.domain.people.account import NewSession, User
from horae.domain.people.audit import AuditFilter
from horae.domain.people.project import Project
from horae.domain.people.single_sign_on import Create, Person, Refusal, Rights

from .accounts import alive, refresh, session, user
from .meeting import meet
from .test_departure import invite
from .world import IDS, World, lost_reply

ISSUER = "https://login.example.org/"
EDITOR = Rights(roles={"default": "editor"})


def person(rights: Rights = EDITOR, subject: str = "1", name: str = "ada") -> Person:
    return Person(ISSUER, subject, name, rights)


def new_session() -> NewSession:
    return NewSession(IDS.new(), "", "d1", "portal", "127.0.0.1", "sealed")


async def enter(world: World, who: Person, *, create: Create = Create.WITH_ROLE, lost: bool = False, **how: Any) -> Any:
    verb = lost_reply(single_sign_on.sign_in) if lost else single_sign_on.sign_in
    given = {"session": new_session(), "new_id": IDS.new(), "lasts": 3600.0, **how}
    return await world.store.transact(verb, person=who, create=create, **given)


async def found(world: World, name: str = "ada") -> User:
    return await world.store.read(users.find_user, name)


async def places(world: World, name: str = "ada") -> dict[str, str]:
    async def read(tx: Any) -> Any:
        return await tx.accounts.places((await tx.accounts.user(name)).id)

    return {place.slug: place.role for place in await world.store.read(read)}


async def told(world: World, action: str) -> list[tuple[str, str | None, Any]]:
    async def read(tx: Any) -> Any:
        return await tx.audit.page(None, AuditFilter(action=action), limit=20, after=None)

    return [(one.actor, one.subject_name, one.changes) for one in (await world.store.read(read)).items]


@pytest.fixture
async def somebody(world: World) -> User:
    """The first account is not one of these tests."""
    return await user(world, "root", admin=True)


async def test_the_first_sign_in_creates_an_account_without_a_password(world: World, somebody: User):
    got = await enter(world, person())
    assert isinstance(got, SignedIn)
    ada = await found(world)
    assert (ada.is_admin, ada.has_password, ada.created_by) == (False, False, "sso")
    assert (await found(world, "root")).has_password
    assert await places(world) == {"default": "editor"}
    assert await told(world, "member.set") == [("sso", "ada", [{"path": "role", "old": None, "new": "editor"}])]
    assert ("user:ada", "ada", [{"path": "by", "old": None, "new": "sso"}]) in await told(world, "session.open")
    again = await enter(world, person(name="renamed"))
    assert again.user.id == ada.id, "who somebody is does not depend on their name"
    assert len(await told(world, "member.set")) == 1


async def test_an_account_without_a_password_gets_none(world: World, somebody: User):
    await enter(world, person())
    with pytest.raises(Conflict) as refused:
        await world.store.transact(users.change_user, ref="ada", password="hash", actor="user:root")
    assert refused.value.field == "password"


async def test_an_existing_account_is_not_taken_over_by_name(world: World, somebody: User):
    assert await enter(world, person(name="root")) == Refusal.TAKEN
    assert await enter(world, person(Rights(is_admin=True), name="root")) == Refusal.TAKEN


@pytest.mark.parametrize(
    ("create", "rights", "comes"),
    [
        (Create.WITH_ROLE, EDITOR, True),
        (Create.WITH_ROLE, Rights(), False),
        (Create.ALL, Rights(), True),
        (Create.NONE, Rights(is_admin=True), False),
    ],
)
async def test_for_whom_accounts_are_created(world: World, somebody: User, create: Create, rights: Rights, comes: bool):
    got = await enter(world, person(rights), create=create)
    assert isinstance(got, SignedIn) if comes else got == Refusal.UNKNOWN


async def test_the_first_account_is_an_admins(world: World):
    assert await enter(world, person(), create=Create.ALL) == Refusal.FIRST
    assert isinstance(await enter(world, person(Rights(is_admin=True))), SignedIn)
    assert isinstance(await enter(world, person(subject="2", name="bob")), SignedIn)


async def test_roles_follow_the_claims(world: World, somebody: User):
    await world.store.transact(projects.create_project, project=Project(IDS.new(), "mail", "Mail"), actor="x")
    await enter(world, person(Rights(roles={"default": "owner", "mail": "viewer"})))
    assert await places(world) == {"default": "owner", "mail": "viewer"}
    await enter(world, person(Rights(roles={"mail": "operator"})))
    assert await places(world) == {"mail": "operator"}
    await enter(world, person(Rights()))
    assert await places(world) == {}
    assert [one[0] for one in await told(world, "member.remove")] == ["sso", "sso"]
    got = await enter(world, person(Rights(roles={"gone": "viewer", "mail": "viewer"})))
    assert got.unknown == ("gone",)
    assert await places(world) == {"mail": "viewer"}


async def test_what_was_given_by_hand_stays(world: World, somebody: User):
    await enter(world, person(Rights()), create=Create.ALL)
    by_hand: dict[str, Any] = {"project_id": world.project, "ref": "ada", "actor": "user:root"}
    await world.store.transact(projects.set_member, role="viewer", **by_hand)
    await enter(world, person(Rights(roles={"default": "owner"})))
    assert await places(world) == {"default": "viewer"}
    await enter(world, person(Rights()))
    assert await places(world) == {"default": "viewer"}
    await world.store.transact(projects.remove_member, **by_hand)
    await enter(world, person(EDITOR))
    assert await places(world) == {"default": "editor"}, "without a membership by hand, claims decide again"
    await world.store.transact(projects.set_member, role="operator", **by_hand)
    await enter(world, person(EDITOR))
    await enter(world, person(Rights()))
    assert await places(world) == {"default": "operator"}, "what claims gave and people changed is theirs"


async def test_admins_by_claims_and_by_hand(world: World, somebody: User):
    await enter(world, person(Rights(is_admin=True)))
    assert (await found(world)).is_admin
    await world.store.transact(users.change_user, ref="root", is_active=False, actor="user:ada")
    await enter(world, person(EDITOR))
    assert not (await found(world)).is_admin, "the last one, too: the provider decides about those whom it made"
    assert ("sso", "ada", [{"path": "is_admin", "old": True, "new": False}]) in await told(world, "user.edit")
    await world.store.transact(users.change_user, ref="ada", is_admin=True, actor="command line")
    await enter(world, person(EDITOR))
    assert (await found(world)).is_admin


async def test_losing_a_role_withdraws_the_invitations_that_it_allowed(world: World, somebody: User):
    await enter(world, person(Rights(roles={"default": "owner"})))
    await invite(world, await found(world), "link")
    await enter(world, person(EDITOR))
    assert await world.store.read(lambda tx: tx.invitations.by_digest("link")) is None


async def test_the_deactivated_stay_out(world: World, somebody: User):
    await enter(world, person())
    await world.store.transact(users.change_user, ref="ada", is_active=False, actor="user:root")
    assert await enter(world, person()) == Refusal.INACTIVE


async def test_a_deleted_user_gets_a_new_account(world: World, somebody: User):
    before = (await enter(world, person())).user.id
    await world.store.transact(users.delete_user, ref="ada", actor="user:root")
    assert (await enter(world, person())).user.id != before

    async def as_old_versions_do(tx: Any) -> None:
        await tx.accounts.db.execute("DELETE FROM memberships")
        await tx.accounts.db.execute("DELETE FROM users WHERE username = 'ada'")

    await world.store.transact(as_old_versions_do)
    assert isinstance(await enter(world, person()), SignedIn)


async def test_a_session_ends_with_the_claims_that_opened_it(world: World, somebody: User):
    opened = new_session()
    await enter(world, person(), session=opened, lasts=3600.0)
    assert await refresh(world, opened.id, 1, "d2")
    kept = await world.store.read(lambda tx: tx.sessions.find(opened.id))
    assert kept is not None
    assert kept.limit_at is not None
    assert (kept.expires_at, kept.provider_token) == (kept.limit_at, "sealed")

    async def extended_by_an_old_version(tx: Any) -> None:
        await tx.sessions.db.execute(f"UPDATE sessions SET limit_at = {tx.sessions.d.earlier('60')}")

    assert await alive(world, opened.id)
    await world.store.transact(extended_by_an_old_version)
    assert not await alive(world, opened.id)
    assert await refresh(world, opened.id, 2, "d3") is None


async def test_a_reply_that_was_lost_opens_one_session(world: World, somebody: User):
    assert isinstance(await enter(world, person(), lost=True), SignedIn)
    assert len(await told(world, "session.open")) == 1
    assert len(await told(world, "user.create")) == 2  # with root


async def test_one_person_in_two_browsers_gets_one_account(world: World, somebody: User):
    one, two = await world.crowd(2)
    got = await asyncio.gather(enter(one, person()), enter(two, person()), return_exceptions=True)
    for it in got:
        assert isinstance(it, SignedIn | DuplicateKey | Conflict) or it == Refusal.TAKEN
    assert isinstance(await enter(world, person()), SignedIn)
    assert len(await told(world, "user.create")) == 2


async def test_an_account_moves_to_the_provider_with_its_user_alone(world: World, somebody: User):
    ada, bob = await user(world, "ada"), await user(world, "bob")
    hers, his = await session(world, ada), await session(world, bob)

    async def link(at: str, subject: str = "1", *, lost: bool = False) -> Any:
        verb = lost_reply(single_sign_on.move) if lost else single_sign_on.move
        who, opened = person(subject=subject), new_session()
        return await world.store.transact(verb, person=who, session_id=at, session=opened, lasts=3600.0)

    assert (await link(hers.id, lost=True)).user.id == ada.id
    assert not (await found(world)).has_password, "one way in: a password would keep what the provider takes away"
    assert not await alive(world, hers.id)
    assert await places(world) == {"default": "editor"}
    assert await link(hers.id) == Refusal.EXPIRED
    assert await link(his.id) == Refusal.LINKED
    assert (await found(world, "bob")).has_password
    assert (await enter(world, person(Rights(), name="whatever"))).user.id == ada.id
    assert await places(world) == {}
    await world.store.transact(sessions.end_session, session_id=his.id)
    assert await link(his.id, "2") == Refusal.EXPIRED
    assert [one[1] for one in await told(world, "user.link")] == ["ada"]


async def test_two_tabs_link_one_identity(world: World, somebody: User):
    """Each came back from the provider as a different user, at the same moment."""
    hers = await session(world, await user(world, "ada"))

    def link(subject: str) -> Any:
        how = {"person": person(subject=subject), "session_id": hers.id, "session": new_session(), "lasts": 3600.0}
        return single_sign_on.move, how

    one, two = await meet(world, link("1"), link("2"), "account")
    assert isinstance(one, SignedIn)
    assert two == Refusal.EXPIRED
    assert [row["subject"] for row in await world.rows("SELECT subject FROM identities")] == ["1"]
