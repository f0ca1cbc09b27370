"""Sweep: recovers runs of lost workers, expires runs that were not started in time, continues long operations and
deletions, and rolls up counters. Its look also finds work of other duties, and wakes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence

from horae.domain.errors import StoreUnavailable
from horae.domain.jobs.fault import LeftOut
from horae.lifecycle.deletion import carry_out
from horae.lifecycle.prune import roll_up
from horae.lifecycle.recover import expire, recover
from horae.lifecycle.redrive import carry_on
from horae.processes.duties.duty import Duty, Post
from horae.processes.neighbours import among_the_dead, log_recovered

_SWEPT = 500  # a full batch: there may be more
_NOTE_EVERY = 60.0


class SweepDuty(Duty):
    name = "sweep"

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self._noted: Sequence[LeftOut] = ()
        self._note_at = 0.0

    async def step(self) -> float:
        """One statement finds pending work; usually there is none. Continues immediately if there was more than a
        batch. A chore that fails does not prevent the others."""
        chores, most, failed = await self.post.store.read(lambda tx: tx.upkeep.chores()), 0, None
        if self.post.is_first:
            self.post.found(chores)
        for chore in self._chores(chores):
            try:
                most = max(most, await chore())
            except StoreUnavailable:
                raise
            except Exception as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return 0 if most >= _SWEPT else self.post.settings.sweep

    def _chores(self, chores: Collection[str]) -> Iterator[Callable[[], Awaitable[int]]]:
        store = self.post.store
        if "running" in chores:
            yield lambda: self._recover(lost="lost" in chores)
        if "overdue" in chores:
            yield lambda: store.transact(expire, limit=_SWEPT)
        if "operations" in chores:
            yield lambda: store.transact(carry_on, limit=_SWEPT)
        if "deletions" in chores:
            yield lambda: store.transact(carry_out, limit=_SWEPT)
        if "tallies" in chores and self.post.is_first:
            yield lambda: store.transact(roll_up)
        new = not {*self.post.left_out} <= {*self._noted}
        if self.post.left_out and (new or self.post.clock.monotonic() >= self._note_at):
            yield self._note

    async def _recover(self, *, lost: bool) -> int:
        post = self.post
        neighbours = await post.store.read(lambda tx: tx.processes.neighbours(post.sign.host.key))
        dead = among_the_dead(neighbours, post.sign.host, post.surely_dead)
        if not dead and not lost:
            return 0
        recovered = await post.store.transact(recover, chance=post.ids.chance, dead_workers=dead)
        log_recovered(recovered)
        return recovered

    async def _note(self) -> int:
        """Tells the others which jobs this scheduler cannot read: one of them may be able to."""
        left_out = self.post.left_out
        await self.post.store.transact(lambda tx: tx.unreadable.note(self.post.sign.id, left_out))
        self._noted, self._note_at = left_out, self.post.clock.monotonic() + _NOTE_EVERY
        return 0
