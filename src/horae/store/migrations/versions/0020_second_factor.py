"""Users can have a second factor: an authenticator app, and recovery codes.

Processes of the version before go on working. They refuse the password of a user who has a second factor (its hash is
marked), rather than let them in without it.

Revision ID: 0020
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Id, Int, LongText, Time, name

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "second_factors",
        sa.Column("user_id", Id, primary_key=True),
        sa.Column("state", name(10), primary_key=True),
        sa.Column("sealed", LongText, nullable=False),
        sa.Column("key_id", name(40), nullable=False),
        sa.Column("used_step", Int, nullable=True),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("confirmed_at", Time, nullable=True),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_table(
        "recovery_codes",
        sa.Column("user_id", Id, primary_key=True),
        sa.Column("digest", name(64), primary_key=True),
        sa.Column("created_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )


def downgrade() -> None:
    op.execute("UPDATE users SET password = SUBSTR(password, 5) WHERE password LIKE '2fa:%'")
    op.drop_table("recovery_codes")
    op.drop_table("second_factors")
