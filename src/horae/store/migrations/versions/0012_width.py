"""What cannot be taken, is held, paused or far from due is passed over without being read.

Processes of the version before go on working: the index they claim by is gone, so their claims sort what a queue holds.

Revision ID: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Time

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_QUEUED = "status = 'queued' AND NOT held"
_RUNNING = "status = 'running'"


def upgrade() -> None:
    op.add_column("runs", sa.Column("wake_at", Time, nullable=True))
    _index("queues_paused", "queues", ["paused_at"], where="paused_at IS NOT NULL")
    _index("runs_wake", "runs", ["wake_at"], where="wake_at IS NOT NULL")
    _index("runs_start_by", "runs", ["start_by"], where="status = 'queued' AND attempt = 0 AND start_by IS NOT NULL")
    op.drop_index("runs_claim", "runs")
    op.drop_index("runs_running", "runs")
    op.drop_index("jobs_due", "jobs")
    if _has_partial_indexes():
        with op.batch_alter_table("runs") as runs:  # SQLite copies the table
            runs.drop_constraint("runs_occurrence", "unique")
        _index("runs_occurrence", "runs", ["job_id", "occurrence"], where="occurrence IS NOT NULL", unique=True)
        _index("runs_job", "runs", ["job_id", "held"])
        _index("runs_held", "runs", ["job_id", "wake_at", "created_at", "id"], where="held = TRUE")
        _index("runs_ready", "runs", ["needs", "queue", "priority", "due_at", "id"], where=_QUEUED)
        _index("runs_running", "runs", ["worker_id"], where=_RUNNING)
        _index("jobs_due", "jobs", ["next_run_at"], where="next_run_at IS NOT NULL AND NOT paused")
    else:
        _index("runs_job", "runs", ["job_id", "held", "wake_at", "created_at", "id"])
        _index("runs_ready", "runs", ["needs", "queue", "status", "held", "priority", "due_at", "id"])
        _index("runs_running", "runs", ["status", "worker_id"])
        _index("jobs_due", "jobs", ["paused", "next_run_at"])


def downgrade() -> None:
    if _has_partial_indexes():
        op.drop_index("runs_held", "runs")
    for index in ("queues_paused", "jobs_due", "runs_running", "runs_ready", "runs_start_by", "runs_job", "runs_wake"):
        op.drop_index(index, index.split("_")[0])
    # What waits for its time would wait for ever: nobody would look for a place for it.
    op.execute("UPDATE runs SET held = FALSE WHERE wake_at IS NOT NULL")
    op.drop_column("runs", "wake_at")
    if _has_partial_indexes():
        op.drop_index("runs_occurrence", "runs")
        with op.batch_alter_table("runs") as runs:
            runs.create_unique_constraint("runs_occurrence", ["job_id", "occurrence"])
    _index("jobs_due", "jobs", ["next_run_at"], where="next_run_at IS NOT NULL")
    _index("runs_running", "runs", ["worker_id"], where=_RUNNING)
    if _has_partial_indexes():
        _index("runs_claim", "runs", ["queue", "priority", "due_at", "id"], where=_QUEUED)
    else:
        _index("runs_claim", "runs", ["queue", "status", "held", "priority", "due_at", "id"])


def _has_partial_indexes() -> bool:
    return op.get_bind().dialect.name not in ("mysql", "mariadb")


def _index(name: str, table: str, columns: list[str], *, where: str | None = None, unique: bool = False) -> None:
    only = None if where is None else sa.text(where)
    op.create_index(name, table, columns, unique=unique, postgresql_where=only, sqlite_where=only)
