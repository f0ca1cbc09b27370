"""Runs and operations, through the API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from horae.sdk.calls import KEEP, AsyncResource, Items, Json, Pages, Request, Resource, call, items, pages, part
from horae.sdk.following import Event


class RunCalls:
    @pages
    def list(self, *, limit: int | None = 50, **filters: Any) -> Pages:
        """Newest first; filters: job, status, trigger, worker."""
        return Pages("runs", filters, limit)

    @call
    def get(self, run: str) -> Request[Json]:
        return Request("GET", f"runs/{part(run)}")

    @call
    def attempts(self, run: str) -> Request[Items]:
        return Request("GET", f"runs/{part(run)}/attempts", read=items)

    @pages
    def log(self, run: str, *, after: str | None = None) -> Pages:
        """What the run wrote so far, in pieces; with `after` (`attempt.seq`), from behind that piece on."""
        return Pages(f"runs/{part(run)}/log", start=after)

    @call
    def explain(self, run: str) -> Request[Json]:
        """What it waits for or how it ended: `summary`, `gates` and `timeline`."""
        return Request("GET", f"runs/{part(run)}/explain")

    @call
    def cancel(self, run: str) -> Request[Json]:
        return Request("POST", f"runs/{part(run)}/cancel")

    @call
    def retry(self, run: str, *, input: Any = KEEP) -> Request[Json]:
        """The same once more, as a new run of the job as it is now; `input` in place of the old one's."""
        return Request("POST", f"runs/{part(run)}/retry", {} if input is KEEP else {"input": input})

    @call
    def recover(self) -> Request[Json]:
        """Recovers runs whose lease ran out, now instead of at a scheduler's next sweep."""
        return Request("POST", "runs:recover")


class Runs(RunCalls, Resource):
    def follow(self, run: str) -> Iterator[Event]:
        """What happens to a run, as it comes: `("log", piece)`, `("run", {status, attempt, progress})`, and at last
        `("end", run)`. A connection that breaks is made anew, and nothing is told twice."""
        return self._client.follow(f"runs/{part(run)}/log", {"follow": "true"})


class AsyncRuns(RunCalls, AsyncResource):
    def follow(self, run: str) -> AsyncIterator[Event]:
        """As `Runs.follow`."""
        return self._client.follow(f"runs/{part(run)}/log", {"follow": "true"})


class OperationCalls:
    """Long work with progress."""

    @pages
    def list(self, *, limit: int | None = 50) -> Pages:
        """Newest first."""
        return Pages("operations", limit=limit)

    @call
    def get(self, operation: str) -> Request[Json]:
        return Request("GET", f"operations/{part(operation)}")

    @call
    def cancel(self, operation: str) -> Request[Json]:
        return Request("POST", f"operations/{part(operation)}/cancel")


class Operations(OperationCalls, Resource):
    pass


class AsyncOperations(OperationCalls, AsyncResource):
    pass
