"""Monitors of jobs that Horae does not run, and badges."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from horae.domain.pages import Page
from horae.domain.pings.badge import BadgeRecord, NewBadge
from horae.domain.pings.ping import NewPing, PingEvent, PingFilter, PingRecord, PingStanding, PingState
from horae.domain.pings.spec import PingSpec
from horae.domain.pings.token import UrlToken
from horae.domain.secrets.secret import Sealed


class SealedTokens(Protocol):
    """Rows with a token in a URL that can be shown again."""

    async def not_of(self, key_id: str, *, limit: int, after: str | None) -> list[Sealed]:
        """Tokens encrypted with another key, by id."""
        ...

    async def reseal(self, old: Sealed, new: Sealed) -> bool: ...


class Pings(SealedTokens, Protocol):
    async def add(self, ping: NewPing, standing: PingStanding) -> None:
        """Raises DuplicateKey if the project has one of this name."""
        ...

    async def find(self, project_id: str, ref: str, *, lock: bool = False) -> PingRecord | None:
        """By id or by name."""
        ...

    async def by_digest(self, digest: str, *, lock: bool = False) -> PingRecord | None: ...
    async def due(self, limit: int) -> list[PingRecord]:
        """Those whose deadline has passed, locked; without those that another transaction has locked."""
        ...

    async def next_due(self) -> float | None:
        """Seconds until the next deadline; negative if it has passed."""
        ...

    async def stand(self, changed: Sequence[tuple[PingRecord, PingStanding, int]]) -> None:
        """Stores their state and number of events."""
        ...

    async def edit(self, ping: PingRecord, spec: PingSpec, standing: PingStanding, actor: str) -> None:
        """Raises DuplicateKey if the project has another one of this name."""
        ...

    async def set_token(self, ping_id: str, token: UrlToken, actor: str) -> None: ...
    async def delete(self, ping_id: str) -> None: ...
    async def page(self, project_id: str, where: PingFilter, *, limit: int, after: str | None) -> Page[PingRecord]:
        """By name."""
        ...

    async def states(self, project_id: str) -> dict[PingState, int]:
        """How many pings are in each state."""
        ...


class PingEvents(Protocol):
    """Events of pings; the newest ones of each."""

    async def add(self, events: Sequence[PingEvent]) -> None: ...
    async def started(self, ping_id: str, rid: str) -> datetime | None:
        """When the run with this id reported its start, if that event is still there."""
        ...

    async def page(self, ping_id: str, *, limit: int, after: int | None) -> Page[PingEvent]:
        """Newest first, without their bodies."""
        ...

    async def find(self, ping_id: str, n: int) -> PingEvent | None:
        """With its body."""
        ...

    async def keep_from(self, ping_id: str, n: int) -> None:
        """Deletes events older than `n` of a ping."""
        ...

    async def delete(self, ping_id: str) -> None: ...
    async def prune(self, older_than: float, limit: int) -> int: ...


class Badges(SealedTokens, Protocol):
    async def add(self, badge: NewBadge) -> None: ...
    async def by_digest(self, digest: str) -> BadgeRecord | None: ...
    async def find(self, project_id: str, badge_id: str) -> BadgeRecord | None: ...
    async def page(
        self, project_id: str, subject: tuple[str, str] | None, *, limit: int, after: str | None
    ) -> Page[BadgeRecord]:
        """In order of creation; `subject` is a kind and an id."""
        ...

    async def delete(self, badge_id: str) -> None: ...
    async def delete_of(self, project_id: str, kind: str, subject_id: str) -> None: ...
