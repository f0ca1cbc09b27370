"""Shards: leader election per slice of the jobs. Renews this scheduler's leases, and rebalances with the others.

Leases only decide who works: row locks and unique keys decide what is true, so two schedulers that both believe they
own a shard still create each occurrence once.
"""

from __future__ import annotations

from collections.abc import Sequence

from horae.domain.cluster.process import SchedulerSign, SchedulerStanding
from horae.ports import Transaction
from horae.processes.duties.duty import Duty, Post
from horae.processes.loop import log

_HANDED_OVER = 0.5  # how often to look for released shards without hints


class ShardsDuty(Duty):
    name = "shards"
    topics = frozenset({"shards"})

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self._renew_at = 0.0

    async def step(self) -> float:
        post = self.post
        lease, now = post.settings.shard_lease, post.clock.monotonic()
        if not post.hints_arrive() and now < self._renew_at and not await post.store.read(_any_free):
            return min(self._renew_at - now, _HANDED_OVER)
        shards = await self._share(lease)
        if shards != post.shards:
            log.info("shards", owned=len(shards), of=post.shard_count)
            gained = set(shards) - set(post.shards)
            post.shards = shards
            if gained:
                post.gained()
        self._renew_at = now + lease / 3
        return lease / 3 if post.hints_arrive() else min(lease / 3, _HANDED_OVER)

    async def _share(self, lease: float) -> list[int]:
        """Usually everything stays as it is, and one statement (where the database can) renews it."""
        post = self.post
        standing = await post.store.autocommit(_renew, post.sign, lease, post.trouble())
        if standing.registered and len(standing.shards) == fair_share(standing.live, post.sign.id, post.shard_count):
            return standing.shards
        return await post.store.transact(share, post.sign, lease, post.shard_count, post.trouble())


async def _renew(tx: Transaction, sign: SchedulerSign, lease: float, trouble: str | None) -> SchedulerStanding:
    return await tx.processes.renew_scheduler(sign.id, lease, trouble)


async def share(
    tx: Transaction, sign: SchedulerSign, lease: float, shard_count: int, trouble: str | None = None
) -> list[int]:
    """Beats, renews, releases what exceeds a fair share, takes what is free; returns the shards now owned."""
    standing = await _renew(tx, sign, lease, trouble)
    if not standing.registered:
        await tx.processes.register_scheduler(sign)  # it was away for so long that its row was removed
    owned, fair = standing.shards, fair_share(standing.live, sign.id, shard_count)
    if len(owned) > fair:
        await tx.processes.release_shards(sign.id, keep=fair)
        tx.hint("shards")
        return owned[:fair]
    if len(owned) < fair:
        owned = sorted([*owned, *await tx.processes.take_shards(sign.id, lease, fair - len(owned))])
    return owned


def fair_share(live: Sequence[str], me: str, shard_count: int) -> int:
    """The remainder goes to the first ones, one each: so every scheduler's share is known without asking, the shares
    add up, and no two differ by more than one."""
    everybody = sorted({*live, me})
    same, over = divmod(shard_count, len(everybody))
    return same + (everybody.index(me) < over)


async def _any_free(tx: Transaction) -> bool:
    return await tx.processes.any_shard_free()
