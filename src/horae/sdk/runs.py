"""Runs and operations, through the API."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from horae.sdk.calls import KEEP, C, Json, Pages, Request, Resource, When, call, listed, pages, part
from horae.sdk.following import Stream
from horae.sdk.records import Attempt, Explanation, Operation, Piece, Run, RunDetail, RunExplanation

__all__ = [
    "Attempt",
    "Attempts",
    "Explanation",
    "ManyRuns",
    "Operation",
    "Operations",
    "Piece",
    "Run",
    "RunDetail",
    "RunExplanation",
    "RunFilters",
    "Runs",
]

Attempts = list[Attempt]  # a class with a method named list cannot use the built-in
ManyRuns = list[Run]


class RunFilters(TypedDict, total=False):
    """Filters; None: any."""

    status: str | None
    outcome: str | None
    trigger: str | None
    worker: str | None
    queue: str | None
    since: When
    until: When
    ended_since: When
    ended_until: When
    sort: str | None


class Runs(Resource[C]):
    @pages
    def list(self, *, job: str | None = None, limit: int | None = 50, **filters: Unpack[RunFilters]) -> Pages[Run]:
        """Newest first, or by `sort="created_at"` oldest first."""
        return Pages("runs", Run, {"job": job, **filters}, limit)

    @call
    def get(self, run: str) -> Request[RunDetail]:
        return Request("GET", f"runs/{part(run)}", read=RunDetail)

    @call
    def attempts(self, run: str) -> Request[Attempts]:
        return Request("GET", f"runs/{part(run)}/attempts", read=listed(Attempt))

    @pages
    def log(self, run: str, *, after: str | None = None) -> Pages[Piece]:
        """The run's output so far, in chunks; with `after` (`attempt.seq`), what follows that chunk."""
        return Pages(f"runs/{part(run)}/log", Piece, start=after)

    @call
    def explain(self, run: str) -> Request[RunExplanation]:
        """What it waits for or how it ended: `summary`, `gates` and `timeline`."""
        return Request("GET", f"runs/{part(run)}/explain", read=RunExplanation)

    @call
    def cancel(self, run: str) -> Request[Run]:
        return Request("POST", f"runs/{part(run)}/cancel", read=Run)

    @call
    def retry(self, run: str, *, input: Any = KEEP) -> Request[Run]:
        """Runs it again, as a new run with the job's current definition; `input` replaces the old one's."""
        return Request("POST", f"runs/{part(run)}/retry", {} if input is KEEP else {"input": input}, read=Run)

    @call
    def recover(self) -> Request[Json]:
        """Recovers runs whose lease has expired, now instead of at a scheduler's next sweep."""
        return Request("POST", "runs:recover")

    @call
    def log_text(self, run: str) -> Request[str]:
        """The run's output so far, as one text."""
        return Request("GET", f"runs/{part(run)}/log", params={"format": "text"}, text=True)

    @pages
    def follow(self, run: str) -> Stream:
        """The events of a run as they arrive: `("log", piece)`, `("run", {status, attempt, progress})`, and finally
        `("end", run)`. Reconnects if the connection breaks, without duplicates."""
        return Stream(f"runs/{part(run)}/log", {"follow": True})


class Operations(Resource[C]):
    """Long-running operations with progress."""

    @pages
    def list(self, *, limit: int | None = 50) -> Pages[Operation]:
        """Newest first."""
        return Pages("operations", Operation, limit=limit)

    @call
    def get(self, operation: str) -> Request[Operation]:
        return Request("GET", f"operations/{part(operation)}", read=Operation)

    @call
    def cancel(self, operation: str) -> Request[Operation]:
        return Request("POST", f"operations/{part(operation)}/cancel", read=Operation)
