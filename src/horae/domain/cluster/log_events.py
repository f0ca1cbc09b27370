"""The log lines about runs and about what users do, each declared once: watch/run_log.py writes these and no others,
and docs/logs.md is compared with this list. They contain only ids and Horae's own words: no input, output, error text
or setting of a job, because any of those may contain a secret."""

from __future__ import annotations

from typing import NamedTuple

from horae.domain.cluster.metrics import Role
from horae.domain.runs.states import AttemptOutcome

_ALL: tuple[Role, ...] = ("serve", "scheduler", "worker")
IDS = ("run", "job", "project")
"""In every line about a run."""
CONTEXT = ("attempt", "worker", "scheduler", "request_id", "trace_id")
"""If applicable: the attempt's number, the process that wrote the line, the request it belongs to, and the trace.
`worker` in a line about an attempt is the worker that made it."""


class LogEvent(NamedTuple):
    name: str
    help: str
    fields: tuple[str, ...] = ()  # in addition to IDS and CONTEXT
    roles: tuple[Role, ...] = _ALL

    def __hash__(self) -> int:
        return hash(self.name)


FIRED = LogEvent("run fired", "A schedule queued a run.", ("trigger", "scheduled_for"), ("scheduler", "serve"))
QUEUED = LogEvent("run queued", "A request, an ended run or a backfill queued a run.", ("trigger", "scheduled_for"))
SKIPPED = LogEvent("run skipped", "Occurrences that do not run.", ("reason", "occurrences", "from"))
CLAIMED = LogEvent("run claimed", "A worker took a run, perhaps ahead of a free slot.", roles=("worker",))
RELEASED = LogEvent("run released", "A worker returned a run that it had not started.", roles=("worker",))
STARTED = LogEvent("run started", "An attempt began.", ("trigger", "scheduled_for"), ("worker",))
PARKED = LogEvent(
    "run parked",
    "The attempt left its worker and waits for a callback, or for the end of its Celery task.",
    roles=("worker",),
)

_OVER = ("duration_ms", "code")
OVER = {
    AttemptOutcome.SUCCEEDED: LogEvent(
        "attempt succeeded", "A callback or the end of its task ended a parked attempt.", _OVER, ("serve", "worker")
    ),
    AttemptOutcome.FAILED: LogEvent("attempt failed", "An attempt failed.", _OVER, ("worker", "serve")),
    AttemptOutcome.TIMED_OUT: LogEvent(
        "attempt timed out", "An attempt exceeded its timeout, or its callback did not come in time.", _OVER
    ),
    AttemptOutcome.LOST: LogEvent("attempt lost", "An attempt's worker died, or its lease ran out.", (*_OVER, "why")),
    AttemptOutcome.INTERRUPTED: LogEvent(
        "attempt interrupted", "Its worker shut down, or could not read the job's definition.", _OVER, ("worker",)
    ),
    AttemptOutcome.CANCELLED: LogEvent("attempt cancelled", "An attempt was stopped on request.", _OVER),
}

RETRIED = LogEvent("run retried", "Another attempt was queued.", ("outcome", "again_in"))
RECOVERED = LogEvent(
    "run recovered",
    "A run whose attempt was lost was queued again.",
    ("outcome", "again_in"),
)
EXPIRED = LogEvent("run expired", "No worker started a run in time (`start_within`).", (), ("scheduler",))
CANCELLING = LogEvent("run cancel requested", "A user or an overlap rule cancelled a live run.", ("by",))
ENDED = LogEvent("run ended", "A run ended.", ("status", "duration_ms", "code"))
NOT_LOGGED = LogEvent("runs not logged", "Lines of the second before that were beyond `HORAE_RUN_LOG`.", ("count",))

JOBS = {
    f"job.{verb}": LogEvent(f"job {done}", what, ("job", "project", "by"), ("serve",))
    for verb, done, what in (
        ("create", "created", "A job was created."),
        ("edit", "edited", "A new version of a job was saved."),
        ("rollback", "rolled back", "An earlier version of a job was saved as a new one."),
        ("delete", "deleted", "A job was deleted."),
        ("pause", "paused", "A job's schedule was paused."),
        ("resume", "resumed", "A paused job was resumed."),
        ("enable", "enabled", "A job was enabled."),
        ("disable", "disabled", "A job was disabled."),
        ("backfill", "backfilled", "A backfill of a job was started."),
    )
}
AUDITED = LogEvent("audited", "Any other entry of the audit trail.", ("action", "subject", "project", "by"))

RUN_EVENTS = (
    *(FIRED, QUEUED, SKIPPED, CLAIMED, RELEASED, STARTED, PARKED),
    *OVER.values(),
    *(RETRIED, RECOVERED, EXPIRED, CANCELLING, ENDED),
)
EVENTS = (*RUN_EVENTS, *JOBS.values(), AUDITED, NOT_LOGGED)
