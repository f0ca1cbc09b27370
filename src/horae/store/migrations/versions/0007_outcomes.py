"""How the last attempt of a run ended, what retried attempts answered, and how long they took.

Revision ID: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Big, Json, name

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run_history", sa.Column("outcome", name(20), nullable=True))
    op.add_column("attempts", sa.Column("result", Json, nullable=True))
    op.add_column("attempts", sa.Column("duration_ms", Big, nullable=True))
    rare = sa.column("outcome").isnot(None)
    op.create_index(
        "run_history_outcome", "run_history", ["project_id", "outcome", "id"], postgresql_where=rare, sqlite_where=rare
    )


def downgrade() -> None:
    op.drop_index("run_history_outcome", "run_history")
    op.drop_column("attempts", "duration_ms")
    op.drop_column("attempts", "result")
    op.drop_column("run_history", "outcome")
