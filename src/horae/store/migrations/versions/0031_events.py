"""Sinks of events, and the outbox.

Processes of the version before go on working; what they do is not told to any sink.

Revision ID: 0031
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Serial, Time, name

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_ZERO = sa.text("0")


def upgrade() -> None:
    op.create_table(
        "event_sinks",
        sa.Column("id", Id, primary_key=True),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("name", name(100), nullable=False),
        sa.Column("kind", name(20), nullable=False),
        sa.Column("enabled", Flag, nullable=False),
        sa.Column("types", LongText, nullable=False),
        sa.Column("spec", Json, nullable=False),
        sa.Column("sealed", LongText, nullable=True),
        sa.Column("key_id", name(40), nullable=True),
        sa.Column("token", Id, nullable=True),
        sa.Column("lease_until", Time, nullable=True),
        sa.Column("served_at", Time, nullable=True),
        sa.Column("sent", Big, nullable=False, server_default=_ZERO),
        sa.Column("dropped", Big, nullable=False, server_default=_ZERO),
        sa.Column("tries", Int, nullable=False, server_default=_ZERO),
        sa.Column("failing_since", Time, nullable=True),
        sa.Column("retry_at", Time, nullable=True),
        sa.Column("last_sent_at", Time, nullable=True),
        sa.Column("last_error", LongText, nullable=True),
        sa.Column("gap", Big, nullable=False, server_default=_ZERO),
        sa.Column("gap_id", Id, nullable=True),
        sa.Column("gap_from", Time, nullable=True),
        sa.Column("gap_until", Time, nullable=True),
        sa.Column("created_by", name(200), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("updated_by", name(200), nullable=False),
        sa.Column("updated_at", Time, nullable=False),
        sa.UniqueConstraint("project_id", "name", name="event_sinks_name"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_table(
        "event_outbox",
        sa.Column("seq", Serial, primary_key=True, autoincrement=True, nullable=False),
        sa.Column("sink_id", Id, nullable=False),
        sa.Column("event_id", Id, nullable=False),
        sa.Column("type", name(40), nullable=False),
        sa.Column("project_id", Id, nullable=False),
        sa.Column("job_id", Id, nullable=True),
        sa.Column("subject", name(40), nullable=False),
        sa.Column("at", Time, nullable=False),
        sa.Column("data", Json, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("event_outbox_sink", "event_outbox", ["sink_id", "seq"])


def downgrade() -> None:
    op.drop_table("event_outbox")
    op.drop_table("event_sinks")
