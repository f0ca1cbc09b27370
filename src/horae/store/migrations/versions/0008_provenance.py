"""The same backfill is found again, and since when a scheduler holds a shard is known.

Revision ID: 0008
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column

from horae.store.tables.columns import Time, name

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("operations", Column("fingerprint", name(64), nullable=True))
    op.create_index("operations_same", "operations", ["job_id", "fingerprint"])
    op.add_column("shards", Column("owned_since", Time, nullable=True))


def downgrade() -> None:
    op.drop_column("shards", "owned_since")
    op.drop_index("operations_same", "operations")
    op.drop_column("operations", "fingerprint")
