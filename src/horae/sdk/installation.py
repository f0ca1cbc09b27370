"""Calls that belong to no noun: the installation and its processes, the calendar, the audit trail."""

from __future__ import annotations

from typing import TypedDict, Unpack

from horae.domain.text.ids import is_id
from horae.sdk.calls import C, Json, Pages, Request, Resource, When, call, given, instant, pages, part
from horae.sdk.following import Stream
from horae.sdk.records import (
    AuditEntry,
    BusyWorker,
    DetailedHealth,
    Explanation,
    Health,
    Preview,
    RunExplanation,
    Scheduler,
    Worker,
)

__all__ = [
    "AuditEntry",
    "AuditFilters",
    "BusyWorker",
    "DetailedHealth",
    "Health",
    "Installation",
    "Preview",
    "Scheduler",
    "Worker",
]


class AuditFilters(TypedDict, total=False):
    """Filters; None: any. `all_projects` is for admins."""

    actor: str | None
    action: str | None
    kind: str | None
    subject: str | None
    since: When
    until: When
    all_projects: bool | None


class Installation(Resource[C]):
    @call
    def explain(self, id: str) -> Request[Explanation]:
        """Why a job (its name or id) or a run (its id) does or does not run."""
        job: Request[Explanation] = Request("GET", f"jobs/{part(id)}/explain", read=Explanation)
        if not is_id(id):
            return job
        return Request("GET", f"runs/{part(id)}/explain", read=RunExplanation, otherwise=job)

    @pages
    def workers(self) -> Pages[BusyWorker]:
        return Pages("workers", BusyWorker, paged=False)

    @call
    def drain(self, worker: str) -> Request[Worker]:
        """The worker finishes its runs and takes no new ones. For admins."""
        return Request("POST", f"workers/{part(worker)}/drain", read=Worker)

    @pages
    def schedulers(self) -> Pages[Scheduler]:
        return Pages("schedulers", Scheduler, paged=False)

    @pages
    def audit(self, *, limit: int | None = 50, **filters: Unpack[AuditFilters]) -> Pages[AuditEntry]:
        """The audit trail, newest first."""
        return Pages("audit", AuditEntry, filters, limit)

    @call
    def preview(
        self,
        schedule: Json,
        count: int = 10,
        *,
        start: When = None,
        compare: Json | None = None,
        job: str | None = None,
    ) -> Request[Preview]:
        """The next occurrences of any schedule; optionally compared with another schedule (`compare`) or with a job's
        current one (`job`)."""
        options = given({"from": instant(start), "compare": compare, "job": job})
        return Request("POST", "schedules/preview", {"schedule": schedule, "count": count, **options}, read=Preview)

    @call
    def calendar(
        self,
        *,
        start: When = None,
        end: When = None,
        by: str | None = None,
        tag: str | None = None,
        queue: str | None = None,
        q: str | None = None,
    ) -> Request[Json]:
        """Occurrences in a time range, by default the next day: `items`, complete until `complete_until`; with `by`
        ("minute" or "hour"), the number in each. `q` is a part of the jobs' names. `truncated` if there are more jobs
        than are read."""
        params = {"start": start, "end": end, "by": by, "tag": tag, "queue": queue, "q": q}
        return Request("GET", "calendar", params=params)

    @pages
    def events(self, *, kind: str | None = None, seconds: int | None = None) -> Stream:
        """Changes of runs, jobs and workers as they happen, or of one `kind`: `("run", run)` and so on. Endless, across
        reconnects (some may then come twice), or for a number of `seconds`. `("reset", …)` means that there were too
        many changes to report: reload the lists."""
        return Stream("events", {"kind": kind, "seconds": seconds}, at_end="again" if seconds is None else "over")

    @call
    def numbers(self) -> Request[Json]:
        """How many jobs and runs there are, and how they went."""
        return Request("GET", "monitoring/jobs")

    @call
    def hours(self, *, hours: int | None = None, job: str | None = None) -> Request[Json]:
        """How runs ended, hour by hour (`items`, oldest first): of the project, or of one job."""
        return Request("GET", "monitoring/hours", params={"hours": hours, "job": job})

    @call
    def days(self, *, days: int | None = None, job: str | None = None) -> Request[Json]:
        """Likewise by day (UTC)."""
        return Request("GET", "monitoring/days", params={"days": days, "job": job})

    @call
    def series(
        self,
        metric: str | None = None,
        *,
        since: When = None,
        until: When = None,
        step: str | int | None = None,
        queue: str | None = None,
        worker: str | None = None,
        all_projects: bool | None = None,
    ) -> Request[Json]:
        """How runs went and what waited, point by point (`points`, oldest first): of the project, of one of its queues,
        or of a worker. `metric` is some of `ended`, `queued`, `running`, `lateness` and `duration`, separated by
        commas; by default all of them. `all_projects` is for admins."""
        params = {"metric": metric, "since": since, "until": until, "step": step}
        whose = {"queue": queue, "worker": worker, "all_projects": all_projects}
        return Request("GET", "monitoring/series", params={**params, **whose})

    @call
    def stranded(self) -> Request[Json]:
        """Runs of the project that no live worker can execute (`items`), and how to fix it."""
        return Request("GET", "monitoring/stranded")

    @call
    def worker_numbers(self) -> Request[Json]:
        """How many workers there are, with their slots, and all of them (`items`)."""
        return Request("GET", "monitoring/workers")

    @call
    def health(self) -> Request[DetailedHealth]:
        """Whether everything is present and working; also answers while the database is down."""
        return Request("GET", "health/detailed", read=DetailedHealth, base="", also=(503,))

    @call
    def metrics(self) -> Request[str]:
        """In Prometheus' text form. For admins."""
        return Request("GET", "metrics", base="", text=True)

    @call
    def call_back(self, token: str, answer: Json) -> Request[Json]:
        """Ends a run that waits for it: `answer` has `status` and the result, `token` is the one that the run was
        given."""
        return Request("POST", f"callbacks/{part(token)}", answer)
