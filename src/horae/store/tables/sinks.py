"""Events for other systems: sinks, and the outbox."""

from __future__ import annotations

from sqlalchemy import Column, Index, MetaData, Table, UniqueConstraint, text

from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Serial, Time, name
from horae.store.tables.table import key, may, must, table

event_sinks = table(
    "event_sinks",
    key("id", Id),
    must("project_id", Id),  # NIL: the installation
    must("name", name(100)),
    must("kind", name(20)),
    must("enabled", Flag),
    must("types", LongText),  # and groups of types, separated by spaces
    must("spec", Json),  # where it sends and what; no secrets
    may("sealed", LongText),  # secrets, encrypted with the project and the sink's id as associated data
    may("key_id", name(40)),
    may("token", Id),  # of the process that is sending to it
    may("lease_until", Time),
    may("served_at", Time),  # when it had its last turn
    *(Column(count, Big, nullable=False, server_default=text("0")) for count in ("sent", "dropped")),
    Column("tries", Int, nullable=False, server_default=text("0")),  # that failed, in a row
    may("failing_since", Time),
    may("retry_at", Time),
    may("last_sent_at", Time),
    may("last_error", LongText),
    Column("gap", Big, nullable=False, server_default=text("0")),  # dropped events that it was not told about
    may("gap_id", Id),
    may("gap_from", Time),
    may("gap_until", Time),
    must("created_by", name(200)),
    must("created_at", Time),
    must("updated_by", name(200)),
    must("updated_at", Time),
    UniqueConstraint("project_id", "name", name="event_sinks_name"),
)

event_outbox = table(
    "event_outbox",  # an event for a sink, from the transaction of its change until the sink has accepted it
    Column("seq", Serial, primary_key=True, autoincrement=True, nullable=False),
    must("sink_id", Id),
    must("event_id", Id),
    must("type", name(40)),
    must("project_id", Id),
    may("job_id", Id),
    must("subject", name(40)),  # the id of a run, a job or a sink
    must("at", Time),
    must("data", Json),
    Index("event_outbox_sink", "sink_id", "seq"),
)

# The columns of a batch; not a table of the database.
event_batch = Table(
    "event_batch",
    MetaData(),
    Column("n", Int),
    *(Column(c.name, c.type) for c in event_outbox.c if c.name != "seq"),
)
