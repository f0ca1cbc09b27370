"""Pings, their events, and badges."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Time, name
from horae.store.tables.table import key, may, must, table

pings = table(
    "pings",  # monitors of jobs that Horae does not run
    key("id", Id),
    must("project_id", Id),
    must("name", name(200)),
    must("version", Int),
    must("spec", Json),  # the whole definition except the name
    must("digest", name(64)),  # of the token in its URL, for lookup
    must("sealed", LongText),  # the token, encrypted, so that its URL can be shown again
    must("key_id", name(40)),  # the key that encrypted it
    must("status", name(20)),
    may("reason", name(20)),
    must("since", Time),
    must("paused", Flag),
    may("paused_until", Time),
    may("expected_at", Time),
    may("check_at", Time),  # when the scheduler must check it; NULL: never
    may("starts", Json),  # runs in progress
    must("events", Big),  # total: the number of the newest
    may("last_ping_at", Time),
    may("last_success_at", Time),
    may("last_failure_at", Time),
    may("last_duration_ms", Big),
    may("last_exit_code", Int),
    must("created_by", name(200)),
    must("created_at", Time),
    must("updated_by", name(200)),
    must("updated_at", Time),
    UniqueConstraint("project_id", "name", name="pings_name"),
    UniqueConstraint("digest", name="pings_digest"),
)
_awaited = pings.c.check_at.isnot(None)
Index("pings_check", pings.c.check_at, postgresql_where=_awaited, sqlite_where=_awaited)
Index("pings_status", pings.c.project_id, pings.c.status, pings.c.name)

ping_events = table(
    "ping_events",
    key("ping_id", Id),
    key("n", Big),
    must("at", Time),
    must("kind", name(20)),
    may("exit_code", Int),
    may("rid", name(64)),
    may("duration_ms", Big),
    may("method", name(10)),
    may("address", name(100)),
    may("agent", name(200)),
    may("body", LongText),
    may("body_bytes", Big),
    Index("ping_events_at", "at"),
)

badges = table(
    "badges",
    key("id", Id),
    must("project_id", Id),
    must("subject_kind", name(20)),
    must("subject_id", name(200)),
    must("digest", name(64)),
    must("sealed", LongText),
    must("key_id", name(40)),
    may("label", name(100)),
    must("created_by", name(200)),
    must("created_at", Time),
    UniqueConstraint("digest", name="badges_digest"),
    Index("badges_subject", "project_id", "subject_kind", "subject_id"),
)
