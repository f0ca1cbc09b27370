"""The metrics that Horae exposes, each declared once: exposition, docs/metrics.md, the Grafana dashboard and the alert
rules are derived from this list, so none of them can name a metric that does not exist.

Labels have few values by design: statuses, kinds, reasons, loops, declared routes. Queues are a label too, for the
hundred with the longest backlog. Ids belong in logs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

Kind = Literal["counter", "gauge", "histogram"]
Role = Literal["serve", "scheduler", "worker", "intake"]

_WOKEN: tuple[Role, ...] = ("scheduler", "worker")
_ALL: tuple[Role, ...] = ("serve", "scheduler", "worker", "intake")
# In seconds, for what normally takes milliseconds, and for what people wait for.
QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
LATE = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
LONG = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 14400.0)


@dataclass(frozen=True, slots=True, eq=False)  # compared by identity, which is fast: they are keys of the meters
class Family:
    """A metric. `shared`: it describes the whole installation, as the database counts it, and every serve process
    reports the same value; queries must not add those up. All others describe the process that was scraped."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ("serve",)
    buckets: tuple[float, ...] = ()
    shared: bool = False


_shared = partial(Family, shared=True)

# The installation, counted by the database.
RUNS = _shared("horae_runs_total", "counter", "Runs that ended, by status.", ("status",))
RETRIES = _shared("horae_retries_total", "counter", "Attempts that were followed by another.")
SKIPPED = _shared("horae_occurrences_skipped_total", "counter", "Occurrences that did not run, by reason.", ("reason",))
LIVE = _shared("horae_runs_live", "gauge", "Runs that are queued or running.", ("status",))
QUEUE_DEPTH = _shared("horae_queue_depth", "gauge", "Due runs that wait in a queue for a worker.", ("queue",))
QUEUE_AGE = _shared("horae_queue_oldest_seconds", "gauge", "How long the oldest of them has been due.", ("queue",))
DEAD_LETTERS = _shared("horae_dead_letters_open", "gauge", "Failed runs that have been neither redriven nor discarded.")
ALERTS = _shared("horae_alerts_open", "gauge", "Alerts that are open, by severity.", ("severity",))
NOTICES_AGE = _shared(
    "horae_notifications_oldest_seconds", "gauge", "How long the oldest undelivered notification has been due."
)
WORKERS = _shared("horae_workers", "gauge", "Workers, by status.", ("status",))
CLUSTER_SLOTS = _shared("horae_slots", "gauge", "Slots of the workers that are alive.")
CLUSTER_BUSY = _shared("horae_slots_busy", "gauge", "Those of them in which something runs.")
SCHEDULERS = _shared("horae_schedulers", "gauge", "Schedulers, by status.", ("status",))
SHARDS = _shared("horae_shards", "gauge", "Shards of the jobs, by whether a scheduler owns them.", ("state",))

# Of the jobs that HORAE_METRICS_JOBS names, and no others.
_JOB = ("project", "job")
JOB_RUNS = _shared(
    "horae_job_runs_total", "counter", "Runs of a job in HORAE_METRICS_JOBS that ended, by status.", (*_JOB, "status")
)
JOB_SUCCESS = _shared(
    "horae_job_last_success_timestamp_seconds", "gauge", "When a run of such a job last succeeded (Unix time).", _JOB
)
JOB_NEXT = _shared("horae_job_next_run_timestamp_seconds", "gauge", "When such a job is due next (Unix time).", _JOB)
JOB_OVERDUE = _shared(
    "horae_job_overdue_seconds", "gauge", "How long such a job has been due without being fired; 0 if it is not.", _JOB
)

# An API process.
REQUESTS = Family(
    "horae_requests_total", "counter", "Requests that were answered.", ("method", "route", "status"), ("serve",)
)
REQUEST_SECONDS = Family(
    "horae_request_seconds", "histogram", "How long answers took.", ("method", "route"), ("serve",), QUICK
)
AUTH_FAILURES = Family(
    "horae_auth_failures_total",
    "counter",
    "Sign-ins, keys, tokens and callbacks that this process has refused, by kind.",
    ("kind",),
)
QUOTA_REFUSALS = Family(
    "horae_quota_refusals_total",
    "counter",
    "Requests that this process has refused because of a project's quota.",
    ("quota",),
)

