"""The parts of the statements that renew what a scheduler holds (`HotStatements.renew_scheduler`)."""

from __future__ import annotations

from functools import cache

from horae.store.dialects.base import Dialect


@cache
def held(d: Dialect) -> str:
    """Locks its shards, in order."""
    return f"SELECT shard FROM shards WHERE owner_id = :id AND lease_until > {d.now} ORDER BY shard {d.lock}"


@cache
def longer(d: Dialect) -> str:
    return f"UPDATE shards SET lease_until = {d.later(':lease')}"


@cache
def live(d: Dialect) -> str:
    """The schedulers with a heartbeat within the time of a lease."""
    return f"FROM schedulers WHERE heartbeat_at > {d.earlier(':lease')}"
