"""The engine that admins choose for a queue, and the engine of a worker.

Processes of the version before go on working: they use the engine of their settings.

Revision ID: 0033
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import name

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_CHOSEN = sa.text("engine IS NOT NULL")


def upgrade() -> None:
    op.add_column("queues", sa.Column("engine", name(20), nullable=True))
    op.create_index("queues_engine", "queues", ["engine"], postgresql_where=_CHOSEN, sqlite_where=_CHOSEN)
    op.add_column("workers", sa.Column("engine", name(20), nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "engine")
    op.drop_index("queues_engine", "queues")
    op.drop_column("queues", "engine")
