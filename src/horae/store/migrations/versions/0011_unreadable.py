"""Which process cannot read which version of a job.

Revision ID: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Id, Int, Time, name

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "unreadable",
        sa.Column("job_id", Id, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("version", Int, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("process_id", Id, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("reason", name(500), nullable=False),
        sa.Column("found_at", Time, nullable=False),
        sa.Column("seen_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )


def downgrade() -> None:
    op.drop_table("unreadable")
