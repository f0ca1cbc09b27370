"""Pings: those without a signal in time go down. One scheduler of a cluster does it."""

from __future__ import annotations

from horae.lifecycle.watching.pings import notice_missing
from horae.processes.duties.duty import RARELY, Duty
from horae.processes.loop import log

_BATCH = 500


class PingsDuty(Duty):
    name = "pings"
    chores = frozenset({"pings"})

    async def step(self) -> float:
        if not self.post.is_first:
            return self.post.settings.sweep
        left = await self.post.store.read(lambda tx: tx.pings.next_due())
        if left is None or left > 0:
            return RARELY if left is None else min(left, RARELY)
        missing = await self.post.store.transact(notice_missing, limit=_BATCH)
        if missing:
            log.info("pings were due", count=missing)
        return 0 if missing == _BATCH else 0.5
