"""Projects have quotas, and jobs tell how often their schedules fire.

Processes of the version before go on working; what they save and start is held to no quota, and of jobs that they save
the rate is not known: `per_hour_of` then is not the job's version.

Revision ID: 0022
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Big, Id, Int, Time, name

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "project_quotas",
        sa.Column("project_id", Id, primary_key=True),
        sa.Column("quota", name(30), primary_key=True),
        sa.Column("most", Big, nullable=False),
        sa.Column("room", Big, nullable=False),
        sa.Column("counted_at", Time, nullable=True),
        sa.Column("seen", Big, nullable=False),
        sa.Column("refused_at", Time, nullable=True),
        sa.Column("set_by", name(200), nullable=False),
        sa.Column("set_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("project_quotas_quota", "project_quotas", ["quota"])
    op.add_column("jobs", sa.Column("per_hour", Int, nullable=True))
    op.add_column("jobs", sa.Column("per_hour_of", Int, nullable=True))


def downgrade() -> None:
    op.drop_column("jobs", "per_hour_of")
    op.drop_column("jobs", "per_hour")
    op.drop_table("project_quotas")
