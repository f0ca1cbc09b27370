"""Upkeep: retention, partitions, and what is no longer referenced. One scheduler of a cluster does it."""

from __future__ import annotations

from horae.domain.errors import InUse
from horae.domain.text.ids import NIL
from horae.lifecycle.prune import partition, prune, recount, tidy
from horae.lifecycle.queues import forget_queues, unused_queues
from horae.processes.duties.duty import Duty, Post
from horae.processes.duties.retiring import retire
from horae.processes.loop import log

_PRUNE_EVERY, _PRUNE_PAUSE = 60.0, 0.05
_TIDY_EVERY = 3600.0
_PARTITION_AGAIN = 300.0  # after the table was in use; there are months of time


class UpkeepDuty(Duty):
    name = "upkeep"

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self._prune_at = self._tidy_at = self._partition_at = 0.0
        self._partitions_wait = False
        self._pruned_through = NIL
        self._walked_through: str | None = NIL  # the walk over what jobs leave behind; None: it is over

    async def step(self) -> float:
        post = self.post
        if not post.is_first:
            return post.settings.sweep
        now = post.clock.monotonic()
        if now >= self._tidy_at:
            await post.store.transact(tidy)
            await post.store.transact(recount)
            if unused := await post.store.read(unused_queues):
                await post.store.transact(forget_queues, names=unused)
            self._tidy_at = now + _TIDY_EVERY
            self._walked_through = NIL
            self._pruned_through = NIL  # again from the start: dead letters may have been resolved
        if now >= self._partition_at:
            self._partition_at = now + await self._partition()
        if now >= self._prune_at:
            pruned = await post.store.transact(prune, keep=post.settings.retention, after=self._pruned_through)
            self._pruned_through = pruned.through
            if pruned.more:
                return _PRUNE_PAUSE
            self._prune_at = now + _PRUNE_EVERY
        if self._walked_through is not None:
            self._walked_through = await retire(post.store, post.settings.retention, self._walked_through)
            return _PRUNE_PAUSE
        return post.settings.sweep

    async def _partition(self) -> float:
        """Until when there is nothing to do about partitions."""
        try:
            while await self.post.store.transact(partition, retention=self.post.settings.retention.runs):
                pass
        except InUse as error:
            if not self._partitions_wait:
                log.warning("partitions have to wait", reason=str(error), again_in=_PARTITION_AGAIN)
            self._partitions_wait = True
            return _PARTITION_AGAIN
        if self._partitions_wait:
            log.info("partitions are up to date")
        self._partitions_wait = False
        return _TIDY_EVERY
