"""Offboarding: what a deactivated, deleted, demoted or removed user leaves behind. Invitation links that would let them
return are withdrawn; keys keep working unless they are revoked too."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from horae.domain.errors import NotAllowed
from horae.domain.people.account import KeyInfo, MadeKey, Maker, User
from horae.domain.people.roles import ROLES, above
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class Leaving:
    """What to do with the keys; `role` is the caller's; no key above it is revoked."""

    role: str = "admin"
    revoke_keys: bool = False


KEPT = Leaving()


@dataclass(frozen=True, slots=True)
class Left:
    """`keys` are those that the user created."""

    keys: tuple[MadeKey, ...] = ()
    invitations: int = 0  # withdrawn


async def leave(
    tx: Transaction,
    user: User,
    leaving: Leaving,
    actor: str,
    *,
    project_id: str | None = None,
    but: Collection[str] = (),
) -> Left:
    """In one project or in all. `but` are projects in which the user may still create invitations and keys: of the keys
    there, only those with the role `admin` count."""
    gone = 0
    for invitation in await tx.invitations.open_by(user):
        if project_id in (None, invitation.project_id) and invitation.project_id not in but:
            await tx.invitations.delete(invitation.id)
            await tx.audit.add("invitation.revoke", actor=actor, project_id=invitation.project_id, id=invitation.id)
            gone += 1
    keys = [
        key
        for key in await tx.access.keys_by(user)
        if project_id in (None, key.project_id) and (key.project_id not in but or key.role == "admin")
    ]
    return Left(tuple([MadeKey(key, await _revoked(tx, key, leaving, actor)) for key in keys]), gone)


async def _revoked(tx: Transaction, key: KeyInfo, leaving: Leaving, actor: str) -> bool:
    if not leaving.revoke_keys or above(key.role, leaving.role):
        return False
    await tx.access.delete_key(key.id)
    await tx.audit.add("key.revoke", actor=actor, project_id=key.project_id, id=key.id, name=key.name)
    return True


async def require_maker(tx: Transaction, maker: Maker, project_id: str, permission: str) -> None:
    """Refuses to create a key or an invitation for a caller who has just lost the right to: the API's cache may be a
    few seconds old, and the new key or invitation would outlive that."""
    if maker.key_id is not None:
        if not await tx.access.hold_key(maker.key_id):
            raise NotAllowed("this API key was revoked")
        return
    user = await tx.accounts.user(maker.id, lock=True) if maker.id is not None else None
    if user is None or not user.is_active:
        raise NotAllowed("your account was deactivated")
    if user.is_admin:
        return
    member = await tx.accounts.member(project_id, user.id)
    if member is None or permission not in ROLES[member.role]:
        raise NotAllowed(f"this needs the permission {permission}, which you no longer have")
