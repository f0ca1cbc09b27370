"""Quotas of projects."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from horae.domain.people.quota import Quota, QuotaRow, Use


class Quotas(Protocol):
    """The quotas of projects. Usage is in places: see domain/people/quota.py."""

    async def lock(
        self, project_ids: Collection[str], quotas: Collection[Quota], *, wait: bool = True
    ) -> dict[tuple[str, Quota], QuotaRow]:
        """Those that are set, locked in the order of projects and names, which avoids deadlocks. Without `wait`, those
        that another transaction has locked are left out."""
        ...

    async def take(self, taken: Mapping[tuple[str, Quota], int]) -> None:
        """Takes that many places; the caller holds the locks."""
        ...

    async def counted(self, project_id: str, quota: Quota, room: int, seen: int) -> None:
        """Stores what was counted under the lock, and how many rows were read for that."""
        ...

    async def refused(self, project_ids: Collection[str], quota: Quota) -> None:
        """Records a refusal; at most once a minute."""
        ...

    async def count(self, project_id: str, quota: Quota, most: int) -> Use:
        """The current count, up to `most`. Not for fires, which `rate` sums up, nor for log bytes."""
        ...

    async def rate(self, project_id: str) -> Use:
        """The fires per hour of all enabled jobs whose rate is known."""
        ...

    async def unrated(self, project_id: str, limit: int, after: str | None = None) -> list[tuple[str, int, str]]:
        """Enabled jobs whose rate is not known: id, version and plan, by id."""
        ...

    async def set_rates(self, rates: Sequence[tuple[str, int, int]]) -> None:
        """Id, version and rate; a job with another version by now is left alone."""
        ...

    async def limits(self, project_id: str) -> dict[Quota, tuple[int, datetime | None]]:
        """Each with the time of its last refusal."""
        ...

    async def set(self, project_id: str, quota: Quota, most: int, actor: str) -> None: ...
    async def clear(self, project_id: str, quota: Quota) -> None: ...
    async def strained(self, since: datetime, limit: int) -> list[tuple[str, str, Quota]]:
        """Project (id and slug) and quota, if few places are known to be free or there was a refusal since."""
        ...

    async def spend_log(self, project_id: str, count: int, day: datetime) -> None:
        """Counts bytes against a project's daily log quota, if it has one."""
        ...

    async def log_room(self, day: datetime, project_id: str | None = None) -> dict[str, int]:
        """The bytes left for this day, for one project or for all that have a limit."""
        ...
