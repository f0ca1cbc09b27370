"""The schema as it is after the last migration. `runs` is small and hot; `run_history` is appended once per run.

The migrations create it; tests compare the two. Columns that people meet have the same names in the API.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Index, MetaData, Table, UniqueConstraint, false, text
from sqlalchemy.types import TypeEngine

from horae.store.columns import Big, Flag, Id, Int, Json, LongText, Real, Small, Time, name

metadata = MetaData()


def _table(title: str, *parts: Column[Any] | UniqueConstraint | Index) -> Table:
    return Table(title, metadata, *parts, mysql_engine="InnoDB", mysql_charset="utf8mb4", mysql_collate="utf8mb4_bin")


def _key(title: str, kind: TypeEngine[Any]) -> Column[Any]:
    return Column(title, kind, primary_key=True, autoincrement=False, nullable=False)


def _must(title: str, kind: TypeEngine[Any]) -> Column[Any]:
    return Column(title, kind, nullable=False)


def _may(title: str, kind: TypeEngine[Any]) -> Column[Any]:
    return Column(title, kind, nullable=True)


installation = _table(
    "installation",  # one row: facts that all processes share
    _key("id", Small),
    _must("shard_count", Int),
    _must("minimum_revision", name(32)),
    _must("created_at", Time),
)

projects = _table(
    "projects",
    _key("id", Id),
    _must("slug", name(100)),
    _must("name", name(200)),
    _must("created_at", Time),
    UniqueConstraint("slug", name="projects_slug"),
)

api_keys = _table(
    "api_keys",
    _key("id", Id),
    _must("project_id", Id),
    _must("name", name(200)),
    _must("role", name(20)),
    _must("prefix", name(32)),
    _must("digest", name(64)),
    _must("created_by", name(200)),
    _must("created_at", Time),
    _may("expires_at", Time),
    _may("last_used_at", Time),
    UniqueConstraint("prefix", name="api_keys_prefix"),
)

jobs = _table(
    "jobs",
    _key("id", Id),
    _must("project_id", Id),
    _must("name", name(200)),
    _must("version", Int),
    _must("shard", Int),
    _must("enabled", Flag),
    _must("paused", Flag),
    _may("paused_until", Time),
    _must("plan", Json),  # what firing needs of the definition; equal text for equal schedules
    _must("anchor_at", Time),  # where the grid of an `every` schedule begins
    _may("next_run_at", Time),  # the next occurrence; NULL when there is none
    _may("fired_through", Time),  # every occurrence up to here is accounted for; it only ever rises
    _must("fired_count", Big),
    _must("created_by", name(200)),
    _must("created_at", Time),
    _must("updated_by", name(200)),
    _must("updated_at", Time),
    UniqueConstraint("project_id", "name", name="jobs_name"),
)
# Equal times in the order of the table, whatever the shard: a batch that is due together then shares its pages.
_scheduled = jobs.c.next_run_at.isnot(None)
Index("jobs_due", jobs.c.next_run_at, postgresql_where=_scheduled, sqlite_where=_scheduled)
_paused = jobs.c.paused_until.isnot(None)
Index("jobs_paused", jobs.c.paused_until, postgresql_where=_paused, sqlite_where=_paused)

job_versions = _table(
    "job_versions",
    _key("job_id", Id),
    _key("version", Int),
    _must("spec", Json),
    _must("created_by", name(200)),
    _must("created_at", Time),
    _may("note", name(500)),
)

queues = _table(
    "queues",  # every queue that a job names, so that a worker can serve all of them
    _key("name", name(100)),
    _must("created_at", Time),
)

job_gates = _table(
    "job_gates",  # one row for each job with a limit; locking it serialises who may start
    _key("job_id", Id),
    _must("max_instances", Int),
)

job_dependencies = _table(
    "job_dependencies",
    _key("upstream_id", Id),
    _key("downstream_id", Id),
    _must("run_on", name(10)),
    Index("job_dependencies_downstream", "downstream_id"),
)

runs = _table(
    "runs",
    _key("id", Id),
    _must("job_id", Id),
    _must("version", Int),
    _must("project_id", Id),
    _must("trigger", name(10)),
    _may("occurrence", Time),  # only for trigger `schedule`: the second fence against firing twice
    _may("scheduled_for", Time),
    _must("due_at", Time),
    _may("start_by", Time),
    _must("queue", name(100)),
    _must("priority", Small),
    _must("needs", name(250)),
    _must("status", name(10)),
    _must("held", Flag),
    Column("in_order", Flag, nullable=False, server_default=false()),
    _must("attempt", Int),
    _must("uncounted", Int),
    _may("worker_id", Id),
    _may("token", Id),
    _may("lease_until", Time),
    _may("started_at", Time),
    _may("cancel_requested_at", Time),
    _may("cancel_requested_by", name(200)),
    _may("published_at", Time),
    _may("input", Json),
    _may("progress", Json),
    _may("parent_run_id", Id),
    _may("rerun_of", Id),
    _may("scheduler_id", Id),
    _may("triggered_by", name(200)),
    _must("created_at", Time),
    _may("operation_id", Id),
    # Waits for a callback: no worker has it, and its lease ends when the callback has not come.
    Column("parked", Flag, nullable=False, server_default=false()),
    UniqueConstraint("job_id", "occurrence", name="runs_occurrence"),
)


def _has_partial_indexes(*_: Any, dialect: Any, **__: Any) -> bool:
    return dialect.name not in ("mysql", "mariadb")


def _has_no_partial_indexes(*_: Any, dialect: Any, **__: Any) -> bool:
    return dialect.name in ("mysql", "mariadb")


_queued = text("status = 'queued' AND NOT held")
_running = text("status = 'running'")
# The order of the columns is the order of the claim: on MySQL any other locks every row it passes. Where partial
# indexes exist they hold only what the query can take, and stay small.
Index(
    "runs_claim",
    runs.c.queue,
    runs.c.priority,
    runs.c.due_at,
    runs.c.id,
    postgresql_where=_queued,
    sqlite_where=_queued,
).ddl_if(callable_=_has_partial_indexes)
Index(
    "runs_claim",
    runs.c.queue,
    runs.c.status,
    runs.c.held,
    runs.c.priority,
    runs.c.due_at,
    runs.c.id,
).ddl_if(callable_=_has_no_partial_indexes)
_operated = text("operation_id IS NOT NULL")
Index(  # the fence of a backfill: one live run for each of its occurrences
    "runs_operation",
    runs.c.operation_id,
    runs.c.scheduled_for,
    unique=True,
    postgresql_where=_operated,
    sqlite_where=_operated,
)
Index("runs_running", runs.c.worker_id, postgresql_where=_running, sqlite_where=_running)

run_history = _table(
    "run_history",  # partitioned by range of id on PostgreSQL
    _key("id", Id),
    _must("job_id", Id),
    _must("version", Int),
    _must("project_id", Id),
    _must("trigger", name(10)),
    _may("scheduled_for", Time),
    _may("scheduled_until", Time),
    _must("occurrences", Big),
    _must("due_at", Time),
    _must("queue", name(100)),
    _must("priority", Small),
    _must("status", name(10)),
    _may("reason", name(50)),
    _must("attempt", Int),
    _must("uncounted", Int),
    _may("worker_id", Id),
    _may("started_at", Time),
    _must("finished_at", Time),
    _may("duration_ms", Big),
    _may("response_code", Int),
    _may("exit_code", Int),
    _may("input", Json),
    _may("progress", Json),
    _may("result", Json),
    _may("error", LongText),
    _may("traceback", LongText),
    _may("parent_run_id", Id),
    _may("rerun_of", Id),
    _may("scheduler_id", Id),
    _may("triggered_by", name(200)),
    _must("created_at", Time),
    _may("operation_id", Id),
    _may("cancel_requested_by", name(200)),
)
Index("run_history_job", run_history.c.job_id, run_history.c.id)
Index("run_history_project", run_history.c.project_id, run_history.c.id)

operations = _table(
    "operations",
    _key("id", Id),
    _must("project_id", Id),
    _must("kind", name(20)),
    _must("state", name(10)),
    _may("job_id", Id),
    _must("details", Json),
    _must("done", Big),
    _must("total", Big),
    _may("error", LongText),
    _must("created_by", name(200)),
    _must("created_at", Time),
    _may("finished_at", Time),
    Index("operations_project", "project_id", "id"),
)

attempts = _table(
    "attempts",  # tries that did not end their run; the last one is in the run itself
    _key("run_id", Id),
    _key("n", Int),
    _may("worker_id", Id),
    _must("started_at", Time),
    _must("finished_at", Time),
    _must("outcome", name(20)),
    _may("exit_code", Int),
    _may("response_code", Int),
    _may("error", LongText),
    _may("traceback", LongText),
)

dead_letters = _table(
    "dead_letters",
    _key("run_id", Id),
    _must("job_id", Id),
    _must("project_id", Id),
    _must("fingerprint", name(64)),
    _must("failed_at", Time),
    Index("dead_letters_project", "project_id", "fingerprint", "run_id"),
)

run_logs = _table(
    "run_logs",  # partitioned by range of run_id on PostgreSQL
    _key("run_id", Id),
    _key("attempt", Int),
    _key("seq", Int),
    _must("at", Time),
    _must("stream", name(10)),
    _must("text", LongText),
)

job_stats = _table(
    "job_stats",
    _key("job_id", Id),
    _must("project_id", Id),
    _may("last_run_id", Id),
    _may("last_run_at", Time),
    _may("last_status", name(10)),
    *(_must(column, Big) for column in ("succeeded", "failed", "cancelled", "skipped")),
    *(_must(column, Big) for column in ("retries", "timed_out", "duration_ms")),
    Index("job_stats_project", "project_id"),
)

run_stats = _table(
    "run_stats",  # per job, hour and status
    _key("job_id", Id),
    _key("hour", Time),
    _key("status", name(10)),
    _must("project_id", Id),
    _must("runs", Big),
    _must("duration_ms", Big),
    Index("run_stats_project", "project_id", "hour"),
)

skip_stats = _table(
    "skip_stats",  # how many occurrences of a job were skipped, and why
    _key("job_id", Id),
    _key("reason", name(20)),
    _must("project_id", Id),
    _must("occurrences", Big),
    Index("skip_stats_project", "project_id"),
)

stat_deltas = _table(
    "stat_deltas",  # appended by whoever ends runs, so that nobody waits for a counter's row; rolled up soon after
    _key("id", Id),
    _must("job_id", Id),
    _must("project_id", Id),
    _must("status", name(10)),
    _must("runs", Big),
    _must("duration_ms", Big),
    _must("retries", Big),
    _must("timed_out", Big),
    _may("run_id", Id),
    _may("reason", name(20)),
    _must("at", Time),
    Index("stat_deltas_job", "job_id"),
)

workers = _table(
    "workers",
    _key("id", Id),
    _must("name", name(200)),
    _must("hostname", name(255)),
    _must("platform", name(100)),
    _must("host_key", name(100)),
    _must("pid", Int),
    _must("pid_started", Big),
    _must("version", name(50)),
    _must("queues", Json),
    _must("offers", Json),
    _must("slots", Int),
    _must("busy", Int),
    _must("status", name(10)),
    _must("runs_done", Big),
    _must("started_at", Time),
    _must("heartbeat_at", Time),
    Index("workers_host", "host_key"),
)

schedulers = _table(
    "schedulers",
    _key("id", Id),
    _must("hostname", name(255)),
    _must("platform", name(100)),
    _must("host_key", name(100)),
    _must("pid", Int),
    _must("pid_started", Big),
    _must("version", name(50)),
    _must("started_at", Time),
    _must("heartbeat_at", Time),
)

shards = _table(
    "shards",
    _key("shard", Int),
    _may("owner_id", Id),
    _must("epoch", Big),
    _may("lease_until", Time),
)

task_functions = _table(
    "task_functions",  # what workers have registered, and what people decided about it
    _key("name", name(200)),
    _must("display_name", name(200)),
    _must("description", LongText),
    _must("handler", name(500)),
    _must("kind", name(10)),  # async, process or thread
    _may("queue", name(100)),
    _may("default_timeout", Real),
    _must("parameters", Json),  # JSON Schema of its arguments
    _must("is_active", Flag),
    _must("is_system", Flag),
    _must("first_seen_at", Time),
    _must("last_seen_at", Time),
)

secrets = _table(
    "secrets",
    _key("project_id", Id),
    _key("name", name(100)),
    _must("sealed", LongText),  # encrypted, with the project and the name as associated data
    _must("key_id", name(20)),  # which key sealed it
    _must("created_by", name(200)),
    _must("created_at", Time),
    _must("updated_by", name(200)),
    _must("updated_at", Time),
)

# The shapes of batches that carry columns of several tables; no such table exists.
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
)
