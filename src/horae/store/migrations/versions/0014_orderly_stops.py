"""A worker that said goodbye is told from one that is dead or cut off.

Revision ID: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Time

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workers", sa.Column("stopped_at", Time, nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "stopped_at")
