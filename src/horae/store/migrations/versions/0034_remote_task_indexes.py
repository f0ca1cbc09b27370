"""Indexes of remote tasks: by deadline, to delete the old ones in portions, and those that no worker tracks without
reading those that are to be revoked.

Processes of the version before go on working.

Revision ID: 0034
"""

from __future__ import annotations

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("remote_tasks_deadline", "remote_tasks", ["deadline_at"])
    op.drop_index("remote_tasks_tracked", "remote_tasks")
    op.create_index("remote_tasks_tracked", "remote_tasks", ["app", "tracked_by", "revoke_at"])


def downgrade() -> None:
    op.drop_index("remote_tasks_tracked", "remote_tasks")
    op.create_index("remote_tasks_tracked", "remote_tasks", ["app", "tracked_by"])
    op.drop_index("remote_tasks_deadline", "remote_tasks")
