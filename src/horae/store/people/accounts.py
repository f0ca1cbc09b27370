"""`users` and `memberships`: accounts and their roles."""

from __future__ import annotations

from functools import cache

from horae.domain.pages import Page
from horae.domain.people.account import Account, Credentials, Member, NewUser, Place, User
from horae.domain.people.single_sign_on import NO_PASSWORD
from horae.domain.text.ids import is_id
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.people.second_factors import IS_ON, MARK, plain_hash
from horae.store.rows import Group, batch, words
from horae.store.tables import accounts as account_tables

_USER = words(
    "id username is_admin is_active created_by created_at updated_at password_changed_at last_login_at",
)
_COLUMNS = ", ".join(
    [
        *(f"u.{column}" for column in _USER),
        f"{IS_ON} AS second_factor",
        f"u.password <> '{NO_PASSWORD}' AS has_password",
    ]
)
_MEMBER = (
    "m.user_id, u.username, u.is_active, m.role, m.created_by, m.created_at "
    "FROM memberships m JOIN users u ON u.id = m.user_id"
)
_CHANGEABLE = frozenset({"is_admin", "is_active", "password"})


@cache
def _put_role(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, account_tables.memberships, "project_id", "user_id", "role", "created_by")
    insert = d.insert_from("memberships", rows, {"created_at": d.now})
    return d.upsert(insert, ["project_id", "user_id"], {"role": "{new}"}), rows


