"""Functions that admins register by path.

Processes of the version before go on working: they see such a function like any other, and their workers do not offer
it.

Revision ID: 0030
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Time, name

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("task_functions", sa.Column("handler_path", name(500), nullable=True))
    op.add_column("task_functions", sa.Column("import_error", name(700), nullable=True))
    op.add_column("task_functions", sa.Column("imported_at", Time, nullable=True))


def downgrade() -> None:
    for column in ("imported_at", "import_error", "handler_path"):
        op.drop_column("task_functions", column)
