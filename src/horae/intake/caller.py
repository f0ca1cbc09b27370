"""The API key that an intake acts as: checked every few seconds."""

from __future__ import annotations

from horae.api.auth import Principal, key_caller
from horae.api.signing_in import tokens
from horae.domain.errors import ConfigurationError
from horae.ports import Clock, Store

_FRESH = 2.0  # seconds
_NEEDED = "jobs:run"


class KeyRejected(ConfigurationError):
    """The API key of this intake is not valid."""


class IntakeKey:
    def __init__(self, text: str, store: Store, clock: Clock) -> None:
        self._text, self._store, self._clock = text, store, clock
        self._found: Principal | None = None
        self._until = 0.0

    async def principal(self) -> Principal:
        """Raises KeyRejected if the key was revoked, has expired, or has lost the permission to trigger jobs."""
        if self._found is None or self._clock.monotonic() >= self._until:
            self._found = await self._looked_up()
            self._until = self._clock.monotonic() + _FRESH
        return self._found

    async def _looked_up(self) -> Principal:
        prefix = tokens.prefix_of(self._text)
        key = None if prefix is None else await self._store.read(lambda tx: tx.access.key(prefix))
        if key is None or not tokens.matches(self._text, key.digest):
            raise KeyRejected("the API key of the intake is not valid (HORAE_INTAKE_KEY): wrong, revoked or expired")
        caller = key_caller(key)
        principal = caller.within(caller.places[0])
        if not principal.may(_NEEDED):
            raise KeyRejected(
                f"the API key of the intake has the role {key.role}, which lacks the permission {_NEEDED}: "
                "it needs at least operator"
            )
        await self._store.transact(lambda tx: tx.access.used(key.id))  # writes once a minute
        return principal
