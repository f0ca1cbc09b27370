"""Alerts; and job counters tell how long a job has been failing, so that no rule has to read its history.

Processes of the version before go on working. What they roll up leaves the new columns alone: a streak that they do not
count is found late, and one that they do not end is recognised by `last_status`.

Revision ID: 0024
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Big, Id, Int, Json, LongText, Time, name

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_STREAK = (
    ("failing_streak", Int),
    ("failing_since", Time),
    ("last_success_at", Time),
    ("last_failure_at", Time),
    ("last_duration_ms", Big),
)


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", Id, primary_key=True),
        sa.Column("project_id", Id),
        sa.Column("rule", name(50), nullable=False),
        sa.Column("severity", name(10), nullable=False),
        sa.Column("subject_kind", name(20), nullable=False),
        sa.Column("subject_id", name(200), nullable=False),
        sa.Column("subject_name", name(200), nullable=False),
        sa.Column("identity", name(40), nullable=False),
        sa.Column("open_key", name(40)),
        sa.Column("state", name(10), nullable=False),
        sa.Column("title", name(300), nullable=False),
        sa.Column("why", LongText, nullable=False),
        sa.Column("action", Json, nullable=False),
        sa.Column("tags", Json),
        sa.Column("since", Time, nullable=False),
        sa.Column("last_seen_at", Time, nullable=False),
        sa.Column("quiet_since", Time),
        sa.Column("flaps", Int, nullable=False),
        sa.Column("cleared_at", Time),
        sa.Column("acknowledged_by", name(200)),
        sa.Column("acknowledged_at", Time),
        sa.Column("silenced_until", Time),
        sa.Column("silenced_by", name(200)),
        sa.Column("note", name(500)),
        sa.Column("notified_at", Time),
        sa.UniqueConstraint("open_key", name="alerts_open"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("alerts_project", "alerts", ["project_id", "state", "id"])
    op.create_index("alerts_state", "alerts", ["state", "id"])
    op.create_index("alerts_subject", "alerts", ["subject_id", "id"])
    op.create_index("alerts_identity", "alerts", ["identity", "id"])
    op.create_table(
        "alert_settings",
        sa.Column("subject_id", Id, primary_key=True),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("subject_kind", name(10), nullable=False),
        sa.Column("settings", Json, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("alert_settings_project", "alert_settings", ["project_id"])
    for column, kind in _STREAK:
        op.add_column("job_stats", sa.Column(column, kind, nullable=True))
    failing = sa.text("failing_streak > 0")
    op.create_index(
        "job_stats_failing", "job_stats", ["failing_streak"], postgresql_where=failing, sqlite_where=failing
    )
    op.add_column("skip_stats", sa.Column("last_at", Time, nullable=True))


def downgrade() -> None:
    op.drop_column("skip_stats", "last_at")
    op.drop_index("job_stats_failing", "job_stats")
    for column, _ in reversed(_STREAK):
        op.drop_column("job_stats", column)
    op.drop_table("alert_settings")
    op.drop_table("alerts")
