"""Notifications: the outbox of notices, channels, and the delivery log."""

from __future__ import annotations

from sqlalchemy import Column, Index, MetaData, Table, UniqueConstraint, false, text

from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Real, Time, name
from horae.store.tables.table import key, may, must, table

notices = table(
    "notices",  # the outbox: written with the event, deleted once it is routed
    key("id", Id),
    may("project_id", Id),  # NULL: the installation
    must("kind", name(20)),
    must("severity", name(10)),
    must("subject_kind", name(20)),
    may("subject_id", name(200)),
    may("subject_name", name(200)),
    must("title", name(300)),
    may("body", LongText),
    may("path", name(500)),
    must("incident", name(200)),  # NewNotice.key
    may("cause", name(64)),
    may("tags", Json),
    may("data", Json),
    must("at", Time),
)

channels = table(
    "channels",
    key("id", Id),
    must("project_id", Id),  # NIL: the installation
    must("name", name(100)),
    must("kind", name(20)),
    must("enabled", Flag),
    Column("wants_runs", Flag, nullable=False, server_default=false()),  # whether notices about runs are written for it
    must("spec", Json),  # where it sends and by which rules; no secrets
    may("sealed", LongText),  # secrets, encrypted with the project and the channel's id as associated data
    may("key_id", name(40)),
    Column("level", Real, nullable=False, server_default=text("0")),  # a leaky bucket of messages
    may("level_at", Time),
    may("last_state", name(10)),  # of the last delivery that was tried
    may("last_at", Time),
    may("last_error", LongText),
    must("created_by", name(200)),
    must("created_at", Time),
    must("updated_by", name(200)),
    must("updated_at", Time),
    UniqueConstraint("project_id", "name", name="channels_name"),
)

deliveries = table(
    "deliveries",  # a message to a channel, from planning until its retention is over
    key("id", Id),
    must("channel_id", Id),
    must("project_id", Id),
    must("state", name(10)),  # pending, sent, failed
    must("collecting", Flag),  # more notices may join it
    must("kind", name(20)),  # of its notice; `digest` of several, `test`
    must("severity", name(10)),
    must("title", name(300)),
    must("notices", Big),  # how many notices it covers
    may("incident", name(200)),  # of a message about one notice
    may("cause", name(64)),
    must("message", Json),
    must("tries", Int),
    must("due_at", Time),  # when it is tried next
    may("token", Id),  # of the try in progress
    may("lease_until", Time),
    may("last_error", LongText),
    must("created_at", Time),
    may("finished_at", Time),
    Index("deliveries_channel", "channel_id", "id"),
    Index("deliveries_incident", "channel_id", "incident", "id"),
)
_pending = text("state = 'pending'")
Index("deliveries_due", deliveries.c.state, deliveries.c.due_at, postgresql_where=_pending, sqlite_where=_pending)

# The columns of a batch; not a table of the database.
recovery_batch = Table(
    "recovery_batch",
    MetaData(),
    *(Column(c.name, c.type) for c in notices.c),
    Column("job_id", Id),
    Column("certain", Flag),
)
