"""Accounts, sessions, the audit trail, idempotency keys, rate limits; queues and workers that are told to rest.

Revision ID: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Column

from horae.store.tables.columns import Flag, Id, Int, Json, LongText, Real, Time, name

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# Indexes for lists of what is rare; what most runs are has no entry.
_RARE = (
    ("run_history_status", "project_id", "status", "succeeded"),
    ("run_history_job_status", "job_id", "status", "succeeded"),
    ("run_history_trigger", "project_id", "trigger", "schedule"),
)


def upgrade() -> None:
    op.create_table(
        "users",
        Column("id", Id, primary_key=True, nullable=False),
        Column("username", name(100), nullable=False),
        Column("password", name(300), nullable=False),
        Column("is_admin", Flag, nullable=False),
        Column("is_active", Flag, nullable=False),
        Column("created_by", name(200), nullable=False),
        Column("created_at", Time, nullable=False),
        Column("updated_at", Time, nullable=False),
        Column("password_changed_at", Time, nullable=False),
        Column("last_login_at", Time, nullable=True),
        sa.UniqueConstraint("username", name="users_username"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_table(
        "memberships",
        Column("project_id", Id, primary_key=True, nullable=False),
        Column("user_id", Id, primary_key=True, nullable=False),
        Column("role", name(20), nullable=False),
        Column("created_by", name(200), nullable=False),
        Column("created_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("memberships_user", "memberships", ["user_id"])
    op.create_table(
        "invitations",
        Column("id", Id, primary_key=True, nullable=False),
        Column("project_id", Id, nullable=True),
        Column("role", name(20), nullable=False),
        Column("digest", name(64), nullable=False),
        Column("note", name(200), nullable=True),
        Column("created_by", name(200), nullable=False),
        Column("created_at", Time, nullable=False),
        Column("expires_at", Time, nullable=False),
        Column("accepted_by", Id, nullable=True),
        Column("accepted_at", Time, nullable=True),
        sa.UniqueConstraint("digest", name="invitations_digest"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("invitations_project", "invitations", ["project_id"])
    op.create_table(
        "sessions",
        Column("id", Id, primary_key=True, nullable=False),
        Column("user_id", Id, nullable=False),
        Column("digest", name(64), nullable=False),
        Column("generation", Int, nullable=False),
        Column("client", name(200), nullable=False),
        Column("address", name(100), nullable=False),
        Column("created_at", Time, nullable=False),
        Column("used_at", Time, nullable=False),
        Column("expires_at", Time, nullable=False),
        Column("ended_at", Time, nullable=True),
        Column("end_reason", name(20), nullable=True),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("sessions_user", "sessions", ["user_id"])
    op.create_table(
        "audit_log",
        Column("id", Id, primary_key=True, nullable=False),
        Column("project_id", Id, nullable=True),
        Column("at", Time, nullable=False),
        Column("actor", name(200), nullable=False),
        Column("action", name(50), nullable=False),
        Column("subject_kind", name(20), nullable=False),
        Column("subject_id", name(200), nullable=True),
        Column("subject_name", name(200), nullable=True),
        Column("changes", Json, nullable=True),
        Column("address", name(100), nullable=True),
        Column("request_id", name(64), nullable=True),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("audit_log_project", "audit_log", ["project_id", "id"])
    op.create_index("audit_log_subject", "audit_log", ["subject_kind", "subject_id", "id"])
    op.create_table(
        "idempotency_keys",
        Column("project_id", Id, primary_key=True, nullable=False),
        Column("digest", name(64), primary_key=True, nullable=False),
        Column("request", name(64), nullable=False),
        Column("holder", Id, nullable=False),
        Column("held_until", Time, nullable=False),
        Column("status", Int, nullable=True),
        Column("headers", Json, nullable=True),
        Column("body", LongText, nullable=True),
        Column("created_at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("idempotency_keys_created", "idempotency_keys", ["created_at"])
    op.create_table(
        "rate_limits",
        Column("bucket", name(200), primary_key=True, nullable=False),
        Column("level", Real, nullable=False),
        Column("at", Time, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    op.create_index("rate_limits_at", "rate_limits", ["at"])
    op.create_index("dead_letters_newest", "dead_letters", ["project_id", "run_id"])
    op.create_index("dead_letters_job", "dead_letters", ["job_id", "run_id"])
    op.create_index("operations_state", "operations", ["state", "kind"])
    for index, whose, column, most in _RARE:
        rare = sa.column(column) != sa.literal_column(f"'{most}'")
        op.create_index(index, "run_history", [whose, column, "id"], postgresql_where=rare, sqlite_where=rare)
    op.add_column("queues", Column("paused_at", Time, nullable=True))
    op.add_column("queues", Column("paused_by", name(200), nullable=True))
    op.add_column("workers", Column("drain_requested_by", name(200), nullable=True))


def downgrade() -> None:
    op.drop_column("workers", "drain_requested_by")
    op.drop_column("queues", "paused_by")
    op.drop_column("queues", "paused_at")
    for index, *_ in _RARE:
        op.drop_index(index, "run_history")
    op.drop_index("operations_state", "operations")
    op.drop_index("dead_letters_job", "dead_letters")
    op.drop_index("dead_letters_newest", "dead_letters")
    op.drop_table("rate_limits")
    op.drop_table("idempotency_keys")
    op.drop_table("audit_log")
    op.drop_table("sessions")
    op.drop_table("invitations")
    op.drop_table("memberships")
    op.drop_table("users")
