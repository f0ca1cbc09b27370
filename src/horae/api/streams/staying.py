"""Revocation of streams: a streamed response must not outlive its caller's right to read it."""

from __future__ import annotations

from dataclasses import dataclass

from horae.api.auth import Principal, caller_again
from horae.api.errors import Unauthenticated
from horae.api.signing_in.authenticator import Authenticator
from horae.domain.errors import StoreUnavailable

LIFETIME = 900  # seconds: then clients reconnect and resume after the last event that they got


@dataclass(frozen=True, slots=True)
class Stay:
    """Uses the authenticator's cache of a few seconds: cheap enough to check before every event, so that a stream ends
    as soon as a new request would be refused."""

    authenticator: Authenticator
    principal: Principal
    permission: str

    async def is_over(self) -> bool:
        """Whether the key, the session, the membership or the project is gone, or the role no longer suffices. A caller
        who is no longer an admin must reconnect: others see less."""
        try:
            caller = await caller_again(self.authenticator, self.principal.caller)
        except StoreUnavailable:
            return False  # without the database there is nothing to send either; checked again when it is back
        if caller is None:
            return True
        place = caller.place(self.principal.project_id)
        if place is not None:
            now = caller.within(place)
            return not now.may(self.permission) or (self.principal.role == "admin" and now.role != "admin")
        # Admins act in projects that they are not members of.
        return not (caller.is_admin and caller.user and await self.authenticator.project(self.principal.project_id))

    async def check(self) -> None:
        """For downloads: breaks the connection, so that the client sees that it is incomplete."""
        if await self.is_over():
            raise Unauthenticated("your access was revoked while this was being sent")
