"""Tasks that other systems execute for parked runs.

Processes of the version before go on working: they end parked runs without marking the task, which its worker finds
out at the task's deadline.

Revision ID: 0032
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Id, Int, Time, name

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "remote_tasks",
        sa.Column("run_id", Id, primary_key=True),
        sa.Column("attempt", Int, primary_key=True, autoincrement=False),
        sa.Column("token", Id, nullable=False),
        sa.Column("app", name(40), nullable=False),
        sa.Column("tracked_by", Id, nullable=True),
        sa.Column("sent_at", Time, nullable=True),
        sa.Column("deadline_at", Time, nullable=False),
        sa.Column("revoke_at", Time, nullable=True),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("remote_tasks_tracked", "remote_tasks", ["app", "tracked_by"])
    op.create_index("remote_tasks_revoke", "remote_tasks", ["app", "revoke_at"])


def downgrade() -> None:
    op.drop_table("remote_tasks")
