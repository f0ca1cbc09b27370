"""Jobs with many runs are deleted in portions; counters of hours become counters of days.

Revision ID: 0010
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column

from horae.store.tables.columns import Big, Id, Time, name

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "job_deletions",
        Column("job_id", Id, primary_key=True, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("deleted_by", name(200), nullable=False),
        Column("deleted_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_table(
        "run_days",
        Column("job_id", Id, primary_key=True, nullable=False),
        Column("day", Time, primary_key=True, nullable=False),
        Column("status", name(10), primary_key=True, nullable=False),
        Column("project_id", Id, nullable=False),
        Column("runs", Big, nullable=False),
        Column("duration_ms", Big, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("run_days_project", "run_days", ["project_id", "day"])
    op.create_index("run_days_day", "run_days", ["day"])
    op.create_index("run_stats_hour", "run_stats", ["hour"])


def downgrade() -> None:
    op.drop_index("run_stats_hour", "run_stats")
    op.drop_table("run_days")
    op.drop_table("job_deletions")
