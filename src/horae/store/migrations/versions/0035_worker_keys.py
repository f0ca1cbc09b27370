"""Worker keys, and the key with which an agent registered.

Processes of the version before go on working: to them, agents are workers like others.

Revision ID: 0035
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Id, Json, Time, name

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "worker_keys",
        sa.Column("id", Id, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("name", name(200), nullable=False),
        sa.Column("prefix", name(32), nullable=False),
        sa.Column("digest", name(64), nullable=False),
        sa.Column("previous_prefix", name(32), nullable=True),
        sa.Column("previous_digest", name(64), nullable=True),
        sa.Column("previous_until", Time, nullable=True),
        sa.Column("projects", Json, nullable=True),
        sa.Column("project_ids", Json, nullable=True),
        sa.Column("queues", Json, nullable=True),
        sa.Column("capabilities", Json, nullable=True),
        sa.Column("worker_name", name(200), nullable=True),
        sa.Column("created_by", name(200), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("expires_at", Time, nullable=True),
        sa.Column("revoked_at", Time, nullable=True),
        sa.UniqueConstraint("prefix", name="worker_keys_prefix"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("worker_keys_previous", "worker_keys", ["previous_prefix"])
    op.add_column("workers", sa.Column("key_id", Id, nullable=True))
    op.create_index("workers_key", "workers", ["key_id"])


def downgrade() -> None:
    op.drop_index("workers_key", "workers")
    op.drop_column("workers", "key_id")
    op.drop_table("worker_keys")
