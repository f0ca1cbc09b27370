"""Single sign-on: identities of a provider, roles that claims gave, sessions that end with them, devices that wait.

Processes of the version before go on working. They extend a session beyond `limit_at`, which this version does not
honour.

Revision ID: 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Flag, Id, Int, LongText, Time, name

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identities",
        sa.Column("issuer", name(255), primary_key=True),
        sa.Column("subject", name(255), primary_key=True),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("gave_admin", Flag, nullable=False, server_default=sa.false()),
        sa.Column("created_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("identities_user", "identities", ["user_id"])
    op.create_table(
        "claimed_roles",
        sa.Column("user_id", Id, primary_key=True),
        sa.Column("project_id", Id, primary_key=True),
        sa.Column("role", name(20), nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_table(
        "device_codes",
        sa.Column("digest", name(64), primary_key=True),
        sa.Column("user_code", name(8), nullable=False),
        sa.Column("client", name(200), nullable=False),
        sa.Column("address", name(100), nullable=False),
        sa.Column("created_at", Time, nullable=False),
        sa.Column("expires_at", Time, nullable=False),
        sa.Column("pause", Int, nullable=False),
        sa.Column("polled_at", Time),
        sa.Column("user_id", Id),
        sa.Column("session_id", Id),
        sa.Column("denied_at", Time),
        sa.UniqueConstraint("user_code", name="device_codes_user_code"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("device_codes_expires", "device_codes", ["expires_at"])
    op.add_column("sessions", sa.Column("limit_at", Time, nullable=True))
    op.add_column("sessions", sa.Column("provider_token", LongText, nullable=True))


def downgrade() -> None:
    op.drop_column("sessions", "provider_token")
    op.drop_column("sessions", "limit_at")
    op.drop_table("device_codes")
    op.drop_table("claimed_roles")
    op.drop_table("identities")
