"""Runs and operations, through the API."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from horae.sdk.calls import KEEP, C, Json, Pages, Request, Resource, When, call, listed, pages, part
from horae.sdk.following import Stream
from horae.sdk.record import Record


class Run(Record):
    """A run, live or ended."""

    __slots__ = ()

    id: str
    job_id: str
    job_name: str
    version: int
    project_id: str
    trigger: str
    scheduled_for: str | None
    due_at: str | None
    queue: str
    priority: int
    status: str
    outcome: str | None
    attempt: int
    uncounted: int  # attempts that do not count towards max_attempts
    max_attempts: int
    parked: bool
    worker_id: str | None
    started_at: str | None
    finished_at: str | None
    duration_ms: int | None
    response_code: int | None
    exit_code: int | None
    result: Any
    error: str | None
    reason: str | None
    occurrences: int
    scheduled_until: str | None
    input: Any
    truncated: list[str]  # what a list leaves out because it is long: "input", "result"
    progress: Any
    parent_run_id: str | None
    rerun_of: str | None
    triggered_by: str | None
    scheduler_id: str | None
    created_at: str


class RunDetail(Run):
    """A run, and what only asking for it tells: `dead_since` is None unless it is a dead letter now."""

    __slots__ = ()

    lease_until: str | None
    worker_heartbeat_at: str | None
    traceback: str | None
    cancel_requested_at: str | None
    dead_since: str | None


class Attempt(Record):
    """One try of a run by one worker; `outcome` is None while it goes on."""

    __slots__ = ()

    n: int
    worker_id: str | None
    started_at: str | None
    finished_at: str | None
    duration_ms: int | None
    outcome: str | None
    error: str | None
    exit_code: int | None
    response_code: int | None
    result: Any
    traceback: str | None


class Piece(Record):
    """A piece of what a run wrote."""

    __slots__ = ()

    attempt: int
    seq: int
    at: str
    stream: str
    text: str


class Explanation(Record):
    """Why a job does or does not run, in one sentence and gate by gate; `cause` names the gate to look at first."""

    __slots__ = ()

    at: str
    summary: str
    level: str
    cause: str | None
    gates: list[Json]


class RunExplanation(Explanation):
    """The same of a run, and what happened to it in order."""

    __slots__ = ()

    timeline: list[Json]


class Operation(Record):
    """Long work with progress; `state` is running, done, cancelled or failed."""

    __slots__ = ()

    id: str
    kind: str
    state: str
    job_id: str | None
    done: int
    total: int
    start: str | None
    end: str | None
    parallelism: int | None
    version: int | None
    rate: float | None
    reason: str | None
    error: str | None
    created_by: str
    created_at: str
    finished_at: str | None


Attempts = list[Attempt]  # a class with a method named list cannot say so itself
ManyRuns = list[Run]


class RunFilters(TypedDict, total=False):
    """Which runs a list shows; what is None is left open."""

    status: str | None
    outcome: str | None
    trigger: str | None
    worker: str | None
    queue: str | None
    since: When
    until: When
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
        """What the run wrote so far, in pieces; with `after` (`attempt.seq`), from behind that piece on."""
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
        """The same once more, as a new run of the job as it is now; `input` in place of the old one's."""
        return Request("POST", f"runs/{part(run)}/retry", {} if input is KEEP else {"input": input}, read=Run)

    @call
    def recover(self) -> Request[Json]:
        """Recovers runs whose lease ran out, now instead of at a scheduler's next sweep."""
        return Request("POST", "runs:recover")

    @call
    def log_text(self, run: str) -> Request[str]:
        """All that the run wrote so far, as it wrote it."""
        return Request("GET", f"runs/{part(run)}/log", params={"format": "text"}, text=True)

    @pages
    def follow(self, run: str) -> Stream:
        """What happens to a run, as it comes: `("log", piece)`, `("run", {status, attempt, progress})`, and at last
        `("end", run)`. It reconnects when the connection breaks, and nothing comes twice."""
        return Stream(f"runs/{part(run)}/log", {"follow": True})


class Operations(Resource[C]):
    """Long work with progress."""

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
