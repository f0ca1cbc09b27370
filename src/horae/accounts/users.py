"""Accounts: created, changed and deleted by admins; users change their own password."""

from __future__ import annotations

from collections.abc import Sequence

from horae.accounts.departure import KEPT, Leaving, Left, leave
from horae.accounts.signup import add_user
from horae.domain.errors import Conflict, NotFound
from horae.domain.jobs.difference import Change
from horae.domain.people.account import NewUser, User
from horae.domain.people.audit import differing
from horae.ports import Transaction


async def create_user(tx: Transaction, *, user: NewUser) -> User:
    if tx.repeated and (done := await tx.accounts.user(user.id)):
        return done
    return await add_user(tx, user, "user.create")


async def change_user(
    tx: Transaction,
    *,
    ref: str,
    is_admin: bool | None = None,
    is_active: bool | None = None,
    password: str | None = None,
    actor: str,
    leaving: Leaving = KEPT,
) -> tuple[User, Left]:
    """None leaves a field unchanged. A user who is deactivated or gets another password must sign in again. A user who
    is deactivated or no longer an admin loses what goes with it, even if that was already the case."""
    admins = await tx.accounts.active_admins()
    user = await find_user(tx, ref, lock=True)
    if is_admin is False or is_active is False:
        _keep_an_admin(admins, user)
    if password is not None:
        _require_password(user)
    changes: dict[str, bool | str] = {}
    if is_admin is not None and is_admin != user.is_admin:
        changes["is_admin"] = is_admin
    if is_active is not None and is_active != user.is_active:
        changes["is_active"] = is_active
    if password is not None:
        changes["password"] = password
    left = Left()
    if is_active is False:
        left = await leave(tx, user, leaving, actor)
    elif is_admin is False:
        left = await leave(tx, user, leaving, actor, but=await owned(tx, user))
    if not changes:
        return user, left
    await tx.accounts.change_user(user.id, **changes)
    if is_active is False or password is not None:
        await tx.sessions.end_all(user.id, "password" if is_active is not False else "deactivated")
    changed = await find_user(tx, user.id)
    await _note(tx, "user.edit", changed, actor, _differences(user, changed))
    return changed, left


async def change_password(tx: Transaction, *, user_id: str, checked: str, new: str, session_id: str) -> bool:
    """Replaces the password that was just checked, and ends the user's other sessions; False if it was changed
    meanwhile."""
    found = await tx.accounts.credentials(user_id)
    if found is None or found.password not in (checked, new):
        return False
    await tx.devices.take_back(user_id)  # first: a session that a device opens at this moment ends with the others
    await tx.accounts.change_user(user_id, password=new)
    await tx.sessions.end_all(user_id, "password", but=session_id)
    await _note(tx, "user.password", found.user, f"user:{found.user.username}")
    return True


async def end_sessions(tx: Transaction, *, ref: str, actor: str) -> None:
    """Signs a user out everywhere; not audited if they had no session."""
    user = await find_user(tx, ref, lock=True)
    if await tx.sessions.end_all(user.id, "logout"):
        await _note(tx, "user.sign_out", user, actor)


async def delete_user(tx: Transaction, *, ref: str, actor: str, leaving: Leaving = KEPT) -> Left:
    admins = await tx.accounts.active_admins()
    user = await find_user(tx, ref, lock=True)
    _keep_an_admin(admins, user)
    left = await leave(tx, user, leaving, actor)
    await tx.accounts.delete_user(user.id)
    await _note(tx, "user.delete", user, actor)
    return left


async def find_user(tx: Transaction, ref: str, *, lock: bool = False) -> User:
    found = await tx.accounts.user(ref, lock=lock)
    if found is None:
        raise NotFound("there is no such user")
    return found


async def _note(tx: Transaction, action: str, user: User, actor: str, changes: Sequence[Change] = ()) -> None:
    await tx.audit.add(action, actor=actor, project_id=None, id=user.id, name=user.username, changes=changes)


def _differences(old: User, new: User) -> list[Change]:
    """Without the password: only the time of its change is shown."""
    names = ("is_admin", "is_active", "password_changed_at")
    return differing(*({name: getattr(user, name) for name in names} for user in (old, new)))


async def owned(tx: Transaction, user: User) -> set[str]:
    """The projects that they own."""
    return {place.project_id for place in await tx.accounts.places(user.id) if place.role == "owner"}


def _require_password(user: User) -> None:
    if not user.has_password:
        raise Conflict("this user signs in through the identity provider and has no password", field="password")


def _keep_an_admin(admins: list[str], user: User) -> None:
    if admins == [user.id]:
        raise Conflict("this is the last active admin: make another user admin first")
