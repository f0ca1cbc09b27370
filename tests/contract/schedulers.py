"""What schedulers do to a database, in short words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from horae.domain.jobs.retention import Retention
from horae.domain.text.ids import NIL
from horae.lifecycle import deletion, fire, prune, recover
from horae.lifecycle.fire import Fired
from horae.processes.duties.retiring import retire
from tests.contract.opened import Opened
from tests.contract.values import ALL_SHARDS, IDS, middle

_SCHEDULER = IDS.new()


class Schedulers(Opened):
    async def fire(
        self, *, shards: Collection[int] = ALL_SHARDS, limit: int = 1000, without: Collection[str] = ()
    ) -> Fired:
        return await self.store.transact(
            fire.fire, shards=shards, limit=limit, scheduler_id=_SCHEDULER, without=without
        )

    async def fire_apart(self, project_id: str) -> Fired:
        return await self.store.transact(
            fire.fire_apart, shards=ALL_SHARDS, limit=1000, scheduler_id=_SCHEDULER, project_id=project_id
        )

    async def recover(self, *, dead: Collection[str] = (), limit: int = 500) -> int:
        return await self.store.transact(recover.recover, chance=middle, dead_workers=dead, limit=limit)

    async def expire(self) -> int:
        return await self.store.transact(recover.expire)

    async def carry_out(self, *, limit: int = 500) -> int:
        return await self.store.transact(deletion.carry_out, limit=limit)

    async def roll_up(self, *, limit: int = 1000) -> int:
        return await self.store.transact(prune.roll_up, limit=limit)

    async def partition(self, *, days: float = 30) -> int:
        """As a scheduler does it: one after the other; how many were made or dropped."""
        count = 0
        while await self.store.transact(prune.partition, retention=days * 86_400):
            count += 1
        return count

    async def retire(self, *, limit: int = 500, **keep: Any) -> int:
        """The whole walk over what jobs leave behind; how many portions it took."""
        after: str | None = NIL
        portions = 0
        while after is not None:
            after = await retire(self.store, Retention(**keep), after, limit=limit)
            portions += 1
        return portions

    async def prune(self, *, days: float, log_days: float | None = None, limit: int = 500) -> int:
        """One portion, from the start; how much went."""
        log_days = days if log_days is None else log_days
        keep = Retention(runs=days * 86_400, logs=log_days * 86_400)
        return (await self.store.transact(prune.prune, keep=keep, limit=limit)).count
