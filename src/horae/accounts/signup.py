"""Sign-up: the first admin with a token that the server prints, others by invitation, or anyone if sign-up is open."""

from __future__ import annotations

from horae.domain.errors import Conflict, DuplicateKey, InvalidInput, NotAllowed
from horae.domain.jobs.difference import Change
from horae.domain.people.account import FIRST_TOKEN_GOOD_FOR, Invitation, NewInvitation, NewUser, User
from horae.domain.people.audit import differing
from horae.domain.people.roles import above
from horae.ports import Transaction

_FIRST = "the first user needs the one-time token that the server printed when it started"
_CLOSED = "signing up needs an invitation: ask an owner of your project for a link"
_BAD_TOKEN = "this token is not valid: it is unknown, already used or expired"


async def offer_first(tx: Transaction, *, invitation_id: str, digest: str) -> bool:
    """Creates a token for the first admin, if there are no users yet; several processes may each print their own."""
    if await tx.accounts.any_user():
        return False
    if not (tx.repeated and await tx.invitations.by_digest(digest)):
        good_until = await tx.now() + FIRST_TOKEN_GOOD_FOR
        await tx.invitations.add(NewInvitation(invitation_id, None, "admin", digest, "server", good_until))
    return True


async def may_sign_up(tx: Transaction, *, digest: str | None, open_to_all: bool) -> None:
    """Refuses before any work is spent on a password; `sign_up` has the final say."""
    await _check(tx, digest, open_to_all, lock=False)


async def sign_up(tx: Transaction, *, user: NewUser, digest: str | None, open_to_all: bool) -> User:
    """Creates a user who, by the invitation, is a member or the first admin. If several use one token, one wins."""
    if tx.repeated and (done := await tx.accounts.user(user.id)):
        return done
    invitation = await _check(tx, digest, open_to_all, lock=True)
    first = invitation is not None and invitation.project_id is None
    made = await add_user(tx, NewUser(user.id, user.username, user.password, first, user.created_by), "user.signup")
    if invitation is not None:
        await _accept(tx, invitation, made)
    return made


async def join(tx: Transaction, *, user_id: str, digest: str) -> str:
    """Lets an existing user accept an invitation; returns the project."""
    invitation = await tx.invitations.by_digest(digest, lock=True)
    if invitation is None or invitation.project_id is None:
        raise InvalidInput("token", _BAD_TOKEN)
    if invitation.accepted_id != user_id:
        if not invitation.open_at(await tx.now()):
            raise InvalidInput("token", _BAD_TOKEN)
        user = await tx.accounts.user(user_id)
        assert user is not None
        await _accept(tx, invitation, user)
    return invitation.project_id


async def add_user(tx: Transaction, user: NewUser, action: str) -> User:
    try:
        await tx.accounts.add_user(user)
    except DuplicateKey:
        raise Conflict("a user with this name already exists") from None
    made = await tx.accounts.user(user.id)
    assert made is not None
    changes = differing({}, {"is_admin": made.is_admin})
    await tx.audit.add(action, actor=user.created_by, project_id=None, id=made.id, name=made.username, changes=changes)
    return made


async def _check(tx: Transaction, digest: str | None, open_to_all: bool, *, lock: bool) -> Invitation | None:
    if lock:
        await tx.invitations.lock_first()
    if digest is None:
        if not await tx.accounts.any_user():
            raise NotAllowed(_FIRST)
        if not open_to_all:
            raise NotAllowed(_CLOSED)
        return None
    found = await tx.invitations.by_digest(digest, lock=lock)
    if found is None or not found.open_at(await tx.now()):
        raise InvalidInput("token", _BAD_TOKEN)
    if found.project_id is None and await tx.accounts.any_user():
        raise InvalidInput("token", _BAD_TOKEN)
    return found


async def _accept(tx: Transaction, invitation: Invitation, user: User) -> None:
    await tx.invitations.accept(invitation.id, user.id)
    project_id = invitation.project_id
    if project_id is None:
        await tx.invitations.drop_first()
        project_id, role = (await tx.access.default_project()).id, "owner"
    else:
        role = invitation.role
    present = await tx.accounts.member(project_id, user.id)
    if present is None or above(role, present.role):
        await tx.accounts.set_role(project_id, user.id, role, invitation.created_by)
        await tx.audit.add(
            "member.join",
            actor=f"user:{user.username}",
            project_id=project_id,
            id=user.id,
            name=user.username,
            changes=[Change("role", present and present.role, role)],
        )
