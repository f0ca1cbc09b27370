"""Operations with progress (backfill), runs that are caught up in order, pauses that end by themselves.

Revision ID: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Column

from horae.store.tables.columns import Big, Flag, Id, Json, LongText, Time, name

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "operations",
        Column("id", Id, primary_key=True, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("kind", name(20), nullable=False),
        Column("state", name(10), nullable=False),
        Column("job_id", Id, nullable=True),
        Column("details", Json, nullable=False),
        Column("done", Big, nullable=False),
        Column("total", Big, nullable=False),
        Column("error", LongText, nullable=True),
        Column("created_by", name(200), nullable=False),
        Column("created_at", Time, nullable=False),
        Column("finished_at", Time, nullable=True),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("operations_project", "operations", ["project_id", "id"])
    op.create_table(
        "skip_stats",
        Column("job_id", Id, primary_key=True, nullable=False),
        Column("reason", name(20), primary_key=True, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("occurrences", Big, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("skip_stats_project", "skip_stats", ["project_id"])
    op.add_column("stat_deltas", Column("reason", name(20), nullable=True))
    for table in ("runs", "run_history"):
        op.add_column(table, Column("operation_id", Id, nullable=True))
        op.add_column(table, Column("cancel_requested_by", name(200), nullable=True))
    op.add_column("runs", Column("in_order", Flag, nullable=False, server_default=sa.false()))
    op.create_index("jobs_paused", "jobs", ["paused_until"])
    # The fence of a backfill: one live run for each of its occurrences.
    known = sa.text("operation_id IS NOT NULL")
    op.create_index(
        "runs_operation",
        "runs",
        ["operation_id", "scheduled_for"],
        unique=True,
        postgresql_where=known,
        sqlite_where=known,
    )


def downgrade() -> None:
    op.drop_index("runs_operation", "runs")
    op.drop_index("jobs_paused", "jobs")
    op.drop_column("runs", "in_order")
    for table in ("runs", "run_history"):
        op.drop_column(table, "operation_id")
        op.drop_column(table, "cancel_requested_by")
    op.drop_column("stat_deltas", "reason")
    op.drop_table("skip_stats")
    op.drop_table("operations")
