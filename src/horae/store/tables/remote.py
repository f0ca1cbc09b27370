"""Tasks that other systems execute for parked runs."""

from __future__ import annotations

from sqlalchemy import Column, Index, MetaData, Table

from horae.store.tables.columns import Id, Int, Real, Time, name
from horae.store.tables.table import key, may, must, table

remote_tasks = table(
    "remote_tasks",
    key("run_id", Id),
    key("attempt", Int),
    must("token", Id),
    must("app", name(40)),  # which workers can send it and ask about it
    may("tracked_by", Id),  # the worker that does
    may("sent_at", Time),  # set before it is sent, so that nobody sends it again
    must("deadline_at", Time),
    may("revoke_at", Time),  # its run has ended: the task must not go on
    Index("remote_tasks_tracked", "app", "tracked_by", "revoke_at"),
    Index("remote_tasks_revoke", "app", "revoke_at"),
    Index("remote_tasks_deadline", "deadline_at"),
)

remote_batch = Table(
    "remote_batch",
    MetaData(),
    Column("run_id", Id),
    Column("attempt", Int),
    Column("token", Id),
    Column("app", name(40)),
    Column("seconds", Real),
)
