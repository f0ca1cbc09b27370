"""Projects: create, rename and delete; their members and invitations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from horae.accounts.departure import KEPT, Leaving, Left, leave, require_maker
from horae.domain.errors import Conflict, DuplicateKey, InvalidInput, NotFound
from horae.domain.jobs.difference import Change
from horae.domain.people.account import (
    DEFAULT_PROJECT,
    INVITATION_GOOD_FOR,
    LONGEST_INVITATION,
    Invitation,
    Maker,
    Member,
    NewInvitation,
    ProjectInfo,
    User,
)
from horae.domain.people.audit import differing
from horae.domain.people.project import Project
from horae.domain.people.quota import Quota
from horae.ports import Transaction

NO_LIMITS: Mapping[Quota, int] = {}


@dataclass(frozen=True, slots=True)
class InvitationLink:
    """A requested invitation; valid for a week by default."""

    id: str
    role: str
    digest: str
    note: str | None
    expires_at: datetime | None


async def create_project(
    tx: Transaction, *, project: Project, actor: str, limits: Mapping[Quota, int] = NO_LIMITS
) -> ProjectInfo:
    """`limits` are its initial quotas."""
    if tx.repeated and (done := await tx.access.project(project.id)):
        return done
    try:
        await tx.access.add_project(project)
    except DuplicateKey:
        raise Conflict("a project with this slug already exists") from None
    for quota, most in limits.items():
        await tx.quotas.set(project.id, quota, most, actor)
    changes = [Change(quota.value, None, most) for quota, most in sorted(limits.items())]
    await tx.audit.add(
        "project.create", actor=actor, project_id=project.id, id=project.id, name=project.slug, changes=changes
    )
    return await find_project(tx, project.id)


async def rename_project(tx: Transaction, *, project_id: str, name: str, actor: str) -> ProjectInfo:
    old = await find_project(tx, project_id, lock=True)
    if name == old.name:
        return old
    await tx.access.rename_project(project_id, name)
    changes = [Change("name", old.name, name)]
    await tx.audit.add(
        "project.rename", actor=actor, project_id=project_id, id=project_id, name=old.slug, changes=changes
    )
    return await find_project(tx, project_id)


async def delete_project(tx: Transaction, *, project_id: str, actor: str) -> None:
    """Only an empty one: a single request must not delete jobs."""
    project = await find_project(tx, project_id, lock=True)
    if project.slug == DEFAULT_PROJECT:
        raise Conflict("the project `default` cannot be deleted: every installation has it")
    if held := [what for what, there in (await tx.access.contents(project_id)).items() if there]:
        raise Conflict(f"this project is not empty: it has {', '.join(held)}")
    await tx.access.delete_project(project_id)
    # The trail of a deleted project cannot be read: the installation keeps this entry.
    await tx.audit.add("project.delete", actor=actor, project_id=None, id=project_id, name=project.slug)


async def set_member(
    tx: Transaction, *, project_id: str, ref: str, role: str, actor: str, leaving: Leaving = KEPT, may_add: bool = True
) -> tuple[Member, Left]:
    """Adds a member, or changes their role. Without `may_add`, only existing members can be changed: others join by
    invitation, so that no caller learns who has an account. A demoted owner loses what only owners may create."""
    await hold_project(tx, project_id)
    owners = await tx.accounts.owners(project_id)
    user = await tx.accounts.user(ref)
    before = await tx.accounts.member(project_id, user.id) if user is not None else None
    if before is None and not may_add:
        raise NotFound("there is no such member: to add a user, send them an invitation")
    if user is None:
        raise NotFound("there is no such user")
    if role != "owner":
        _keep_an_owner(owners, user)
    await tx.accounts.set_role(project_id, user.id, role, actor)
    if before is None or before.role != role:
        changes = [Change("role", before and before.role, role)]
        await tx.audit.add(
            "member.set", actor=actor, project_id=project_id, id=user.id, name=user.username, changes=changes
        )
    member = await tx.accounts.member(project_id, user.id)
    assert member is not None
    stays = role == "owner" or user.is_admin
    return member, Left() if stays else await leave(tx, user, leaving, actor, project_id=project_id)


async def remove_member(tx: Transaction, *, project_id: str, ref: str, actor: str, leaving: Leaving = KEPT) -> Left:
    owners = await tx.accounts.owners(project_id)
    user = await tx.accounts.user(ref)
    if user is None or await tx.accounts.member(project_id, user.id) is None:
        raise NotFound("there is no such member")
    _keep_an_owner(owners, user)
    await tx.accounts.remove_member(project_id, user.id)
    await tx.audit.add("member.remove", actor=actor, project_id=project_id, id=user.id, name=user.username)
    return await leave(tx, user, leaving, actor, project_id=project_id)


async def invite(
    tx: Transaction, *, project_id: str, link: InvitationLink, actor: str, maker: Maker | None = None
) -> Invitation:
    await hold_project(tx, project_id)
    if maker is not None:
        await require_maker(tx, maker, project_id, "members:write")
    now = await tx.now()
    expires_at = link.expires_at or now + INVITATION_GOOD_FOR
    if not now < expires_at <= now + LONGEST_INVITATION:
        raise InvalidInput("expires_at", f"must be within the next {LONGEST_INVITATION.days} days")
    known = await tx.invitations.find(project_id, link.id) if tx.repeated else None
    if known is not None:
        if known.accepted_at is not None:
            raise Conflict("this invitation already exists and was accepted")
        await tx.invitations.delete(known.id)  # the caller never received its token
    new = NewInvitation(
        link.id, project_id, link.role, link.digest, actor, expires_at, link.note, maker.id if maker else None
    )
    await tx.invitations.add(new)
    if known is None:
        changes = differing({}, {"role": link.role, "note": link.note, "expires_at": expires_at})
        await tx.audit.add("invitation.create", actor=actor, project_id=project_id, id=link.id, changes=changes)
    made = await tx.invitations.find(project_id, link.id)
    assert made is not None
    return made


async def revoke_invitation(tx: Transaction, *, project_id: str, invitation_id: str, actor: str) -> None:
    found = await tx.invitations.find(project_id, invitation_id)
    if found is None:
        raise NotFound("there is no such invitation")
    if found.accepted_at is not None:
        raise Conflict("this invitation was already accepted: remove the member instead")
    await tx.invitations.delete(found.id)
    await tx.audit.add("invitation.revoke", actor=actor, project_id=project_id, id=found.id)


async def find_project(tx: Transaction, ref: str, *, lock: bool = False) -> ProjectInfo:
    found = await tx.access.project(ref, lock=lock)
    if found is None:
        raise NotFound("there is no such project")
    return found


def _keep_an_owner(owners: list[str], user: User) -> None:
    if owners == [user.id]:
        raise Conflict("this is the project's last owner: make another member owner first")


async def hold_project(tx: Transaction, project_id: str) -> None:
    """Called before something is put into a project: keeps the project until the transaction ends. An empty one may be
    deleted."""
    if not await tx.access.hold_project(project_id):
        raise NotFound("this project was deleted")
