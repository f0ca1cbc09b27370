"""Jobs, their versions and gates; live runs and history; processes and shards; the default project and its keys.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
import uuid_utils
from alembic import context, op
from sqlalchemy import Column, UniqueConstraint

from horae.store.migrations.support import create_partitions, database_now
from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Small, Time, name

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_PARTITIONED = {"run_history": "RANGE (id)", "run_logs": "RANGE (run_id)"}


def upgrade() -> None:
    _create_tables()
    _create_indexes()
    create_partitions(op.get_bind())
    _first_rows(context.config.attributes.get("shard_count", 64))


def downgrade() -> None:
    for table in reversed(_NAMES):
        op.drop_table(table)


_NAMES = (
    "installation",
    "projects",
    "api_keys",
    "jobs",
    "job_versions",
    "queues",
    "job_gates",
    "job_dependencies",
    "runs",
    "run_history",
    "attempts",
    "dead_letters",
    "run_logs",
    "job_stats",
    "run_stats",
    "stat_deltas",
    "workers",
    "schedulers",
    "shards",
)


def _create(title: str, *parts: Column[object] | UniqueConstraint) -> None:
    op.create_table(
        title,
        *parts,
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
        postgresql_partition_by=_PARTITIONED.get(title),
    )


def _create_tables() -> None:
    _create(
        "installation",
        Column("id", Small, primary_key=True, autoincrement=False, nullable=False),
        Column("shard_count", Int, nullable=False),
        Column("minimum_revision", name(32), nullable=False),
        Column("created_at", Time, nullable=False),
    )
    _create(
        "projects",
        Column("id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("slug", name(100), nullable=False),
        Column("name", name(200), nullable=False),
        Column("created_at", Time, nullable=False),
        UniqueConstraint("slug", name="projects_slug"),
    )
    _create(
        "api_keys",
        Column("id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("name", name(200), nullable=False),
        Column("role", name(20), nullable=False),
        Column("prefix", name(32), nullable=False),
        Column("digest", name(64), nullable=False),
        Column("created_by", name(200), nullable=False),
        Column("created_at", Time, nullable=False),
        Column("expires_at", Time, nullable=True),
        Column("last_used_at", Time, nullable=True),
        UniqueConstraint("prefix", name="api_keys_prefix"),
    )
    _create(
        "jobs",
        Column("id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("name", name(200), nullable=False),
        Column("version", Int, nullable=False),
        Column("shard", Int, nullable=False),
        Column("enabled", Flag, nullable=False),
        Column("paused", Flag, nullable=False),
        Column("paused_until", Time, nullable=True),
        Column("plan", Json, nullable=False),
        Column("anchor_at", Time, nullable=False),
        Column("next_run_at", Time, nullable=True),
        Column("fired_through", Time, nullable=True),
        Column("fired_count", Big, nullable=False),
        Column("created_by", name(200), nullable=False),
        Column("created_at", Time, nullable=False),
        Column("updated_by", name(200), nullable=False),
        Column("updated_at", Time, nullable=False),
        UniqueConstraint("project_id", "name", name="jobs_name"),
    )
    _create(
        "job_versions",
        Column("job_id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("version", Int, primary_key=True, autoincrement=False, nullable=False),
        Column("spec", Json, nullable=False),
        Column("created_by", name(200), nullable=False),
        Column("created_at", Time, nullable=False),
        Column("note", name(500), nullable=True),
    )
    _create(
        "queues",
        Column("name", name(100), primary_key=True, autoincrement=False, nullable=False),
        Column("created_at", Time, nullable=False),
    )
    _create(
        "job_gates",
        Column("job_id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("max_instances", Int, nullable=False),
    )
    _create(
        "job_dependencies",
        Column("upstream_id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("downstream_id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("run_on", name(10), nullable=False),
    )
    _create(
        "runs",
        Column("id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("job_id", Id, nullable=False),
        Column("version", Int, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("trigger", name(10), nullable=False),
        Column("occurrence", Time, nullable=True),
        Column("scheduled_for", Time, nullable=True),
        Column("due_at", Time, nullable=False),
        Column("start_by", Time, nullable=True),
        Column("queue", name(100), nullable=False),
        Column("priority", Small, nullable=False),
        Column("needs", name(250), nullable=False),
        Column("status", name(10), nullable=False),
        Column("held", Flag, nullable=False),
        Column("attempt", Int, nullable=False),
        Column("uncounted", Int, nullable=False),
        Column("worker_id", Id, nullable=True),
        Column("token", Id, nullable=True),
        Column("lease_until", Time, nullable=True),
        Column("started_at", Time, nullable=True),
        Column("cancel_requested_at", Time, nullable=True),
        Column("published_at", Time, nullable=True),
        Column("input", Json, nullable=True),
        Column("progress", Json, nullable=True),
        Column("parent_run_id", Id, nullable=True),
        Column("rerun_of", Id, nullable=True),
        Column("scheduler_id", Id, nullable=True),
        Column("triggered_by", name(200), nullable=True),
        Column("created_at", Time, nullable=False),
        UniqueConstraint("job_id", "occurrence", name="runs_occurrence"),
    )
    _create(
        "run_history",
        Column("id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("job_id", Id, nullable=False),
        Column("version", Int, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("trigger", name(10), nullable=False),
        Column("scheduled_for", Time, nullable=True),
        Column("scheduled_until", Time, nullable=True),
        Column("occurrences", Big, nullable=False),
        Column("due_at", Time, nullable=False),
        Column("queue", name(100), nullable=False),
        Column("priority", Small, nullable=False),
        Column("status", name(10), nullable=False),
        Column("reason", name(50), nullable=True),
        Column("attempt", Int, nullable=False),
        Column("uncounted", Int, nullable=False),
        Column("worker_id", Id, nullable=True),
        Column("started_at", Time, nullable=True),
        Column("finished_at", Time, nullable=False),
        Column("duration_ms", Big, nullable=True),
        Column("response_code", Int, nullable=True),
        Column("exit_code", Int, nullable=True),
        Column("input", Json, nullable=True),
        Column("progress", Json, nullable=True),
        Column("result", Json, nullable=True),
        Column("error", LongText, nullable=True),
        Column("traceback", LongText, nullable=True),
        Column("parent_run_id", Id, nullable=True),
        Column("rerun_of", Id, nullable=True),
        Column("scheduler_id", Id, nullable=True),
        Column("triggered_by", name(200), nullable=True),
        Column("created_at", Time, nullable=False),
    )
    _create(
        "attempts",
        Column("run_id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("n", Int, primary_key=True, autoincrement=False, nullable=False),
        Column("worker_id", Id, nullable=True),
        Column("started_at", Time, nullable=False),
        Column("finished_at", Time, nullable=False),
        Column("outcome", name(20), nullable=False),
        Column("exit_code", Int, nullable=True),
        Column("response_code", Int, nullable=True),
        Column("error", LongText, nullable=True),
        Column("traceback", LongText, nullable=True),
    )
    _create(
        "dead_letters",
        Column("run_id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("job_id", Id, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("fingerprint", name(64), nullable=False),
        Column("failed_at", Time, nullable=False),
    )
    _create(
        "run_logs",
        Column("run_id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("attempt", Int, primary_key=True, autoincrement=False, nullable=False),
        Column("seq", Int, primary_key=True, autoincrement=False, nullable=False),
        Column("at", Time, nullable=False),
        Column("stream", name(10), nullable=False),
        Column("text", LongText, nullable=False),
    )
    _create(
        "job_stats",
        Column("job_id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("last_run_id", Id, nullable=True),
        Column("last_run_at", Time, nullable=True),
        Column("last_status", name(10), nullable=True),
        Column("succeeded", Big, nullable=False),
        Column("failed", Big, nullable=False),
        Column("cancelled", Big, nullable=False),
        Column("skipped", Big, nullable=False),
        Column("retries", Big, nullable=False),
        Column("timed_out", Big, nullable=False),
        Column("duration_ms", Big, nullable=False),
    )
    _create(
        "run_stats",
        Column("job_id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("hour", Time, primary_key=True, autoincrement=False, nullable=False),
        Column("status", name(10), primary_key=True, autoincrement=False, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("runs", Big, nullable=False),
        Column("duration_ms", Big, nullable=False),
    )
    _create(
        "stat_deltas",
        Column("id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("job_id", Id, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("status", name(10), nullable=False),
        Column("runs", Big, nullable=False),
        Column("duration_ms", Big, nullable=False),
        Column("retries", Big, nullable=False),
        Column("timed_out", Big, nullable=False),
        Column("run_id", Id, nullable=True),
        Column("at", Time, nullable=False),
    )
    _create(
        "workers",
        Column("id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("name", name(200), nullable=False),
        Column("hostname", name(255), nullable=False),
        Column("platform", name(100), nullable=False),
        Column("host_key", name(100), nullable=False),
        Column("pid", Int, nullable=False),
        Column("pid_started", Big, nullable=False),
        Column("version", name(50), nullable=False),
        Column("queues", Json, nullable=False),
        Column("offers", Json, nullable=False),
        Column("slots", Int, nullable=False),
        Column("busy", Int, nullable=False),
        Column("status", name(10), nullable=False),
        Column("runs_done", Big, nullable=False),
        Column("started_at", Time, nullable=False),
        Column("heartbeat_at", Time, nullable=False),
    )
    _create(
        "schedulers",
        Column("id", Id, primary_key=True, autoincrement=False, nullable=False),
        Column("hostname", name(255), nullable=False),
        Column("platform", name(100), nullable=False),
        Column("host_key", name(100), nullable=False),
        Column("pid", Int, nullable=False),
        Column("pid_started", Big, nullable=False),
        Column("version", name(50), nullable=False),
        Column("started_at", Time, nullable=False),
        Column("heartbeat_at", Time, nullable=False),
    )
    _create(
        "shards",
        Column("shard", Int, primary_key=True, autoincrement=False, nullable=False),
        Column("owner_id", Id, nullable=True),
        Column("epoch", Big, nullable=False),
        Column("lease_until", Time, nullable=True),
    )


def _create_indexes() -> None:
    queued, running = sa.text("status = 'queued' AND NOT held"), sa.text("status = 'running'")
    op.create_index("jobs_due", "jobs", ["next_run_at", "shard"])
    op.create_index("job_dependencies_downstream", "job_dependencies", ["downstream_id"])
    if op.get_bind().dialect.name in ("mysql", "mariadb"):
        # No partial indexes: the columns of the condition come first, then those of the order.
        op.create_index("runs_claim", "runs", ["queue", "status", "held", "priority", "due_at", "id"])
    else:
        op.create_index(
            "runs_claim",
            "runs",
            ["queue", "priority", "due_at", "id"],
            postgresql_where=queued,
            sqlite_where=queued,
        )
    op.create_index("runs_running", "runs", ["worker_id"], postgresql_where=running, sqlite_where=running)
    op.create_index("run_history_job", "run_history", ["job_id", "id"])
    op.create_index("run_history_project", "run_history", ["project_id", "id"])
    op.create_index("dead_letters_project", "dead_letters", ["project_id", "fingerprint", "run_id"])
    op.create_index("job_stats_project", "job_stats", ["project_id"])
    op.create_index("run_stats_project", "run_stats", ["project_id", "hour"])
    op.create_index("stat_deltas_job", "stat_deltas", ["job_id"])
    op.create_index("workers_host", "workers", ["host_key"])


def _first_rows(shard_count: int) -> None:
    bind = op.get_bind()
    now = database_now(bind)
    bind.execute(
        sa.text(
            "INSERT INTO installation (id, shard_count, minimum_revision, created_at) "
            "VALUES (1, :shard_count, :revision, :now)"
        ),
        {"shard_count": shard_count, "revision": revision, "now": now},
    )
    bind.execute(
        sa.text("INSERT INTO projects (id, slug, name, created_at) VALUES (:id, 'default', 'Default', :now)"),
        {"id": str(uuid_utils.uuid7()), "now": now},
    )
    bind.execute(
        sa.text("INSERT INTO shards (shard, epoch) VALUES (:shard, 0)"),
        [{"shard": shard} for shard in range(shard_count)],
    )
