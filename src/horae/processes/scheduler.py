"""A scheduler: fires the jobs of the shards it leases, and sweeps up after workers that are gone.

Leases only decide who works: row locks and unique keys decide what is true, so two schedulers that both believe to own
a shard still create each occurrence once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from typing import ClassVar

from horae.domain.errors import InUse, StoreUnavailable
from horae.domain.ids import FIRST
from horae.domain.records import LeftOut, SchedulerSign
from horae.lifecycle.deletion import carry_out
from horae.lifecycle.fire import Fired, fire, idle_for
from horae.lifecycle.prune import partition, prune, roll_up, tidy
from horae.lifecycle.queues import forget_queues, unused_queues
from horae.lifecycle.recover import expire
from horae.lifecycle.redrive import carry_on
from horae.ports import Clock, Hint, Ids, Store, Transaction
from horae.processes.host import surely_dead
from horae.processes.loop import Loop, log, patiently, troubled
from horae.processes.neighbours import IsDead, dead_neighbours, recover_lost
from horae.processes.retiring import retire
from horae.processes.settings import SchedulerSettings

_LOCKED_ELSEWHERE = 0.01  # a due job whose row somebody else was just at
_HANDED_OVER = 0.5  # how often to look for shards that somebody gave back, where no hint tells
_SWEPT = 500  # a full batch: there may be more
_PRUNE_EVERY, _PRUNE_PAUSE = 60.0, 0.05
_NOTE_EVERY = 60.0
_TIDY_EVERY = 3600.0
_PARTITION_AGAIN = 300.0  # after somebody was reading; there are months of time


class Scheduler:
    """What it asks its machine is a class attribute: a simulation has machines of its own."""

    surely_dead: ClassVar[IsDead] = surely_dead

    def __init__(
        self,
        sign: SchedulerSign,
        store: Store,
        settings: SchedulerSettings,
        *,
        shard_count: int,
        clock: Clock,
        ids: Ids,
        hints_arrive: Callable[[], bool],
    ) -> None:
        self.sign = sign
        self._store, self._settings, self._shard_count = store, settings, shard_count
        self._clock, self._ids, self._hints_arrive = clock, ids, hints_arrive
        self._shards: list[int] = []
        self._renew_at = 0.0
        self._due = True
        self._left_out: tuple[LeftOut, ...] = ()  # due jobs whose definition this scheduler cannot read
        self._note_at = 0.0
        self._prune_at = self._tidy_at = self._partition_at = 0.0
        self._partitions_wait = False
        self._pruned_through = FIRST
        self._walked_through: str | None = FIRST  # the walk over what jobs leave behind; None: it is over
        self._leading = Loop("shards", self._lead)
        self._firing = Loop("fire", self._fire)
        self._sweeping = Loop("sweep", self._sweep)
        self._keeping = Loop("upkeep", self._keep)

    async def run(self, stop: asyncio.Event) -> None:
        await patiently(lambda: self._store.transact(_register, self.sign), stop)
        log.info("scheduler ready", scheduler=self.sign.id)
        loops = (self._leading, self._firing, self._sweeping, self._keeping)
        tasks = [asyncio.create_task(loop.run()) for loop in loops]
        await stop.wait()
        for loop in loops:
            loop.stop()
        await asyncio.gather(*tasks)
        try:
            await self._store.transact(_leave, self.sign.id)
        except Exception as error:
            log.warning("could not hand over the shards; they are free when their leases end", reason=str(error))

    def on_hint(self, hint: Hint) -> None:
        topic = hint.partition(":")[0]
        if topic == "jobs":
            self._due = True
            self._firing.wake.set()
        elif topic == "shards":
            self._leading.wake.set()

    # Shards

    async def _lead(self) -> float:
        """Renews this scheduler's share of the shards, and evens it out with the others."""
        lease, now = self._settings.shard_lease, self._clock.monotonic()
        if not self._hints_arrive() and now < self._renew_at and not await self._store.read(_any_free):
            return min(self._renew_at - now, _HANDED_OVER)
        trouble = troubled((self._firing, self._sweeping, self._keeping))
        shards = await self._store.transact(share, self.sign, lease, self._shard_count, trouble)
        if shards != self._shards:
            log.info("shards", owned=len(shards), of=self._shard_count)
            gained = set(shards) - set(self._shards)
            self._shards = shards
            if gained:
                self._due = True
                self._firing.wake.set()
        self._renew_at = now + lease / 3
        return lease / 3 if self._hints_arrive() else min(lease / 3, _HANDED_OVER)

    # Firing

    async def _fire(self) -> float | None:
        if not self._shards:
            return self._settings.poll
        if not self._due:
            return await self._look()
        self._due = False
        try:
            fired: Fired = await self._store.transact(
                fire,
                shards=self._shards,
                limit=self._settings.batch,
                scheduler_id=self.sign.id,
                passing=len(self._left_out),
            )
        except BaseException:
            self._due = True
            raise
        self._leave_out(fired.left_out)
        return self._until(fired.idle_for, busy=fired.more)

    def _leave_out(self, left_out: Sequence[LeftOut]) -> None:
        """Jobs whose definition cannot be read wait, and are spoken of once. The sweep tells the others."""
        for one in left_out:
            if one not in self._left_out:
                log.warning(
                    "cannot read a job: it does not fire until it is fixed, or a scheduler that can has it",
                    job=one.job_id,
                    version=one.version,
                    reason=one.reason,
                )
                self._note_at = 0.0
        for job_id in {one.job_id for one in self._left_out} - {one.job_id for one in left_out}:
            log.info("a job that could not be read can be read again, or is gone", job=job_id)
        self._left_out = tuple(left_out)

    async def _look(self) -> float:
        """Asks when the next job is due: hints about new and changed jobs may be lost."""
        left_out = {(one.job_id, one.version) for one in self._left_out}
        return self._until(await self._store.read(idle_for, shards=self._shards, left_out=left_out))

    def _until(self, seconds: float | None, *, busy: bool = False) -> float:
        longest = self._settings.poll * (5 if self._hints_arrive() else 1)
        if seconds is None or seconds > longest:
            return longest * (0.75 + 0.25 * self._ids.chance())
        self._due = True
        return 0 if busy else max(seconds, 0 if seconds > 0 else _LOCKED_ELSEWHERE)

    # Sweeping

    async def _sweep(self) -> float:
        """Asks in one statement what there is to do; mostly nothing. Goes on at once if there was more than a batch.
        One chore that fails keeps none of the others from being done."""
        chores, most, failed = await self._store.read(_chores), 0, None
        for chore in self._chores(chores):
            try:
                most = max(most, await chore())
            except StoreUnavailable:
                raise
            except Exception as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return 0 if most >= _SWEPT else self._settings.sweep

    def _chores(self, chores: Collection[str]) -> Iterator[Callable[[], Awaitable[int]]]:
        if "running" in chores:
            yield lambda: self._recover(lost="lost" in chores)
        if "overdue" in chores:
            yield lambda: self._store.transact(expire, limit=_SWEPT)
        if "operations" in chores:
            yield lambda: self._store.transact(carry_on, limit=_SWEPT)
        if "deletions" in chores:
            yield lambda: self._store.transact(carry_out, limit=_SWEPT)
        if "tallies" in chores and 0 in self._shards:
            yield lambda: self._store.transact(roll_up)
        if self._left_out and self._clock.monotonic() >= self._note_at:
            yield self._note

    async def _recover(self, *, lost: bool) -> int:
        dead = await dead_neighbours(self._store, self.sign.host, type(self).surely_dead)
        return await recover_lost(self._store, self._ids, dead) if dead or lost else 0

    async def _note(self) -> int:
        await self._store.transact(_unreadable, self.sign.id, self._left_out)
        self._note_at = self._clock.monotonic() + _NOTE_EVERY
        return 0

    async def _keep(self) -> float:
        """Upkeep is the work of whoever holds the first shard."""
        if 0 not in self._shards:
            return self._settings.sweep
        now = self._clock.monotonic()
        if now >= self._tidy_at:
            await self._store.transact(tidy)
            if unused := await self._store.read(unused_queues):
                await self._store.transact(forget_queues, names=unused)
            self._tidy_at = now + _TIDY_EVERY
            self._walked_through = FIRST
            self._pruned_through = FIRST  # once more from the start: dead letters may have been resolved
        if now >= self._partition_at:
            self._partition_at = now + await self._partition()
        if now >= self._prune_at:
            pruned = await self._store.transact(prune, keep=self._settings.retention, after=self._pruned_through)
            self._pruned_through = pruned.through
            if pruned.more:
                return _PRUNE_PAUSE
            self._prune_at = now + _PRUNE_EVERY
        if self._walked_through is not None:
            self._walked_through = await retire(self._store, self._settings.retention, self._walked_through)
            return _PRUNE_PAUSE
        return self._settings.sweep

    async def _partition(self) -> float:
        """Until when there is nothing to do about partitions."""
        try:
            while await self._store.transact(partition, retention=self._settings.retention.runs):
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


