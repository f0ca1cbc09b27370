"""Time series: what happened within a minute, an hour or a day.

Processes of the version before go on working; the runs that they end, or that their schedulers sum, are not in it.

Revision ID: 0025
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column

from horae.store.tables.columns import Id, Int, Json, LongText, Time, name

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "series",
        Column("project_id", Id, primary_key=True, nullable=False),
        Column("subject", name(120), primary_key=True, nullable=False),
        Column("step", Int, primary_key=True, nullable=False, autoincrement=False),
        Column("at", Time, primary_key=True, nullable=False),
        Column("data", Json, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("series_at", "series", ["step", "at"])
    op.add_column("stat_deltas", Column("detail", LongText, nullable=True))


def downgrade() -> None:
    op.drop_column("stat_deltas", "detail")
    op.drop_table("series")
