"""Queues can be reserved for projects, and workers bound to them.

Processes of the version before go on working; jobs that they save are not held to reservations.

Revision ID: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Id, Json, Time, name

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "queue_projects",
        sa.Column("queue", name(100), primary_key=True),
        sa.Column("project_id", Id, primary_key=True),
        sa.Column("reserved_by", name(200), nullable=False),
        sa.Column("reserved_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("queue_projects_project", "queue_projects", ["project_id"])
    op.add_column("workers", sa.Column("projects", Json, nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "projects")
    op.drop_table("queue_projects")
