"""Queues that nothing names any more disappear.

Revision ID: 0015
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Time

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("queues", sa.Column("named_at", Time, nullable=True))


def downgrade() -> None:
    op.drop_column("queues", "named_at")
