"""A worker tells how far it keeps the code of jobs apart.

Processes of the version before go on working; they tell nothing.

Revision ID: 0019
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Json

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workers", sa.Column("isolation", Json, nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "isolation")
