"""What a deactivated, deleted, demoted or removed user leaves behind: no way back."""

import asyncio
from typing import Any

import pytest

from horae.accounts import keys, projects, users
from horae.accounts.departure import Leaving
from horae.domain.errors import InvalidInput, NotAllowed
from horae.domain.people.account import Maker, User
from horae.domain.people.key import ApiKey
from horae.domain.people.project import Project

from .accounts import sign_up, user
from .world import IDS, World

REVOKE = Leaving(revoke_keys=True)


async def member(world: World, who: User, role: str = "owner", project: str | None = None, **how: Any) -> Any:
    return await world.store.transact(
        projects.set_member, project_id=project or world.project, ref=who.id, role=role, actor="x", **how
    )


async def invite(world: World, who: User, digest: str, project: str | None = None, maker: Maker | None = None) -> None:
    link = projects.InvitationLink(IDS.new(), "owner", digest, None, None)
    await world.store.transact(
        projects.invite,
        project_id=project or world.project,
        link=link,
        actor=f"user:{who.username}",
        maker=maker or Maker(who.id),
    )


async def make_key(
    world: World, who: User, name: str, project: str | None = None, role: str = "owner", by: Maker | None = None
) -> ApiKey:
    made = IDS.new()
    by = by or Maker(who.id)
    actor = f"user:{who.username}" if by.key_id is None else "key:other"
    key = ApiKey(made, project or world.project, name, role, made[-16:], "digest", actor, None, by.id)
    await world.store.transact(keys.create_key, key=key, maker="admin", by=by)
    return key


async def works(world: World, key: ApiKey) -> bool:
    async def find(tx: Any) -> Any:
        return await tx.access.key(key.prefix)

    return await world.store.read(find) is not None


async def another(world: World) -> str:
    project = Project(IDS.new(), "other", "Other")
    await world.store.transact(projects.create_project, project=project, actor="x")
    return project.id


async def owner_of_two(world: World) -> tuple[User, str]:
    """Ada, who owns two projects with Bob, and has made an invitation and a key in each."""
    ada, bob = await user(world, "ada"), await user(world, "bob")
    other = await another(world)
    for who in (ada, bob):
        for project in (world.project, other):
            await member(world, who, project=project)
    for project in (world.project, other):
        await invite(world, ada, f"link-{project}", project)
        await make_key(world, ada, f"key-{project}", project)
    await invite(world, bob, "of-bob")
    return ada, other


async def cannot_join(world: World, name: str, digest: str) -> None:
    with pytest.raises(InvalidInput, match="not valid"):
        await sign_up(world, name, digest)


@pytest.mark.parametrize("how", ["deactivated", "deleted"])
@pytest.mark.parametrize("leaving", [Leaving(), REVOKE])
async def test_a_removed_user_s_invitations_are_withdrawn_in_all_projects(world: World, how: str, leaving: Leaving):
    ada, other = await owner_of_two(world)
    if how == "deleted":
        left = await world.store.transact(users.delete_user, ref=ada.id, actor="user:root", leaving=leaving)
    else:
        _, left = await world.store.transact(
            users.change_user, ref=ada.id, is_active=False, actor="user:root", leaving=leaving
        )
    assert left.invitations == 2
    assert {(made.key.name, made.key.project, made.revoked) for made in left.keys} == {
        (f"key-{world.project}", "default", leaving.revoke_keys),
        (f"key-{other}", "other", leaving.revoke_keys),
    }
    for n, project in enumerate((world.project, other)):
        await cannot_join(world, f"eve-{n}", f"link-{project}")
    assert await sign_up(world, "carol", "of-bob")  # what others made is good

    async def trail(tx: Any) -> Any:
        found = await tx.audit.page(None, _anything(), limit=50, after=None)
        return [one.action for one in found.items if one.actor == "user:root"]

    told = await world.store.read(trail)
    assert told.count("invitation.revoke") == 2
    assert told.count("key.revoke") == (2 if leaving.revoke_keys else 0)


def _anything() -> Any:
    from horae.domain.people.audit import AuditFilter

    return AuditFilter()


