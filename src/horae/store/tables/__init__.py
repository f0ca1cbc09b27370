"""The schema after the last migration. `runs` is small and hot; `run_history` is appended once per run.

The migrations create it; tests compare the two. Columns that users see have the same names in the API.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Index, MetaData, Table, UniqueConstraint, false, text

from horae.domain.runs import trace
from horae.store.tables import (  # noqa: F401 - one metadata holds them all
    accounts,
    alerts,
    counters,
    notify,
    pings,
    processes,
    quotas,
    remote,
    second_factors,
    sign_in,
    sinks,
)
from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Real, Small, Time, name
from horae.store.tables.table import key, may, metadata, must, table  # noqa: F401 - `tables.metadata` is the schema


def _has_partial_indexes(*_: Any, dialect: Any, **__: Any) -> bool:
    return dialect.name not in ("mysql", "mariadb")


def _has_no_partial_indexes(*_: Any, dialect: Any, **__: Any) -> bool:
    return dialect.name in ("mysql", "mariadb")


installation = table(
    "installation",  # one row: facts that all processes share
    key("id", Small),
    must("shard_count", Int),
    must("minimum_revision", name(32)),
    must("created_at", Time),
)

jobs = table(
    "jobs",
    key("id", Id),
    must("project_id", Id),
    must("name", name(200)),
    must("version", Int),
    must("shard", Int),
    must("enabled", Flag),
    must("paused", Flag),
    may("paused_until", Time),
    must("plan", Json),  # the part of the definition that firing needs; equal text for equal schedules
    must("anchor_at", Time),  # the start of the grid of an `every` schedule
    may("next_run_at", Time),  # the next occurrence; NULL when there is none
    may("fired_through", Time),  # every occurrence up to here is accounted for; it only ever increases
    must("fired_count", Big),
    must("created_by", name(200)),
    must("created_at", Time),
    must("updated_by", name(200)),
    must("updated_at", Time),
    may("per_hour", Int),  # how often its schedule fires in the busiest hour: see domain/people/quota.py
    may("per_hour_of", Int),  # the version that this refers to; another, or NULL, if an older Horae saved the job
    UniqueConstraint("project_id", "name", name="jobs_name"),
)
# Equal times in table order, regardless of the shard: jobs that are due together share pages.
_scheduled = text("next_run_at IS NOT NULL AND NOT paused")
Index("jobs_due", jobs.c.next_run_at, postgresql_where=_scheduled, sqlite_where=_scheduled).ddl_if(
    callable_=_has_partial_indexes
)
Index("jobs_due", jobs.c.paused, jobs.c.next_run_at).ddl_if(callable_=_has_no_partial_indexes)
_paused = jobs.c.paused_until.isnot(None)
Index("jobs_paused", jobs.c.paused_until, postgresql_where=_paused, sqlite_where=_paused)

job_versions = table(
    "job_versions",
    key("job_id", Id),
    key("version", Int),
    must("spec", Json),
    must("created_by", name(200)),
    must("created_at", Time),
    may("note", name(500)),
)

unreadable = table(
    "unreadable",  # which process could not read which definition; kept while it keeps trying
    key("job_id", Id),
    key("version", Int),
    key("process_id", Id),
    must("reason", name(500)),
    must("found_at", Time),
    must("seen_at", Time),
)

queues = table(
    "queues",  # every queue that a job names, so that a worker can serve all of them
    key("name", name(100)),
    must("created_at", Time),
    may("paused_at", Time),  # no runs are claimed from it
    may("paused_by", name(200)),
    may("named_at", Time),  # when a job that names it was last saved, within the hour; NULL: when it was created
    may("engine", name(20)),  # that carries its runs; NULL: as the settings say
)
_resting = text("paused_at IS NOT NULL")  # MySQL reads all of these rather than look up one
Index("queues_paused", queues.c.paused_at, postgresql_where=_resting, sqlite_where=_resting)
_chosen = text("engine IS NOT NULL")
Index("queues_engine", queues.c.engine, postgresql_where=_chosen, sqlite_where=_chosen)

queue_projects = table(
    "queue_projects",  # for which projects a queue is reserved; without a row here it is open to all
    key("queue", name(100)),
    key("project_id", Id),
    must("reserved_by", name(200)),
    must("reserved_at", Time),
    Index("queue_projects_project", "project_id"),
)

job_gates = table(
    "job_gates",  # one row for each job with a limit; locking it serialises who may start
    key("job_id", Id),
    must("max_instances", Int),
)

job_deletions = table(
    "job_deletions",  # deleted jobs whose queued runs are still being cancelled, in portions
    key("job_id", Id),
    must("project_id", Id),
    must("deleted_by", name(200)),
    must("deleted_at", Time),
)

job_dependencies = table(
    "job_dependencies",
    key("upstream_id", Id),
    key("downstream_id", Id),
    must("run_on", name(10)),
    Index("job_dependencies_downstream", "downstream_id"),
)


def _kept() -> list[Column[Any]]:
    """The columns that a run keeps in the history when it ends."""
    return [
        key("id", Id),
        must("job_id", Id),
        must("version", Int),
        must("project_id", Id),
        must("trigger", name(10)),
        may("scheduled_for", Time),
        must("due_at", Time),
        must("queue", name(100)),
        must("priority", Small),
        must("status", name(10)),
        must("attempt", Int),
        must("uncounted", Int),
        may("worker_id", Id),
        may("started_at", Time),
        may("cancel_requested_by", name(200)),
        may("input", Json),
        may("progress", Json),
        may("parent_run_id", Id),
        may("rerun_of", Id),
        may("scheduler_id", Id),
        may("triggered_by", name(200)),
        must("created_at", Time),
        may("operation_id", Id),
        may("traceparent", name(trace.LENGTH)),  # of the caller's trace; NULL: the run has its own trace
    ]


runs = table(
    "runs",
    *_kept(),
    may("occurrence", Time),  # only for trigger `schedule`: the second fence against firing twice
    may("start_by", Time),
    must("needs", name(250)),
    must("held", Flag),
    Column("in_order", Flag, nullable=False, server_default=false()),
    may("token", Id),
    may("lease_until", Time),
    may("cancel_requested_at", Time),
    may("published_at", Time),
    # Waits for a callback: no worker has it, and its lease expires if the callback does not come.
    Column("parked", Flag, nullable=False, server_default=false()),
    # When a run that was requested for later may take a place behind its job's gate; until then it is held.
    may("wake_at", Time),
    UniqueConstraint("job_id", "occurrence", name="runs_occurrence").ddl_if(callable_=_has_no_partial_indexes),
)
# Without runs that have no occurrence: they would pay for it, and be found by it.
_occurred = text("occurrence IS NOT NULL")
Index(
    "runs_occurrence",
    runs.c.job_id,
    runs.c.occurrence,
    unique=True,
    postgresql_where=_occurred,
    sqlite_where=_occurred,
).ddl_if(callable_=_has_partial_indexes)


_queued = text("status = 'queued' AND NOT held")
_running = text("status = 'running'")
# Lanes (store/runs/lanes.py): equal in everything but the time, and in the order in which their runs are claimed.
# Partial indexes contain only claimable runs and stay small; on MySQL the order of the columns is that of the claim,
# since it locks every row that it reads.
Index(
    "runs_ready",
    runs.c.needs,
    runs.c.queue,
    runs.c.priority,
    runs.c.due_at,
    runs.c.id,
    postgresql_where=_queued,
    sqlite_where=_queued,
).ddl_if(callable_=_has_partial_indexes)
Index(
    "runs_ready",
    runs.c.needs,
    runs.c.queue,
    runs.c.status,
    runs.c.held,
    runs.c.priority,
    runs.c.due_at,
    runs.c.id,
).ddl_if(callable_=_has_no_partial_indexes)
# What a gate counts, and whose turn it is behind it. The second contains only held runs if possible: every run pays for
# the first, which is as short as it can be.
Index("runs_job", runs.c.job_id, runs.c.held).ddl_if(callable_=_has_partial_indexes)
_held = text("held = TRUE")
Index(
    "runs_held",
    runs.c.job_id,
    runs.c.wake_at,
    runs.c.created_at,
    runs.c.id,
    postgresql_where=_held,
    sqlite_where=_held,
).ddl_if(callable_=_has_partial_indexes)
Index("runs_job", runs.c.job_id, runs.c.held, runs.c.wake_at, runs.c.created_at, runs.c.id).ddl_if(
    callable_=_has_no_partial_indexes
)
_unstarted = text("status = 'queued' AND attempt = 0 AND start_by IS NOT NULL")
Index("runs_start_by", runs.c.start_by, postgresql_where=_unstarted, sqlite_where=_unstarted)
_delayed = text("wake_at IS NOT NULL")
Index("runs_wake", runs.c.wake_at, postgresql_where=_delayed, sqlite_where=_delayed)
_operated = text("operation_id IS NOT NULL")
Index(  # the fence of a backfill: one live run for each of its occurrences
    "runs_operation",
    runs.c.operation_id,
    runs.c.scheduled_for,
    unique=True,
    postgresql_where=_operated,
    sqlite_where=_operated,
)
Index("runs_running", runs.c.worker_id, postgresql_where=_running, sqlite_where=_running).ddl_if(
    callable_=_has_partial_indexes
)
Index("runs_running", runs.c.status, runs.c.worker_id).ddl_if(callable_=_has_no_partial_indexes)

run_history = table(
    "run_history",  # partitioned by range of id on PostgreSQL
    *_kept(),
    may("scheduled_until", Time),
    must("occurrences", Big),
    may("reason", name(50)),
    must("finished_at", Time),
    may("duration_ms", Big),
    may("response_code", Int),
    may("exit_code", Int),
    may("result", Json),
    may("error", LongText),
    may("traceback", LongText),
    may("outcome", name(20)),  # of the attempt that ended it; NULL if that succeeded, or if none did
)
Index("run_history_job", run_history.c.job_id, run_history.c.id)
Index("run_history_project", run_history.c.project_id, run_history.c.id)
# Indexes for what is rare; most runs have no entry, so that they cost nothing.
for _index, _whose, _column, _most in (
    ("run_history_status", "project_id", "status", "succeeded"),
    ("run_history_job_status", "job_id", "status", "succeeded"),
    ("run_history_trigger", "project_id", "trigger", "schedule"),
    ("run_history_queue", "project_id", "queue", "default"),
):
    _rare = run_history.c[_column] != text(f"'{_most}'")
    _by = (run_history.c[_whose], run_history.c[_column], run_history.c.id)
    Index(_index, *_by, postgresql_where=_rare, sqlite_where=_rare)
_unsuccessful = run_history.c.outcome.isnot(None)
Index(
    "run_history_outcome",
    run_history.c.project_id,
    run_history.c.outcome,
    run_history.c.id,
    postgresql_where=_unsuccessful,
    sqlite_where=_unsuccessful,
)

operations = table(
    "operations",
    key("id", Id),
    must("project_id", Id),
    must("kind", name(20)),
    must("state", name(10)),
    may("job_id", Id),
    must("details", Json),
    must("done", Big),
    must("total", Big),
    may("error", LongText),
    must("created_by", name(200)),
    must("created_at", Time),
    may("finished_at", Time),
    may("fingerprint", name(64)),  # equal for the same work of the same job
    Index("operations_project", "project_id", "id"),
    Index("operations_state", "state", "kind"),
    Index("operations_same", "job_id", "fingerprint"),
)

attempts = table(
    "attempts",  # attempts that did not end their run; the last one is in the run itself
    key("run_id", Id),
    key("n", Int),
    may("worker_id", Id),
    must("started_at", Time),
    must("finished_at", Time),
    must("outcome", name(20)),
    may("exit_code", Int),
    may("response_code", Int),
    may("error", LongText),
    may("traceback", LongText),
    may("result", Json),  # bounded: see domain/runs/excerpt.py
    may("duration_ms", Big),
)

dead_letters = table(
    "dead_letters",
    key("run_id", Id),
    must("job_id", Id),
    must("project_id", Id),
    must("fingerprint", name(64)),
    must("failed_at", Time),
    Index("dead_letters_project", "project_id", "fingerprint", "run_id"),
    Index("dead_letters_newest", "project_id", "run_id"),
    Index("dead_letters_job", "job_id", "run_id"),
)

run_logs = table(
    "run_logs",  # partitioned by range of run_id on PostgreSQL
    key("run_id", Id),
    key("attempt", Int),
    key("seq", Int),
    must("at", Time),
    must("stream", name(10)),
    must("text", LongText),
)

# Columns of batches from several tables; these are not tables of the database.
_shapes = MetaData()


def _shape(title: str, *columns: Column[Any]) -> Table:
    return Table(title, _shapes, *(Column(c.name, c.type) for c in columns))


log_batch = _shape("log_batch", runs.c.token, *run_logs.c)
ending_batch = _shape("ending_batch", runs.c.token, *run_history.c)
requeue_batch = Table(
    "requeue_batch",
    _shapes,
    Column("id", Id),
    Column("token", Id),
    Column("pause", Real),
    Column("uncounted", Int),
    Column("started_at", Time),
)
