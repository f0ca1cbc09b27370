"""Jobs, through the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from horae.sdk.calls import (
    KEEP,
    AsyncResource,
    Items,
    Json,
    Pages,
    Request,
    Resource,
    When,
    call,
    given,
    if_match,
    instant,
    items,
    nothing,
    pages,
    part,
)


class JobCalls:
    @call
    def create(self, *, name: str, target: Json, **fields: Any) -> Request[Json]:
        return Request("POST", "jobs", {"name": name, "target": target, **fields})

    @pages
    def list(self, *, limit: int | None = None, **filters: Any) -> Pages:
        """By name; filters: q, kind, schedule, status, enabled, paused, tag, queue."""
        return Pages("jobs", filters, limit)

    @call
    def get(self, job: str) -> Request[Json]:
        return Request("GET", f"jobs/{part(job)}")

    @call
    def edit(self, job: str, *, version: int | None = None, **changes: Any) -> Request[Json]:
        """Changes some fields; with `version`, only if nobody else changed the job since."""
        return Request("PATCH", f"jobs/{part(job)}", changes, headers=if_match(version))

    @call
    def replace(self, job: str, definition: Json, *, version: int | None = None) -> Request[Json]:
        """Puts another definition in the place of the old one; with `version`, only if nobody else changed it since."""
        return Request("PUT", f"jobs/{part(job)}", definition, headers=if_match(version))

    @call
    def delete(self, job: str, *, version: int | None = None) -> Request[None]:
        return Request("DELETE", f"jobs/{part(job)}", headers=if_match(version), read=nothing)

    @call
    def run(self, job: str, *, input: Any = None, run_at: When = None, priority: int | None = None) -> Request[Json]:
        body = given({"input": input, "run_at": instant(run_at), "priority": priority})
        return Request("POST", f"jobs/{part(job)}/run", body)

    @call
    def run_many(self, job: str, runs: Items) -> Request[Items]:
        """Up to 1,000 runs in one request: all of them, or none."""
        return Request("POST", f"jobs/{part(job)}/runs:batch", {"runs": runs}, read=items)

    @call
    def next(self, job: str, count: int = 10) -> Request[Json]:
        return Request("GET", f"jobs/{part(job)}/next", params={"count": count})

    @call
    def stats(self, job: str) -> Request[Json]:
        return Request("GET", f"jobs/{part(job)}/stats")

    @call
    def pause(self, job: str, *, until: When = None) -> Request[Json]:
        """Holds the schedule, until an instant or until it is resumed."""
        return Request("POST", f"jobs/{part(job)}/pause", given({"until": instant(until)}))

    @call
    def resume(self, job: str) -> Request[Json]:
        return Request("POST", f"jobs/{part(job)}/resume")

    @call
    def enable(self, job: str) -> Request[Json]:
        return Request("POST", f"jobs/{part(job)}/enable")

    @call
    def disable(self, job: str) -> Request[Json]:
        return Request("POST", f"jobs/{part(job)}/disable")

    @call
    def retry(self, job: str, *, input: Any = KEEP) -> Request[Json]:
        """Its latest failed run once more; refused if there is none."""
        return Request("POST", f"jobs/{part(job)}/retry", {} if input is KEEP else {"input": input})

    @pages
    def versions(self, job: str, *, limit: int | None = None) -> Pages:
        """Newest first, each with what it changed."""
        return Pages(f"jobs/{part(job)}/versions", limit=limit)

    @call
    def version(self, job: str, number: int) -> Request[Json]:
        return Request("GET", f"jobs/{part(job)}/versions/{number}")

    @call
    def rollback(self, job: str, to: int, *, version: int | None = None) -> Request[Json]:
        """Saves the definition of an earlier version anew; with `version`, only if that is still the newest."""
        return Request("POST", f"jobs/{part(job)}/rollback", {"version": to}, headers=if_match(version))

    @call
    def backfill(
        self, job: str, *, start: datetime | str, end: datetime | str, parallelism: int = 1, dry_run: bool = False
    ) -> Request[Json]:
        """Runs the occurrences of a past range: the operation, or with `dry_run` how many and which."""
        body = {"start": instant(start), "end": instant(end), "parallelism": parallelism, "dry_run": dry_run}
        return Request("POST", f"jobs/{part(job)}/backfill", body)

    @call
    def explain(self, job: str) -> Request[Json]:
        """Why it does or does not run: `summary`, and `gates` with what would open them."""
        return Request("GET", f"jobs/{part(job)}/explain")


class Jobs(JobCalls, Resource):
    pass


class AsyncJobs(JobCalls, AsyncResource):
    pass
