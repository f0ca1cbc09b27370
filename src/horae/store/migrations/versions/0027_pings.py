"""Pings, their events, and badges.

Processes of the version before go on working: they know nothing of these tables.

Revision ID: 0027
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Time, name

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pings",
        sa.Column("id", Id, primary_key=True),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("name", name(200), nullable=False),
        sa.Column("version", Int, nullable=False),
        sa.Column("spec", Json, nullable=False),
        sa.Column("digest", name(64), nullable=False),
        sa.Column("sealed", LongText, nullable=False),
        sa.Column("key_id", name(40), nullable=False),
        sa.Column("status", name(20), nullable=False),
        sa.Column("reason", name(20), nullable=True),
        sa.Column("since", Time, nullable=False),
        sa.Column("paused", Flag, nullable=False),
        sa.Column("paused_until", Time, nullable=True),
        sa.Column("expected_at", Time, nullable=True),
        sa.Column("check_at", Time, nullable=True),
        sa.Column("starts", Json, nullable=True),
        sa.Column("events", Big, nullable=False),
        sa.Column("last_ping_at", Time, nullable=True),
        sa.Column("last_success_at", Time, nullable=True),
        sa.Column("last_failure_at", Time, nullable=True),
        sa.Column("last_duration_ms", Big, nullable=True),
        sa.Column("last_exit_code", Int, nullable=True),
        sa.Column("created_by", name(200), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_by", name(200), nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.UniqueConstraint("project_id", "name", name="pings_name"),
        sa.UniqueConstraint("digest", name="pings_digest"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    awaited = sa.text("check_at IS NOT NULL")
    op.create_index("pings_check", "pings", ["check_at"], postgresql_where=awaited, sqlite_where=awaited)
    op.create_index("pings_status", "pings", ["project_id", "status", "name"])
    op.create_table(
        "ping_events",
        sa.Column("ping_id", Id, primary_key=True),
        sa.Column("n", Big, primary_key=True, autoincrement=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("kind", name(20), nullable=False),
        sa.Column("exit_code", Int, nullable=True),
        sa.Column("rid", name(64), nullable=True),
        sa.Column("duration_ms", Big, nullable=True),
        sa.Column("method", name(10), nullable=True),
        sa.Column("address", name(100), nullable=True),
        sa.Column("agent", name(200), nullable=True),
        sa.Column("body", LongText, nullable=True),
        sa.Column("body_bytes", Big, nullable=True),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("ping_events_at", "ping_events", ["at"])
    op.create_table(
        "badges",
        sa.Column("id", Id, primary_key=True),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("subject_kind", name(20), nullable=False),
        sa.Column("subject_id", name(200), nullable=False),
        sa.Column("digest", name(64), nullable=False),
        sa.Column("sealed", LongText, nullable=False),
        sa.Column("key_id", name(40), nullable=False),
        sa.Column("label", name(100), nullable=True),
        sa.Column("created_by", name(200), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.UniqueConstraint("digest", name="badges_digest"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("badges_subject", "badges", ["project_id", "subject_kind", "subject_id"])


def downgrade() -> None:
    op.drop_table("badges")
    op.drop_table("ping_events")
    op.drop_table("pings")
