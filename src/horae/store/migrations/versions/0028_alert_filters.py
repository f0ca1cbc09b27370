"""What alerts ask of jobs stands in columns, so that the database finds the few that are in trouble.

Processes of the version before know nothing of these tables.

Revision ID: 0028
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Big, Flag, Real, name

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("late", Real),
    ("longer_ms", Big),
    ("shorter_ms", Big),
    ("no_success_for", Real),
    ("missed", Flag),
    ("budget", Real),
    ("done_by", name(5)),
    ("timezone", name(64)),
)


def upgrade() -> None:
    for column, kind in _COLUMNS:
        op.add_column("alert_settings", sa.Column(column, kind, nullable=True))
    op.create_index("alert_settings_kind", "alert_settings", ["subject_kind"])


def downgrade() -> None:
    op.drop_index("alert_settings_kind", "alert_settings")
    for column, _ in reversed(_COLUMNS):
        op.drop_column("alert_settings", column)
