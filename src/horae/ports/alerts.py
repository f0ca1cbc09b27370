"""What is wrong: alerts, and what their rules are evaluated from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from horae.domain.alerts.alert import AlertCounts, AlertFilter, AlertRecord, Finding
from horae.domain.alerts.facts import FailingJob
from horae.domain.alerts.transition import Before, Standing
from horae.domain.pages import Page


class Alerts(Protocol):
    async def standing(self, rules: Collection[str]) -> list[Standing]:
        """The open alerts of these rules."""
        ...

    async def before(self, identities: Collection[str]) -> dict[str, Before]:
        """Of each, the alert that cleared last."""
        ...

    async def open_ids(self, identities: Collection[str]) -> list[str]:
        """Of the open alerts with these identities."""
        ...

    async def add(self, new: Sequence[tuple[str, Finding]], before: dict[str, Before], now: datetime) -> set[str]:
        """Opens alerts under these ids; those that were not open already."""
        ...

    async def see(self, seen: Sequence[tuple[str, Finding]]) -> None:
        """They are still open; says why in present terms."""
        ...

    async def quieten(self, ids: Collection[str]) -> None:
        """Their rule holds again, as of now."""
        ...

    async def lock_open(self, ids: Collection[str]) -> list[AlertRecord]:
        """Those of them that are open, locked."""
        ...

    async def clear(self, ids: Collection[str]) -> None: ...
    async def notified(self, ids: Collection[str]) -> None: ...
    async def find(self, alert_id: str, *, lock: bool = False) -> AlertRecord | None: ...
    async def page(
        self, projects: Collection[str | None] | None, where: AlertFilter, *, limit: int, after: str | None
    ) -> Page[AlertRecord]:
        """Newest first. `projects` None: all; None among them: the installation."""
        ...

    async def worst(self, projects: Collection[str | None] | None, limit: int) -> list[AlertRecord]:
        """Open ones that are not silenced, the worst first and the oldest of these first."""
        ...

    async def counts(self, projects: Collection[str | None] | None) -> AlertCounts: ...
    async def acknowledge(self, alert_id: str, actor: str, note: str | None) -> None: ...
    async def silence(self, alert_id: str, until: datetime | None, actor: str, note: str | None) -> None: ...
    async def prune(self, older_than: float, limit: int) -> int: ...


class AlertFacts(Protocol):
    """What rules look at, read by set-based statements: never one per job, and never the history."""

    async def founded_at(self) -> datetime:
        """When the installation was set up."""
        ...

    async def failing(self, least: int) -> list[FailingJob]:
        """Enabled jobs that have failed at least so many times in a row."""
        ...
