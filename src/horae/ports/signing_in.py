"""Ways to sign in other than by password."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from horae.domain.people.account import Identity
from horae.domain.people.device import Device, NewDevice


class Identities(Protocol):
    """Users' identities at a provider, and the roles granted by its claims."""

    async def find(self, issuer: str, subject: str) -> Identity | None:
        """Locked; None also if its user is gone."""
        ...

    async def add(self, identity: Identity) -> None:
        """Raises DuplicateKey if it belongs to another account."""
        ...

    async def gave_admin(self, identity: Identity, gave: bool) -> None: ...
    async def claimed(self, user_id: str) -> dict[str, str]:
        """The roles that claims gave, by project id."""
        ...

    async def claim(self, user_id: str, project_id: str, role: str | None) -> None:
        """Records a role granted by claims; None removes it."""
        ...


class Devices(Protocol):
    """Sign-ins waiting for approval in a browser."""

    async def add(self, device: NewDevice, expires_at: datetime) -> None: ...
    async def by_digest(self, digest: str, *, lock: bool = False) -> Device | None: ...
    async def by_code(self, user_code: str, *, lock: bool = False) -> Device | None: ...
    async def polled(self, digest: str, pause: int) -> None: ...
    async def approve(self, digest: str, user_id: str, session_id: str) -> None: ...
    async def deny(self, digest: str) -> None: ...
    async def delete(self, digest: str) -> None: ...
    async def take_back(self, user_id: str) -> None:
        """Withdraws what this user has approved and no device has collected yet."""
        ...

    async def prune(self, older_than: float) -> int: ...


@dataclass(frozen=True, slots=True)
class Attempted:
    """One sign-in in a browser: what binds the provider's answer to it."""

    state: str
    nonce: str
    verifier: str = field(repr=False)  # of PKCE


@dataclass(frozen=True, slots=True)
class Proof:
    """The verified claims of a user, and the ID token that contained them."""

    claims: Mapping[str, Any]
    id_token: str = field(repr=False)


class Provider(Protocol):
    """An identity provider. Errors are NotAccepted of domain/people/single_sign_on.py."""

    @property
    def issuer(self) -> str: ...
    @property
    def name(self) -> str:
        """A display name."""
        ...

    async def authorization_url(self, attempted: Attempted) -> str:
        """Where to send the browser."""
        ...

    async def redeem(self, code: str, attempted: Attempted, issuer: str | None) -> Proof:
        """Exchanges the code that the browser brought back; `issuer` is where it claims to come from."""
        ...

    async def sign_out_url(self, id_token: str | None, return_to: str) -> str | None:
        """The provider's end-session URL for the browser; None if it has none."""
        ...
