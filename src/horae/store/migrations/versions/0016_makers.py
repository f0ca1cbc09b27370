"""Keys and invitations know who made them, whatever that user is called now.

Revision ID: 0016
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Id

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

TABLES = ("api_keys", "invitations")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("maker_id", Id, nullable=True))


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_column(table, "maker_id")
