"""Second factors: the authenticator app of each user who has one, and their remaining recovery codes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from horae.domain.people.second_factor import SecondFactor, Standing
from horae.domain.secrets.secret import Sealed


class SecondFactors(Protocol):
    async def find(self, user_id: str, *, pending: bool = False) -> SecondFactor | None:
        """The one in use, or the one being enrolled."""
        ...

    async def standing(self, user_id: str) -> Standing: ...
    async def begin(self, sealed: Sealed) -> None:
        """Stores a secret to be confirmed; replaces an unconfirmed one."""
        ...

    async def confirm(self, user_id: str, step: int) -> None:
        """Replaces the one in use by the pending one; its code of this step has been used."""
        ...

    async def use_step(self, user_id: str, step: int) -> bool:
        """Whether no code of this step or a later one was used before; of several concurrent callers, one wins."""
        ...

    async def remove(self, user_id: str) -> bool:
        """With the recovery codes and the pending one; returns whether one was in use."""
        ...

    async def set_recovery_codes(self, user_id: str, digests: Collection[str]) -> None:
        """Replaces the existing ones."""
        ...

    async def has_recovery_code(self, user_id: str, digest: str) -> bool: ...
    async def use_recovery_code(self, user_id: str, digest: str) -> bool:
        """Whether it existed; it is consumed."""
        ...

    async def not_of(self, key_id: str, *, limit: int, after: tuple[str, str] | None) -> list[tuple[Sealed, str, str]]:
        """Those encrypted with another key, each with its state and the user's name, by user and state."""
        ...

    async def reseal(self, old: Sealed, new: Sealed) -> bool:
        """Puts `new` in the place of `old`; False if it was replaced meanwhile."""
        ...
