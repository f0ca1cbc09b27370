"""People with accounts, in short words: `user(world, name)`, `sign_up(…)`, `session(world, user)`."""

import asyncio
from dataclasses import dataclass
from typing import Any

from horae.accounts import projects, sessions, signup, users
from horae.domain.people.account import PORTAL, NewSession, NewUser, User

from .world import IDS, World

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


async def invite(world: World, role: str, digest: str = "link", **how: Any) -> Any:
    link = projects.InvitationLink(IDS.new(), role, digest, how.get("note"), how.get("expires_at"))
    return await world.store.transact(projects.invite, project_id=world.project, link=link, actor="user:ada")


@dataclass
class SignedIn:
    user: User
    id: str


async def session(world: World, who: User) -> SignedIn:
    made = NewSession(IDS.new(), who.id, "d1", PORTAL, "127.0.0.1")
    assert await world.store.transact(sessions.open_session, session=made, checked=HASH)
    return SignedIn(who, made.id)


async def refresh(
    world: World, session_id: str, generation: int, new: str, digest: str | None = None, lost_within: float = 0.0
) -> User | None:
    return await world.store.transact(
        sessions.refresh,
        session_id=session_id,
        generation=generation,
        digest=digest or f"d{generation}",
        new_digest=new,
        lost_within=lost_within,
    )


async def alive(world: World, session_id: str) -> bool:
    async def account(tx: Any) -> Any:
        return await tx.accounts.account(session_id)

    return await world.store.read(account) is not None


async def places(tx: Any, user_id: str) -> Any:
    return await tx.accounts.places(user_id)
