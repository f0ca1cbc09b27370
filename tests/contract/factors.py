"""Second factors in short words: `enrolled(world, user)`, `app.code(world)`, `sign_in(world, user, code)`."""

from dataclasses import dataclass, field
from typing import Any

from horae.accounts import second_factor
from horae.domain.people import totp
from horae.domain.people.account import NewSession, User
from horae.domain.people.second_factor import SEALED_AS, recovery_digest
from horae.sealing import Keyring

from .accounts import HASH
from .world import IDS, World

SEALS = Keyring("the key of these tests, long enough")
RECOVERY = [f"code-{n}" for n in range(10)]


@dataclass
class App:
    """A user's authenticator app."""

    user: User
    secret: bytes = field(default=b"12345678901234567890")

    async def code(self, world: World, ahead: int = 0) -> str:
        return totp.code_at(self.secret, totp.step_at(await world.now()) + ahead)

    @property
    def sealed(self) -> Any:
        return SEALS.seal(self.user.id, SEALED_AS, totp.written(self.secret))


async def begin(world: World, app: App, **how: Any) -> bool:
    asked = {"sealed": app.sealed, "checked": HASH, "code": None, "seals": SEALS, **how}
    return await world.store.transact(second_factor.begin, **asked)


async def confirm(world: World, app: App, code: str, recovery: list[str] = RECOVERY, **how: Any) -> bool:
    digests = [recovery_digest(app.user.id, one) for one in recovery]
    asked = {"user_id": app.user.id, "checked": HASH, "recovery": digests, "seals": SEALS, **how}
    return await world.store.transact(second_factor.confirm, code=code, **asked)


async def enrolled(world: World, user: User, **how: Any) -> App:
    """With the code of the step before, so that those of this one and the next are still good."""
    app = App(user)
    assert await begin(world, app)
    assert await confirm(world, app, await app.code(world, -1), **how)
    return app


def new_session(user: User) -> NewSession:
    return NewSession(IDS.new(), user.id, "d1", "cli", "127.0.0.1")


async def sign_in(world: World, user: User, code: str, checked: str = HASH) -> User | None:
    return await world.store.transact(
        second_factor.sign_in, session=new_session(user), checked=checked, code=code, seals=SEALS
    )
