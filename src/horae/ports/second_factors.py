"""Second factors: an authenticator app of each user that has one, and the recovery codes that are left."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from horae.domain.people.second_factor import SecondFactor, Standing
from horae.domain.secrets.secret import Sealed


class SecondFactors(Protocol):
    async def find(self, user_id: str, *, pending: bool = False) -> SecondFactor | None:
        """The one in use, or the one that is being enrolled."""
        ...

    async def standing(self, user_id: str) -> Standing: ...
    async def begin(self, sealed: Sealed) -> None:
        """Stores a secret to be confirmed; replaces an unconfirmed one."""
        ...

    async def confirm(self, user_id: str, step: int) -> None:
        """Puts the pending one in the place of the one in use; its code of this step has been used."""
        ...

    async def use_step(self, user_id: str, step: int) -> bool:
        """Whether no code of this step or a later one was used before; of several who ask at once, one is right."""
        ...

    async def remove(self, user_id: str) -> bool:
        """With the recovery codes and what is pending; whether there was one in use."""
        ...

    async def set_recovery_codes(self, user_id: str, digests: Collection[str]) -> None:
        """Replaces the existing ones."""
        ...

    async def has_recovery_code(self, user_id: str, digest: str) -> bool: ...
    async def use_recovery_code(self, user_id: str, digest: str) -> bool:
        """Whether it was there; it is not any more."""
        ...

    async def not_of(self, key_id: str, *, limit: int, after: tuple[str, str] | None) -> list[tuple[Sealed, str, str]]:
        """What other keys than this have sealed, each with its state and the user's name, by user and state."""
        ...

    async def reseal(self, old: Sealed, new: Sealed) -> bool:
        """Puts `new` in the place of `old`; False if it was replaced meanwhile."""
        ...
