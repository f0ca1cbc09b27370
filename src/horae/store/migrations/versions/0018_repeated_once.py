"""A refresh token whose successor was lost may be exchanged once more, and not again.

Revision ID: 0018
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Int

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sessions", sa.Column("repeated", Int, nullable=True))


def downgrade() -> None:
    op.drop_column("sessions", "repeated")
