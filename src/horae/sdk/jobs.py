"""Jobs, through the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict, Unpack

from horae.sdk.calls import (
    KEEP,
    C,
    Json,
    Pages,
    Request,
    Resource,
    When,
    call,
    given,
    if_match,
    instant,
    keyed,
    listed,
    nothing,
    pages,
    part,
)
from horae.sdk.records import (
    BackfillPlan,
    Explanation,
    Job,
    JobStats,
    ListedJob,
    NextOccurrences,
    Operation,
    Run,
    Version,
)
from horae.sdk.runs import ManyRuns, RunFilters

__all__ = [
    "BackfillPlan",
    "Job",
    "JobChanges",
    "JobFields",
    "JobFilters",
    "JobStats",
    "Jobs",
    "ListedJob",
    "NextOccurrences",
    "Version",
]


class JobFields(TypedDict, total=False):
    """The optional fields of a job; the defaults are the server's."""

    description: str
    tags: Sequence[str]
    schedule: Json
    retry: Json
    timeout: float
    overlap: str
    max_instances: int | None
    catch_up: str
    catch_up_window: int
    queue: str
    priority: int
    start_within: float | None
    grace: float | None
    keep: bool
    enabled: bool
    notify: Sequence[str]
    alert: Json | None


class JobChanges(JobFields, total=False):
    name: str
    target: Json


class JobFilters(TypedDict, total=False):
    """Filters; None: any. `q` is a part of the name."""

    q: str | None
    kind: str | None
    schedule: str | None
    status: str | None
    enabled: bool | None
    paused: bool | None
    tag: str | None
    queue: str | None
    last_status: str | None
    recurring: bool | None
    sort: str | None
    include: str | None


class Jobs(Resource[C]):
    @call
    def create(self, *, name: str, target: Json, **fields: Unpack[JobFields]) -> Request[Job]:
        return Request("POST", "jobs", {"name": name, "target": target, **fields}, read=Job)

    @call
    def create_recurring(self, *, name: str, target: Json, **fields: Unpack[JobFields]) -> Request[Job]:
        """Like `create`, but rejected if the schedule does not recur."""
        return Request("POST", "jobs/recurring", {"name": name, "target": target, **fields}, read=Job)

    @pages
    def list(self, *, limit: int | None = None, **filters: Unpack[JobFilters]) -> Pages[ListedJob]:
        """By name, unless `sort` says otherwise; `include="recent,words"` for the schedules as sentences and how the
        newest runs ended."""
        return Pages("jobs", ListedJob, filters, limit)

    @call
    def get(self, job: str) -> Request[Job]:
        return Request("GET", f"jobs/{part(job)}", read=Job)

    @call
    def edit(self, job: str, *, version: int | None = None, **changes: Unpack[JobChanges]) -> Request[Job]:
        """Changes some fields; with `version`, only if the job has not changed since."""
        return Request("PATCH", f"jobs/{part(job)}", changes, headers=if_match(version), read=Job)

    @call
    def replace(self, job: str, definition: Json, *, version: int | None = None) -> Request[Job]:
        """Replaces the definition; with `version`, only if the job has not changed since."""
        return Request("PUT", f"jobs/{part(job)}", definition, headers=if_match(version), read=Job)

    @call
    def delete(self, job: str, *, version: int | None = None) -> Request[None]:
        return Request("DELETE", f"jobs/{part(job)}", headers=if_match(version), read=nothing)

    @call
    def run(
        self,
        job: str,
        *,
        input: Any = None,
        run_at: When = None,
        priority: int | None = None,
        idempotency_key: str | None = None,
        traceparent: str | None = None,
    ) -> Request[Run]:
        """Starts a run now, or at `run_at`. With an `idempotency_key`, once, however often it is requested. The run
        joins the trace of `traceparent` (W3C Trace Context), by default that of OpenTelemetry's current span."""
        body = given({"input": input, "run_at": instant(run_at), "priority": priority})
        return Request("POST", f"jobs/{part(job)}/run", body, headers=keyed(idempotency_key, traceparent), read=Run)

    @call
    def run_many(
        self,
        job: str,
        runs: Sequence[Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
        traceparent: str | None = None,
    ) -> Request[ManyRuns]:
        """Up to 1,000 runs in one request, each with `input`, `run_at` and `priority`: all or none."""
        body = {"runs": [dict(run) for run in runs]}
        headers = keyed(idempotency_key, traceparent)
        return Request("POST", f"jobs/{part(job)}/runs:batch", body, headers=headers, read=listed(Run))

    @pages
    def runs(self, job: str, *, limit: int | None = 50, **filters: Unpack[RunFilters]) -> Pages[Run]:
        """Newest first, or by `sort="created_at"` oldest first."""
        return Pages(f"jobs/{part(job)}/runs", Run, filters, limit)

    @call
    def next(self, job: str, count: int = 10) -> Request[NextOccurrences]:
        return Request("GET", f"jobs/{part(job)}/next", params={"count": count}, read=NextOccurrences)

    @call
    def stats(self, job: str) -> Request[JobStats]:
        return Request("GET", f"jobs/{part(job)}/stats", read=JobStats)

    @call
    def pause(self, job: str, *, until: When = None) -> Request[Job]:
        """Pauses the schedule until an instant, or until it is resumed."""
        return Request("POST", f"jobs/{part(job)}/pause", given({"until": instant(until)}), read=Job)

    @call
    def resume(self, job: str) -> Request[Job]:
        return Request("POST", f"jobs/{part(job)}/resume", read=Job)

    @call
    def enable(self, job: str) -> Request[Job]:
        return Request("POST", f"jobs/{part(job)}/enable", read=Job)

    @call
    def disable(self, job: str) -> Request[Job]:
        return Request("POST", f"jobs/{part(job)}/disable", read=Job)

    @call
    def retry(self, job: str, *, input: Any = KEEP) -> Request[Run]:
        """Retries its latest failed run; rejected if there is none."""
        return Request("POST", f"jobs/{part(job)}/retry", {} if input is KEEP else {"input": input}, read=Run)

    @pages
    def versions(self, job: str, *, limit: int | None = None) -> Pages[Version]:
        """Newest first, each with its changes."""
        return Pages(f"jobs/{part(job)}/versions", Version, limit=limit)

    @call
    def version(self, job: str, number: int) -> Request[Version]:
        return Request("GET", f"jobs/{part(job)}/versions/{number}", read=Version)

    @call
    def rollback(self, job: str, to: int, *, version: int | None = None) -> Request[Job]:
        """Saves the definition of an earlier version as a new one; with `version`, only if that is still the newest."""
        body = {"version": to}
        return Request("POST", f"jobs/{part(job)}/rollback", body, headers=if_match(version), read=Job)

    @call
    def backfill(
        self,
        job: str,
        *,
        start: datetime | str,
        end: datetime | str,
        parallelism: int = 1,
        again: bool = False,
        dry_run: bool = False,
    ) -> Request[Operation | BackfillPlan]:
        """Runs the occurrences in a past range: returns the operation or, with `dry_run`, how many and which. The same
        occurrences are run once: repeating the request returns the existing operation, unless they should run
        `again`."""
        range = {"start": instant(start), "end": instant(end), "parallelism": parallelism}
        body = {**range, "again": again, "dry_run": dry_run}
        return Request("POST", f"jobs/{part(job)}/backfill", body, read=BackfillPlan if dry_run else Operation)

    @call
    def explain(self, job: str) -> Request[Explanation]:
        """Why it does or does not run: `summary`, and `gates` with what would open them."""
        return Request("GET", f"jobs/{part(job)}/explain", read=Explanation)