@pytest.mark.parametrize("how", ["removed", "demoted"])
async def test_leaving_a_project_does_not_affect_other_projects(world: World, how: str):
    ada, other = await owner_of_two(world)
    if how == "removed":
        left = await world.store.transact(
            projects.remove_member, project_id=other, ref=ada.id, actor="x", leaving=Leaving("owner", True)
        )
    else:
        _, left = await member(world, ada, "editor", other, leaving=Leaving("owner", True))
    assert (left.invitations, [(made.key.project, made.revoked) for made in left.keys]) == (1, [("other", True)])
    await cannot_join(world, "eve", f"link-{other}")
    assert await sign_up(world, "dan", f"link-{world.project}")


async def test_an_owner_revokes_no_key_above_their_own_role(world: World):
    ada, other = await owner_of_two(world)
    strong = await make_key(world, ada, "strong", other, "admin")
    left = await world.store.transact(
        projects.remove_member, project_id=other, ref=ada.id, actor="x", leaving=Leaving("owner", True)
    )
    assert {made.key.role: made.revoked for made in left.keys} == {"owner": True, "admin": False}
    assert await works(world, strong)


async def test_an_admin_who_is_one_no_longer_keeps_what_they_do_as_owner(world: World):
    await user(world, "root", admin=True)
    ada = await user(world, "ada", admin=True)
    other = await another(world)
    await member(world, ada)
    for project in (world.project, other):
        await invite(world, ada, f"link-{project}", project)
        await make_key(world, ada, f"key-{project}", project)
    await make_key(world, ada, "strong", role="admin")
    _, left = await world.store.transact(users.change_user, ref=ada.id, is_admin=False, actor="x", leaving=REVOKE)
    assert {made.key.name for made in left.keys} == {f"key-{other}", "strong"}
    await cannot_join(world, "eve", f"link-{other}")
    assert await sign_up(world, "dan", f"link-{world.project}")


async def test_what_a_key_created_belongs_to_the_maker_of_the_key(world: World):
    ada, _ = await owner_of_two(world)
    key = await make_key(world, ada, "first")
    await make_key(world, ada, "second", by=Maker(ada.id, key.id))
    await invite(world, ada, "by-key", maker=Maker(ada.id, key.id))
    left = await world.store.transact(users.delete_user, ref=ada.id, actor="x", leaving=REVOKE)
    assert {made.key.name for made in left.keys} >= {"first", "second"}
    await cannot_join(world, "eve", "by-key")


async def test_rows_of_the_version_before_are_found_by_name(world: World):
    """Unless another user had that name then."""
    ada, _ = await owner_of_two(world)

    async def forget(tx: Any) -> None:
        for table in ("api_keys", "invitations"):
            await tx.access.db.execute(f"UPDATE {table} SET maker_id = NULL")

    await world.store.transact(forget)
    later = await world.later(hours=1)
    left = await later.store.transact(users.delete_user, ref=ada.id, actor="x")
    assert (left.invitations, len(left.keys)) == (2, 2)
    again = await user(later, "ada")
    left = await later.store.transact(users.delete_user, ref=again.id, actor="x")
    assert (left.invitations, len(left.keys)) == (0, 0)


async def test_a_removed_user_creates_no_more_keys_or_invitations(world: World):
    """The API may remember them for a few seconds."""
    ada, other = await owner_of_two(world)
    key = await make_key(world, ada, "first")
    await member(world, ada, "editor", other)
    with pytest.raises(NotAllowed, match="members:write"):
        await invite(world, ada, "late", other)
    with pytest.raises(NotAllowed, match="keys:write"):
        await make_key(world, ada, "late", other)
    await world.store.transact(users.change_user, ref=ada.id, is_active=False, actor="x", leaving=REVOKE)
    for maker, words in ((Maker(ada.id), "deactivated"), (Maker(ada.id, key.id), "revoked")):
        with pytest.raises(NotAllowed, match=words):
            await invite(world, ada, "late", maker=maker)
        with pytest.raises(NotAllowed, match=words):
            await make_key(world, ada, "late", by=maker)


async def test_of_leaving_and_inviting_at_once_no_link_remains(world: World):
    ada, _ = await owner_of_two(world)
    one, two = await world.crowd(2)
    await asyncio.gather(
        one.store.transact(users.change_user, ref=ada.id, is_active=False, actor="x"),
        *(invite(two, ada, f"late-{n}") for n in range(5)),
        return_exceptions=True,
    )
    for n in range(5):
        await cannot_join(world, f"eve-{n}", f"late-{n}")
