"""Processes say which of their steps keeps failing.

Revision ID: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Time, name

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TABLES = ("workers", "schedulers")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("trouble", name(300), nullable=True))
        op.add_column(table, sa.Column("trouble_since", Time, nullable=True))


def downgrade() -> None:
    for table in _TABLES:
        op.drop_column(table, "trouble_since")
        op.drop_column(table, "trouble")
