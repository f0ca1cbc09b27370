"""The history of ended runs: appended, never changed, and read by id, by job and by time, so that another store can
hold it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, TypeVar

from horae.domain.explain.facts import EndedRun
from horae.domain.runs.changes import Glance
from horae.domain.runs.run import Skipped
from horae.domain.runs.run_filter import RecentRun, RunFilter
from horae.domain.runs.run_record import RunRecord

Shape = TypeVar("Shape", bound=NamedTuple)


class History(Protocol):
    """`Runs.end` moves runs here, atomically with their removal from the live table."""

    async def skip(self, skipped: Sequence[Skipped]) -> None:
        """Appends occurrences that never ran."""
        ...

    async def runs(self, project_id: str, run_ids: Collection[str], *, short: bool = False) -> list[RunRecord]:
        """Those of these runs that have ended, by id; `short`: without long documents, as in lists."""
        ...

    async def page(
        self, project_id: str, where: RunFilter, *, limit: int, after: str | None, oldest_first: bool = False
    ) -> list[RunRecord]:
        """At most `limit`, by id, short."""
        ...

    async def pick(self, shape: type[Shape], run_ids: Collection[str]) -> list[Shape]:
        """Those of these runs that have ended, by id: the columns that the given type has as fields, as stored."""
        ...

    async def recent(self, job_ids: Sequence[str], limit: int) -> dict[str, list[RecentRun]]:
        """The newest ended runs of each job, newest first; reads no more of its history."""
        ...

    async def newest(self, job_id: str, limit: int) -> list[EndedRun]:
        """The newest of a job, newest first, with the reason of their end."""
        ...

    async def latest_failed(self, job_id: str) -> str | None:
        """The newest failed run among the newest of a job."""
        ...

    async def skips(self, job_id: str, since: datetime) -> dict[str, int]:
        """How many occurrences were skipped since then, by reason, among the newest of a job."""
        ...

    async def ended(self, project_id: str, since: datetime, limit: int) -> list[Glance]:
        """Which of a project's newest runs have ended since then."""
        ...

    async def of_jobs(self, job_ids: Collection[str], younger_than: float | None = None) -> set[str]:
        """Those of these jobs that have ended runs; with `younger_than`, runs that ended within that many seconds."""
        ...

    async def versions(self, job_id: str, newest: int) -> set[int]:
        """Which versions of a job, up to this one, have ended runs."""
        ...

    async def prune(self, older_than: float, limit: int, after: str) -> tuple[int, int, str]:
        """Reads `limit` rows after `after` and deletes those that ended more than `older_than` seconds ago, with their
        attempts and output, but no dead letters. Returns how many it read, how many it deleted, and the last id."""
        ...