async def share(
    tx: Transaction, sign: SchedulerSign, lease: float, shard_count: int, trouble: str | None = None
) -> list[int]:
    """Beats, renews, gives back what is more than a fair share, takes what is free; the shards now owned."""
    if not await tx.processes.beat_scheduler(sign.id, trouble):
        await tx.processes.register_scheduler(sign)  # it was away for so long that it had been forgotten
    owned = await tx.processes.renew_shards(sign.id, lease)
    fair = fair_share(await tx.processes.live_schedulers(lease), sign.id, shard_count)
    if len(owned) > fair:
        await tx.processes.release_shards(sign.id, keep=fair)
        tx.hint("shards")
        return owned[:fair]
    if len(owned) < fair:
        owned = sorted([*owned, *await tx.processes.take_shards(sign.id, lease, fair - len(owned))])
    return owned


def fair_share(live: Sequence[str], me: str, shard_count: int) -> int:
    """What is left over when all have the same goes to the first ones, one each: so everybody's share is known without
    asking, the shares add up, and no two differ by more than one."""
    everybody = sorted({*live, me})
    same, over = divmod(shard_count, len(everybody))
    return same + (everybody.index(me) < over)


async def _any_free(tx: Transaction) -> bool:
    return await tx.processes.any_shard_free()


async def _unreadable(tx: Transaction, scheduler_id: str, left_out: Sequence[LeftOut]) -> None:
    await tx.unreadable.note(scheduler_id, left_out)


async def _chores(tx: Transaction) -> set[str]:
    return await tx.runs.chores()


async def _register(tx: Transaction, sign: SchedulerSign) -> None:
    await tx.processes.register_scheduler(sign)


async def _leave(tx: Transaction, scheduler_id: str) -> None:
    await tx.processes.forget_scheduler(scheduler_id)
    tx.hint("shards")
