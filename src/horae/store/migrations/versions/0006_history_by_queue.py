"""The runs of a queue are found without reading those of all others.

Revision ID: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    rare = sa.column("queue") != sa.literal_column("'default'")
    op.create_index(
        "run_history_queue", "run_history", ["project_id", "queue", "id"], postgresql_where=rare, sqlite_where=rare
    )


def downgrade() -> None:
    op.drop_index("run_history_queue", "run_history")
