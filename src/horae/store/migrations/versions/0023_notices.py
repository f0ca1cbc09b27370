"""Notices, the channels that they go to, and the log of their delivery.

Processes of the version before go on working; what they end is not announced.

Revision ID: 0023
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Real, Time, name

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notices",
        sa.Column("id", Id, primary_key=True),
        sa.Column("project_id", Id, nullable=True),
        sa.Column("kind", name(20), nullable=False),
        sa.Column("severity", name(10), nullable=False),
        sa.Column("subject_kind", name(20), nullable=False),
        sa.Column("subject_id", name(200), nullable=True),
        sa.Column("subject_name", name(200), nullable=True),
        sa.Column("title", name(300), nullable=False),
        sa.Column("body", LongText, nullable=True),
        sa.Column("path", name(500), nullable=True),
        sa.Column("incident", name(200), nullable=False),
        sa.Column("cause", name(64), nullable=True),
        sa.Column("tags", Json, nullable=True),
        sa.Column("data", Json, nullable=True),
        sa.Column("at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_table(
        "channels",
        sa.Column("id", Id, primary_key=True),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("name", name(100), nullable=False),
        sa.Column("kind", name(20), nullable=False),
        sa.Column("enabled", Flag, nullable=False),
        sa.Column("wants_runs", Flag, nullable=False, server_default=sa.false()),
        sa.Column("spec", Json, nullable=False),
        sa.Column("sealed", LongText, nullable=True),
        sa.Column("key_id", name(40), nullable=True),
        sa.Column("level", Real, nullable=False, server_default=sa.text("0")),
        sa.Column("level_at", Time, nullable=True),
        sa.Column("last_state", name(10), nullable=True),
        sa.Column("last_at", Time, nullable=True),
        sa.Column("last_error", LongText, nullable=True),
        sa.Column("created_by", name(200), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_by", name(200), nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.UniqueConstraint("project_id", "name", name="channels_name"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_table(
        "deliveries",
        sa.Column("id", Id, primary_key=True),
        sa.Column("channel_id", Id, nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("state", name(10), nullable=False),
        sa.Column("collecting", Flag, nullable=False),
        sa.Column("kind", name(20), nullable=False),
        sa.Column("severity", name(10), nullable=False),
        sa.Column("title", name(300), nullable=False),
        sa.Column("notices", Big, nullable=False),
        sa.Column("incident", name(200), nullable=True),
        sa.Column("cause", name(64), nullable=True),
        sa.Column("message", Json, nullable=False),
        sa.Column("tries", Int, nullable=False),
        sa.Column("due_at", Time, nullable=False),
        sa.Column("token", Id, nullable=True),
        sa.Column("lease_until", Time, nullable=True),
        sa.Column("last_error", LongText, nullable=True),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("finished_at", Time, nullable=True),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    pending = sa.text("state = 'pending'")
    op.create_index("deliveries_channel", "deliveries", ["channel_id", "id"])
    op.create_index("deliveries_incident", "deliveries", ["channel_id", "incident", "id"])
    op.create_index("deliveries_due", "deliveries", ["state", "due_at"], postgresql_where=pending, sqlite_where=pending)


def downgrade() -> None:
    op.drop_table("deliveries")
    op.drop_table("channels")
    op.drop_table("notices")
