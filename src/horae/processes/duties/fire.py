"""Fire: the due jobs of this scheduler's shards get their runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horae.domain.jobs.fault import LeftOut
from horae.lifecycle.fire import Fired, fire, idle_for
from horae.ports import Transaction
from horae.processes.duties.duty import Duty, Post
from horae.processes.duties.fire_apart import fire_one
from horae.processes.loop import log

_LOCKED_ELSEWHERE = 0.01  # a due job whose row another transaction had locked
_TRIES = 4  # projects whose lock is tried again at every step, without waiting for it


class FireDuty(Duty):
    name = "fire"
    topics = frozenset({"jobs"})

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self._due = True
        self._asked_at = 0.0
        post.gained = self.on_hint

    def on_hint(self) -> None:
        self._due = True
        super().on_hint()

    async def step(self) -> float | None:
        post = self.post
        if not post.shards:
            return post.settings.poll
        if not self._due:
            return await self._look()
        self._due = False
        try:
            fired: Fired = await post.store.transact(
                self._fire,
                shards=post.shards,
                limit=post.settings.batch,
                scheduler_id=post.sign.id,
                passing=len(post.left_out),
                without=[*post.contention],
            )
            self._leave_out(fired.left_out)
            post.contention.add(fired.contended)
            await self._try_contended()
        except BaseException:
            self._due = True
            raise
        return self._until(fired.idle_for, busy=fired.more, since=self._asked_at)

    async def _fire(self, tx: Transaction, **asked: Any) -> Fired:
        """Notes when the database said how long nothing is due: the commit and observers take their time."""
        fired = await fire(tx, **asked)
        self._asked_at = self.post.clock.monotonic()
        return fired

    async def _try_contended(self) -> None:
        """Usually the lock is free again by now. Those that have to wait do so elsewhere."""
        for _ in range(_TRIES):
            project_id = self.post.contention.next()
            if project_id is None:
                return
            await fire_one(self.post, project_id)

    def _leave_out(self, left_out: Sequence[LeftOut]) -> None:
        """Jobs whose definition cannot be read wait, and are logged once. The sweep reports them to other processes."""
        before = self.post.left_out
        if self.post.contention:  # some projects were not looked at
            left_out = tuple({*before, *left_out})
        for one in left_out:
            if one not in before:
                log.warning(
                    "cannot read a job: it does not fire until it is fixed, or until a scheduler that can read it owns "
                    "its shard",
                    job=one.job_id,
                    version=one.version,
                    reason=one.reason,
                )
        for job_id in {one.job_id for one in before} - {one.job_id for one in left_out}:
            log.info("a job that could not be read can be read again, or was deleted", job=job_id)
        self.post.left_out = tuple(left_out)

    async def _look(self) -> float:
        """Queries when the next job is due: hints about new and changed jobs may be lost."""
        left_out = {(one.job_id, one.version) for one in self.post.left_out}
        return self._until(await self.post.store.read(idle_for, shards=self.post.shards, left_out=left_out))

    def _until(self, seconds: float | None, *, busy: bool = False, since: float | None = None) -> float:
        post = self.post
        longest = post.settings.poll * (5 if post.hints_arrive() else 1)
        if seconds is None or seconds > longest:
            return longest * (0.75 + 0.25 * post.ids.chance())
        self._due = True
        if busy:
            return 0
        passed = 0 if since is None else post.clock.monotonic() - since
        return max(seconds - passed, 0) if seconds > 0 else _LOCKED_ELSEWHERE
