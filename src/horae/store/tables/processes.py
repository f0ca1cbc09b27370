"""Processes and what they have registered: workers, schedulers, the shards these lease, functions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Index

from horae.store.tables.columns import Big, Flag, Id, Int, Json, LongText, Real, Time, name
from horae.store.tables.table import key, may, must, table


def _host() -> list[Column[Any]]:
    """Where a process runs; see `Host`."""
    return [
        must("hostname", name(255)),
        must("platform", name(100)),
        must("host_key", name(100)),
        must("pid", Int),
        must("pid_started", Big),
        must("version", name(50)),
    ]


workers = table(
    "workers",
    key("id", Id),
    must("name", name(200)),
    *_host(),
    must("queues", Json),
    must("offers", Json),
    must("slots", Int),
    must("busy", Int),
    must("status", name(10)),
    must("runs_done", Big),
    must("started_at", Time),
    must("heartbeat_at", Time),
    may("drain_requested_by", name(200)),  # it finishes its runs and takes no new ones
    may("trouble", name(300)),  # the step that keeps failing, and why: "claim: …"
    may("trouble_since", Time),
    may("stopped_at", Time),  # when it signed off; one that is offline without it is dead or cut off
    may("projects", Json),  # slugs of the projects it is bound to
    may("isolation", Json),  # how well it isolates the code of jobs: see domain/cluster/isolation.py
    may("engine", name(20)),  # where it takes its runs from; NULL: of a version that did not say it
    may("key_id", Id),  # the worker key of an agent; NULL: it is on the database itself
    Index("workers_host", "host_key"),
    Index("workers_key", "key_id"),
)

schedulers = table(
    "schedulers",
    key("id", Id),
    *_host(),
    must("started_at", Time),
    must("heartbeat_at", Time),
    may("trouble", name(300)),  # as for workers
    may("trouble_since", Time),
)

shards = table(
    "shards",
    key("shard", Int),
    may("owner_id", Id),
    must("epoch", Big),
    may("lease_until", Time),
    may("owned_since", Time),
)

task_functions = table(
    "task_functions",  # what workers have registered, and what users decided about it
    key("name", name(200)),
    must("display_name", name(200)),
    must("description", LongText),
    must("handler", name(500)),
    must("kind", name(10)),  # async, process or thread
    may("queue", name(100)),
    may("default_timeout", Real),
    must("parameters", Json),  # JSON Schema of its arguments
    must("is_active", Flag),
    must("is_system", Flag),
    must("is_edited", Flag),  # by users: workers leave its display name and description alone
    must("first_seen_at", Time),
    must("last_seen_at", Time),
    may("handler_path", name(500)),  # of one that an admin registered
    may("import_error", name(700)),  # why no worker could import it
    may("imported_at", Time),  # when one last did
)