# What happens to runs in this process.
QUEUED = Family("horae_runs_queued_total", "counter", "Runs that this process queued.", ("trigger",), _ALL)
FIRE_LAG = Family(
    "horae_fire_lag_seconds",
    "histogram",
    "From an occurrence's time until its run was queued.",
    (),
    _ALL,
    LATE,
)
PASSED_OVER = Family(
    "horae_skipped_total", "counter", "Occurrences that this process skipped, by reason.", ("reason",), _ALL
)
STARTED = Family("horae_runs_started_total", "counter", "Attempts that this worker started.", (), ("worker",))
LATENESS = Family(
    "horae_lateness_seconds", "histogram", "From when a run was due until it started.", (), ("worker",), LATE
)
ATTEMPTS = Family(
    "horae_attempt_seconds",
    "histogram",
    "How long attempts took on this worker, by outcome and kind of target.",
    ("outcome", "kind"),
    ("worker",),
    LONG,
)
ENDED = Family(
    "horae_runs_ended_total",
    "counter",
    "Runs that this process ended, by status and kind of target (empty if cancelled before they started).",
    ("status", "kind"),
    _ALL,
)
RETRIED = Family(
    "horae_attempts_retried_total", "counter", "Attempts that this process retried, by outcome.", ("outcome",), _ALL
)
CLAIMS = Family("horae_claims_total", "counter", "Claims, by whether they brought runs.", ("result",), ("worker",))
CLAIMED = Family("horae_claimed_runs_total", "counter", "Runs that claims brought.", (), ("worker",))
CLAIM_SECONDS = Family("horae_claim_seconds", "histogram", "How long claims took.", (), ("worker",), QUICK)
OWN_SLOTS = Family("horae_worker_slots", "gauge", "Slots of this worker.", (), ("worker",))
OWN_BUSY = Family("horae_worker_slots_busy", "gauge", "Those of them in which something runs.", (), ("worker",))
OWN_AHEAD = Family("horae_worker_prefetched", "gauge", "Runs claimed ahead of the slots.", (), ("worker",))
DRAINING = Family("horae_worker_draining", "gauge", "1 while this worker takes nothing more.", (), ("worker",))
PUBLISHED = Family(
    "horae_published_runs_total",
    "counter",
    "Runs that this process published to a broker: when they were queued, when they were due, or again.",
    ("reason",),
    _ALL,
)
REJECTED = Family(
    "horae_rejected_messages_total", "counter", "Messages of a broker that are not Horae's.", (), ("worker",)
)
OWN_SHARDS = Family("horae_scheduler_shards", "gauge", "Shards that this scheduler owns.", (), ("scheduler",))
DELIVERIES = Family(
    "horae_deliveries_total",
    "counter",
    "Attempts of this scheduler to deliver a notification, by kind of channel and result.",
    ("kind", "result"),
    ("scheduler",),
)
EVENTS = Family(
    "horae_events_total",
    "counter",
    "Events that this scheduler sent to sinks or dropped, and calls that failed, by kind of sink and result.",
    ("kind", "result"),
    ("scheduler",),
)

# An intake.
INTAKE = Family(
    "horae_intake_requests_total",
    "counter",
    "Messages that this intake took, by result: submitted, duplicate, refused or delayed (by a quota).",
    ("result",),
    ("intake",),
)
INTAKE_REFUSED = Family(
    "horae_intake_refused_total",
    "counter",
    "Messages that this intake moved to the dead-letter queue, by reason.",
    ("reason",),
    ("intake",),
)
INTAKE_SECONDS = Family(
    "horae_intake_batch_seconds", "histogram", "From a batch's arrival until its commit.", (), ("intake",), QUICK
)
INTAKE_CONNECTED = Family("horae_intake_connected", "gauge", "1 while the broker answers.", (), ("intake",))

# What every process does.
STEP_SECONDS = Family(
    "horae_loop_step_seconds", "histogram", "How long a step of a background loop took.", ("loop",), _ALL, QUICK
)
STEP_FAILURES = Family("horae_loop_failures_total", "counter", "Steps that failed.", ("loop",), _ALL)
TROUBLED = Family(
    "horae_loop_troubled", "gauge", "1 for a loop that keeps failing and gets nothing done.", ("loop",), _ALL
)
STATEMENT_SECONDS = Family(
    "horae_statement_seconds", "histogram", "How long the database took for a statement.", (), _ALL, QUICK
)
CONNECTIONS = Family("horae_connections", "gauge", "Connections to the database, by state.", ("state",), _ALL)
CONNECTION_WAIT = Family(
    "horae_connection_wait_seconds", "histogram", "How long work waited for a connection.", (), _ALL, QUICK
)
HINTS = Family("horae_wakeups_received_total", "counter", "Wake-ups that arrived.", ("topic",), _WOKEN)
WAKEUPS_LOST = Family(
    "horae_wakeups_interrupted_total", "counter", "Times that the connection for wake-ups was lost.", (), _WOKEN
)
WAKEUPS_RELIABLE = Family("horae_wakeups_reliable", "gauge", "1 while wake-ups are known to arrive.", (), _WOKEN)
READY = Family("horae_ready", "gauge", "1 while this process is ready, as its probe says.", (), _ALL)
BUILD = Family("horae_build_info", "gauge", "1, with the version of this process.", ("version", "role"), _ALL)

FAMILIES: tuple[Family, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Family))
