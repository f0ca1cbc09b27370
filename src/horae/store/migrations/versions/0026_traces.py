"""Runs remember the trace of the request that queued them.

Processes of the version before go on working: runs that they queue or end have no `traceparent`, and so a trace of
their own.

Revision ID: 0026
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import name

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("runs", "run_history"):
        op.add_column(table, sa.Column("traceparent", name(55), nullable=True))


def downgrade() -> None:
    for table in ("run_history", "runs"):
        op.drop_column(table, "traceparent")
