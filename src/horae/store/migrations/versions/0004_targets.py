"""Registered functions, secrets, and runs that wait for a callback.

Revision ID: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Column

from horae.store.tables.columns import Flag, Id, Json, LongText, Real, Time, name

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "task_functions",
        Column("name", name(200), primary_key=True, nullable=False),
        Column("display_name", name(200), nullable=False),
        Column("description", LongText, nullable=False),
        Column("handler", name(500), nullable=False),
        Column("kind", name(10), nullable=False),
        Column("queue", name(100), nullable=True),
        Column("default_timeout", Real, nullable=True),
        Column("parameters", Json, nullable=False),
        Column("is_active", Flag, nullable=False),
        Column("is_system", Flag, nullable=False),
        Column("is_edited", Flag, nullable=False),
        Column("first_seen_at", Time, nullable=False),
        Column("last_seen_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_table(
        "secrets",
        Column("project_id", Id, primary_key=True, nullable=False),
        Column("name", name(100), primary_key=True, nullable=False),
        Column("sealed", LongText, nullable=False),
        Column("key_id", name(40), nullable=False),
        Column("created_by", name(200), nullable=False),
        Column("created_at", Time, nullable=False),
        Column("updated_by", name(200), nullable=False),
        Column("updated_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.add_column("runs", Column("parked", Flag, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("runs", "parked")
    op.drop_table("secrets")
    op.drop_table("task_functions")
