"""Jobs are found by how their last run ended.

Revision ID: 0013
"""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("job_stats_last", "job_stats", ["project_id", "last_status"])


def downgrade() -> None:
    op.drop_index("job_stats_last", "job_stats")
