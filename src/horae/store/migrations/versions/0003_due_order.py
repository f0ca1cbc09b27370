"""Jobs that are due together are found in the order of their table; an index less to keep for those not paused.

Revision ID: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for index, column in (("jobs_due", "next_run_at"), ("jobs_paused", "paused_until")):
        known = sa.text(f"{column} IS NOT NULL")
        op.drop_index(index, "jobs")
        op.create_index(index, "jobs", [column], postgresql_where=known, sqlite_where=known)


def downgrade() -> None:
    for index, columns in (("jobs_due", ["next_run_at", "shard"]), ("jobs_paused", ["paused_until"])):
        op.drop_index(index, "jobs")
        op.create_index(index, "jobs", columns)
