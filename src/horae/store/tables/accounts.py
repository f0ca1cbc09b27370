"""The tables of accounts, access and the audit trail."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from horae.store.tables.columns import Flag, Id, Int, Json, LongText, Real, Time, name
from horae.store.tables.table import key, may, must, table

projects = table(
    "projects",
    key("id", Id),
    must("slug", name(100)),
    must("name", name(200)),
    must("created_at", Time),
    UniqueConstraint("slug", name="projects_slug"),
)

api_keys = table(
    "api_keys",
    key("id", Id),
    must("project_id", Id),
    must("name", name(200)),
    must("role", name(20)),
    must("prefix", name(32)),
    must("digest", name(64)),
    must("created_by", name(200)),
    must("created_at", Time),
    may("expires_at", Time),
    may("last_used_at", Time),
    may("maker_id", Id),  # the user behind `created_by`, even if that is their key; NULL if others created it
    UniqueConstraint("prefix", name="api_keys_prefix"),
)

worker_keys = table(
    "worker_keys",  # of agents: see domain/people/worker_key.py
    key("id", Id),
    must("name", name(200)),
    must("prefix", name(32)),
    must("digest", name(64)),
    may("previous_prefix", name(32)),
    may("previous_digest", name(64)),
    may("previous_until", Time),
    may("projects", Json),
    may("project_ids", Json),
    may("queues", Json),
    may("capabilities", Json),
    may("worker_name", name(200)),
    must("created_by", name(200)),
    must("created_at", Time),
    may("expires_at", Time),
    may("revoked_at", Time),
    UniqueConstraint("prefix", name="worker_keys_prefix"),
    Index("worker_keys_previous", "previous_prefix"),
)

secrets = table(
    "secrets",
    key("project_id", Id),
    key("name", name(100)),
    must("sealed", LongText),  # encrypted, with the project and the name as associated data
    must("key_id", name(40)),  # the key that encrypted it
    must("created_by", name(200)),
    must("created_at", Time),
    must("updated_by", name(200)),
    must("updated_at", Time),
)

users = table(
    "users",
    key("id", Id),
    must("username", name(100)),
    must("password", name(300)),  # argon2id, with its parameters
    must("is_admin", Flag),  # in the installation
    must("is_active", Flag),
    must("created_by", name(200)),
    must("created_at", Time),
    must("updated_at", Time),
    must("password_changed_at", Time),
    may("last_login_at", Time),
    UniqueConstraint("username", name="users_username"),
)

memberships = table(
    "memberships",
    key("project_id", Id),
    key("user_id", Id),
    must("role", name(20)),
    must("created_by", name(200)),
    must("created_at", Time),
    Index("memberships_user", "user_id"),
)

invitations = table(
    "invitations",  # invitation links to a project; the first one, without a project, creates the first admin
    key("id", Id),
    may("project_id", Id),
    must("role", name(20)),
    must("digest", name(64)),
    may("note", name(200)),
    must("created_by", name(200)),
    must("created_at", Time),
    must("expires_at", Time),
    may("accepted_by", Id),
    may("accepted_at", Time),
    may("maker_id", Id),
    UniqueConstraint("digest", name="invitations_digest"),
    Index("invitations_project", "project_id"),
)

sessions = table(
    "sessions",  # a sign-in: its refresh token is rotated at every use, and reuse of an old one ends it
    key("id", Id),
    must("user_id", Id),
    must("digest", name(64)),
    must("generation", Int),
    must("client", name(200)),
    must("address", name(100)),
    must("created_at", Time),
    must("used_at", Time),
    must("expires_at", Time),
    may("ended_at", Time),
    may("end_reason", name(20)),
    may("repeated", Int),  # the generation that was issued twice, because the first one was lost
    may("limit_at", Time),  # of single sign-on and devices: no use extends it beyond this
    may("provider_token", LongText),  # encrypted; the provider needs it when its user signs out
    Index("sessions_user", "user_id"),
)

audit_log = table(
    "audit_log",  # appended, never changed
    key("id", Id),
    may("project_id", Id),  # NULL: the installation
    must("at", Time),
    must("actor", name(200)),
    must("action", name(50)),
    must("subject_kind", name(20)),
    may("subject_id", name(200)),
    may("subject_name", name(200)),
    may("changes", Json),
    may("address", name(100)),
    may("request_id", name(64)),
    Index("audit_log_project", "project_id", "id"),
    Index("audit_log_subject", "subject_kind", "subject_id", "id"),
)

idempotency_keys = table(
    "idempotency_keys",
    key("project_id", Id),
    key("digest", name(64)),  # of the key and the caller
    must("request", name(64)),  # digest of the request: method, path, query and body
    must("holder", Id),  # which request is being processed, and until when no other may try
    must("held_until", Time),
    may("status", Int),  # NULL while it is being processed
    may("headers", Json),
    may("body", LongText),  # encrypted: some answers contain values that are shown once
    must("created_at", Time),
    Index("idempotency_keys_created", "created_at"),
)

rate_limits = table(
    "rate_limits",  # a leaky bucket each: its level, and when
    key("bucket", name(200)),
    must("level", Real),
    must("at", Time),
    Index("rate_limits_at", "at"),
)
