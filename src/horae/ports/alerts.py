"""Alerts, and the facts that their rules are evaluated from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from horae.domain.alerts.alert import AlertCounts, AlertFilter, AlertRecord, Finding
from horae.domain.alerts.facts import (
    AlertSubjects,
    FailingJob,
    LiveRunFact,
    LongRun,
    OverdueJob,
    ProjectNumber,
    UnknownSecret,
    WaitingJob,
    WatchedJob,
)
from horae.domain.alerts.spec import JobRules, ProjectAlertSpec
from horae.domain.alerts.transition import Before, StandingAlert
from horae.domain.pages import Page
from horae.domain.runs.stranded import Want


class Alerts(Protocol):
    async def standing(self, rules: Collection[str]) -> list[StandingAlert]:
        """The open alerts of these rules."""
        ...

    async def before(self, identities: Collection[str]) -> dict[str, Before]:
        """For each identity, the alert that cleared last."""
        ...

    async def keep_newest(self, identity: str, count: int) -> None:
        """Deletes all but so many of the alerts of this identity that have cleared."""
        ...

    async def open_ids(self, identities: Collection[str]) -> list[str]:
        """Of the open alerts with these identities."""
        ...

    async def add(self, new: Sequence[tuple[str, Finding]], before: dict[str, Before], now: datetime) -> set[str]:
        """Opens alerts under these ids; returns those that were not open already."""
        ...

    async def see(self, seen: Sequence[tuple[str, Finding]]) -> None:
        """Confirms that they are still open, and updates their reason."""
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
        """Open ones that are not silenced: unacknowledged ones first, then the worst, then the newest."""
        ...

    async def counts(self, projects: Collection[str | None] | None) -> AlertCounts: ...
    async def acknowledge(self, alert_id: str, actor: str, note: str | None) -> None: ...
    async def silence(self, alert_id: str, until: datetime | None, actor: str, note: str | None) -> None: ...
    async def settings(self, project_id: str) -> ProjectAlertSpec: ...
    async def set_settings(self, project_id: str, settings: ProjectAlertSpec) -> None: ...
    async def prune(self, older_than: float, limit: int) -> int: ...


class AlertFacts(Protocol):
    """The facts for rules, read by set-based statements: never one per job, and never the history. Only jobs that are
    enabled and not paused."""

    async def present(self) -> AlertSubjects:
        """In one statement: what there is to ask about."""
        ...

    async def founded_at(self) -> datetime:
        """When the installation was set up."""
        ...

    async def failing(self) -> list[FailingJob]:
        """Jobs whose last run failed."""
        ...

    async def waiting(self, wants: Sequence[Want], seconds: float) -> list[WaitingJob]:
        """Jobs with runs that have been due for so many seconds, and wait for one of these."""
        ...

    async def overdue(self, seconds: float) -> list[OverdueJob]:
        """Jobs with an occurrence that has been due for so many seconds and has not been fired; the oldest first."""
        ...

    async def stuck(self, seconds: float) -> list[LiveRunFact]:
        """Runs whose lease expired so many seconds ago."""
        ...

    async def long(self) -> list[LongRun]: ...
    async def rules(self, job_ids: Collection[str]) -> dict[str, JobRules]:
        """The thresholds of those of these jobs that have their own."""
        ...

    async def least_late(self) -> float | None:
        """The shortest threshold of any job."""
        ...

    async def projects(self) -> dict[str, ProjectAlertSpec]: ...
    async def watched(self, now: datetime) -> list[WatchedJob]:
        """Jobs with their own thresholds that may break one of their rules."""
        ...

    async def failures(self, job_ids: Collection[str], since: datetime) -> dict[str, dict[datetime, int]]:
        """Failed runs of these jobs by the hour."""
        ...

    async def outcomes(self, since: datetime) -> list[ProjectNumber]:
        """For projects in which runs failed since that hour."""
        ...

    async def new_dead_letters(self, seconds: float) -> list[ProjectNumber]: ...
    async def unknown_secrets(self, named: Sequence[UnknownSecret]) -> list[UnknownSecret]:
        """Those of them that do not exist."""
        ...

    async def subjects(self, rule: str) -> list[tuple[str, str, str, int]]: ...
    async def missing_partitions(self) -> list[str]:
        """Of this month and the next."""
        ...