class AccountTables(Group):
    async def any_user(self) -> bool:
        return bool(await self.db.fetch("SELECT id FROM users LIMIT 1"))

    async def add_user(self, user: NewUser) -> None:
        await self.db.execute(
            "INSERT INTO users (id, username, password, is_admin, is_active, created_by, created_at, updated_at, "
            "password_changed_at) VALUES (:id, :username, :password, :is_admin, :is_active, :created_by, "
            f"{self.d.now}, {self.d.now}, {self.d.now})",
            {
                "id": user.id,
                "username": user.username,
                "password": user.password,
                "is_admin": user.is_admin,
                "is_active": True,
                "created_by": user.created_by,
            },
        )

    async def user(self, ref: str, *, lock: bool = False) -> User | None:
        column = "id" if is_id(ref) else "username"
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM users u WHERE u.{column} = :ref {self.d.lock if lock else ''}", {"ref": ref}
        )
        return _user(rows[0]) if rows else None

    async def credentials(self, ref: str) -> Credentials | None:
        column = "id" if is_id(ref) else "username"
        rows = await self.db.fetch(f"SELECT {_COLUMNS}, u.password FROM users u WHERE u.{column} = :ref", {"ref": ref})
        return Credentials(_user(rows[0]), plain_hash(rows[0]["password"])) if rows else None

    async def users(self, *, limit: int, after: str | None) -> Page[User]:
        more = "" if after is None else "WHERE u.username > :after "
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM users u {more}ORDER BY u.username LIMIT :limit",
            {"after": after, "limit": limit + 1},
        )
        return Page.of([_user(row) for row in rows], limit, lambda one: one.username)

    async def active_admins(self) -> list[str]:
        rows = await self.db.fetch(
            f"SELECT id FROM users WHERE is_admin = :yes AND is_active = :yes ORDER BY id {self.d.lock}", {"yes": True}
        )
        return [row["id"] for row in rows]

    async def change_user(self, user_id: str, **changes: bool | str) -> None:
        assert changes.keys() <= _CHANGEABLE
        sets = [f"{column} = :{column}" for column in changes if column != "password"]
        params = {**changes, "id": user_id}
        if "password" in changes:
            sets += [f"password = CASE WHEN {IS_ON} THEN :marked ELSE :password END"]
            sets += [f"password_changed_at = {self.d.now}"]
            params["marked"] = f"{MARK}{changes['password']}"
        await self.db.execute(
            f"UPDATE users AS u SET {', '.join(sets)}, updated_at = {self.d.now} WHERE u.id = :id", params
        )

    async def rehash(self, user_id: str, old: str, new: str) -> None:
        await self.db.execute(
            "UPDATE users SET password = CASE WHEN password = :old THEN :new ELSE :marked_new END "
            "WHERE id = :id AND password IN (:old, :marked_old)",
            {"id": user_id, "old": old, "new": new, "marked_old": MARK + old, "marked_new": MARK + new},
        )

    async def signed_in(self, user_id: str) -> None:
        await self.db.execute(f"UPDATE users SET last_login_at = {self.d.now} WHERE id = :id", {"id": user_id})

    async def delete_user(self, user_id: str) -> None:
        for table in ("memberships", "claimed_roles", "identities", "sessions", "second_factors", "recovery_codes"):
            await self.db.execute(f"DELETE FROM {table} WHERE user_id = :id", {"id": user_id})
        await self.db.execute("DELETE FROM users WHERE id = :id", {"id": user_id})

    # Memberships

    async def account(self, session_id: str) -> Account | None:
        if not is_id(session_id):
            return None
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM sessions s JOIN users u ON u.id = s.user_id "
            f"WHERE s.id = :id AND s.ended_at IS NULL AND s.expires_at > {self.d.now} AND u.is_active = :yes "
            f"AND (s.limit_at IS NULL OR s.limit_at > {self.d.now})",
            {"id": session_id, "yes": True},
        )
        return Account(_user(rows[0]), await self.places(rows[0]["id"])) if rows else None

    async def places(self, user_id: str) -> tuple[Place, ...]:
        rows = await self.db.fetch(
            "SELECT p.id, p.slug, p.name, m.role FROM memberships m JOIN projects p ON p.id = m.project_id "
            "WHERE m.user_id = :id ORDER BY p.slug",
            {"id": user_id},
        )
        return tuple(Place(row["id"], row["slug"], row["name"], row["role"]) for row in rows)

    async def member(self, project_id: str, user_id: str) -> Member | None:
        rows = await self.db.fetch(
            f"SELECT {_MEMBER} WHERE m.project_id = :project_id AND m.user_id = :user_id {self.d.lock_of('m')}",
            {"project_id": project_id, "user_id": user_id},
        )
        return _member(rows[0]) if rows else None

    async def set_role(self, project_id: str, user_id: str, role: str, actor: str) -> None:
        sql, rows = _put_role(self.d)
        await self.put(sql, rows, [(project_id, user_id, role, actor)])

    async def remove_member(self, project_id: str, user_id: str) -> None:
        await self.db.execute(
            "DELETE FROM memberships WHERE project_id = :project_id AND user_id = :user_id",
            {"project_id": project_id, "user_id": user_id},
        )

    async def owners(self, project_id: str) -> list[str]:
        rows = await self.db.fetch(
            "SELECT user_id FROM memberships WHERE project_id = :project_id AND role = 'owner' "
            f"ORDER BY user_id {self.d.lock}",
            {"project_id": project_id},
        )
        return [row["user_id"] for row in rows]

    async def members(self, project_id: str, *, limit: int, after: str | None) -> Page[Member]:
        more = "" if after is None else "AND u.username > :after "
        rows = await self.db.fetch(
            f"SELECT {_MEMBER} WHERE m.project_id = :project_id {more}ORDER BY u.username LIMIT :limit",
            {"project_id": project_id, "after": after, "limit": limit + 1},
        )
        return Page.of([_member(row) for row in rows], limit, lambda one: one.username)


def _user(row: Row) -> User:
    flags = {flag: bool(row[flag]) for flag in ("is_admin", "is_active", "second_factor", "has_password")}
    return User(**{**{column: row[column] for column in _USER}, **flags})


def _member(row: Row) -> Member:
    return Member(
        row["user_id"], row["username"], bool(row["is_active"]), row["role"], row["created_by"], row["created_at"]
    )
