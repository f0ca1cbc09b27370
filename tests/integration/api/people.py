"""Users for tests: put into the database with a session each, so that a test costs no hashing and no sign-in."""

from functools import cache
from typing import Any

from horae.accounts import sessions, users
from horae.api.signing_in.jwt import AccessTokens, Claims
from horae.api.signing_in.passwords import hash_password
from horae.domain.people.account import NewSession, NewUser
from horae.domain.people.roles import MEMBER_ROLES
from horae.store.store import SqlStore

from .conftest import CLOCK, IDS, SECRET

PASSWORD = "seven ducks cross over"


@cache
def hashed() -> str:
    return hash_password(PASSWORD)


async def add_user(store: SqlStore, name: str, *, admin: bool = False, **roles: str) -> str:
    """A user with roles in projects, by slug; their access token."""
    return await store.transact(_add, name, roles, admin)


async def add_users(store: SqlStore, ending: str = "") -> dict[str, str]:
    """A user for every role in the default project; the admin is a member nowhere. Names end as you say."""

    async def add(tx: Any) -> dict[str, str]:
        made = {role: await _add(tx, role + ending, {"default": role}) for role in MEMBER_ROLES}
        return {**made, "admin": await _add(tx, "root" + ending, {}, True)}

    return await store.transact(add)


async def _add(tx: Any, name: str, roles: dict[str, str], admin: bool = False) -> str:
    user = NewUser(IDS.new(), name, hashed(), admin, "test")
    await users.create_user(tx, user=user)
    for slug, role in roles.items():
        project = await tx.access.project(slug)
        await tx.accounts.set_role(project.id, user.id, role, "test")
    session = NewSession(IDS.new(), user.id, "0" * 64, "test", "127.0.0.1")
    assert await sessions.open_session(tx, session=session, checked=hashed())
    return AccessTokens([SECRET]).mint(Claims(user.id, session.id), CLOCK.now())
