"""Publish: the outbox of a broker. Walks over the due runs of carried queues, in portions: publishes those that nobody
has published, and those that are still queued long after they were. One scheduler of a cluster does it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from horae.domain.runs.claimable import Claimable
from horae.domain.runs.publication import Position, Published, PublishStep, RunLane, claimable
from horae.domain.text.ids import NIL
from horae.lifecycle.queues import chosen_engines
from horae.ports import Transaction
from horae.processes.duties.duty import Duty, Post
from horae.processes.loop import log

_PORTION = 2_000  # runs of a lane that are read at a time
_AHEAD = 3.0  # seconds: runs that are due soon are remembered, and published in time
_PAUSE = 1.0  # seconds between two looks
_REMEMBERED = 20_000  # runs to look at again


class PublishDuty(Duty):
    name = "publish"
    topics = frozenset({"publish"})

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self._seen: dict[tuple[str, int, str], Position] = {}  # lane → how far it has been walked
        self._again: dict[str, float] = {}  # run → when to look at it again, by Clock.monotonic
        self._walk_at = 0.0  # when to walk from the beginning
        self._full = False  # whether the walk goes on: what it has published itself must not count as a long queue
        self._depths: Mapping[str, int] = {}
        self._choice = post.settings.engines.choice

    def on_hint(self) -> None:
        """A queue was resumed, or its engine chosen."""
        self._walk_at = 0.0
        super().on_hint()

    async def step(self) -> float | None:
        post, publisher, engines = self.post, self.post.settings.publisher, self.post.settings.engines
        if publisher is None:
            return None
        if engines.choice.has_broker:
            engines.learn(await post.store.read(chosen_engines))
        if engines.choice is not self._choice:
            self._choice, self._walk_at = engines.choice, 0.0
        if not post.is_first or not engines.choice.broker:
            self._walk_at, self._full = 0.0, False
            self._again.clear()
            return post.settings.sweep
        now = post.clock.monotonic()
        lanes = await post.store.read(lambda tx: tx.publications.lanes(engines.carried))
        if now >= self._walk_at and not self._full:
            self._seen.clear()
            self._depths = await publisher.depths({lane.queue for lane in lanes}) if lanes else {}
            self._walk_at = now + post.settings.republishing.after / 4
        self._full = await self._walk(lanes) if lanes else False
        await self._look_again()
        return 0 if self._full else self._pause()

    async def _walk(self, lanes: Sequence[RunLane]) -> bool:
        """One portion of each lane; True if there is more."""
        self._seen = {lane.key: self._seen[lane.key] for lane in lanes if lane.key in self._seen}
        start = [(lane, self._seen.get(lane.key) or Position(lane.first, NIL)) for lane in lanes]
        found, now = await self.post.store.read(_due, start)
        due: dict[PublishStep, list[Claimable]] = {PublishStep.PUBLISH: [], PublishStep.AGAIN: []}
        counts: dict[tuple[str, int, str], int] = {}
        seen = dict(self._seen)
        for lane, run in found:
            counts[lane.key] = counts.get(lane.key, 0) + 1
            seen[lane.key] = max(seen.get(lane.key, run.position), run.position)
            step = self.post.settings.republishing.step(run, now, self._depths.get(lane.queue, 0))
            if step in due:
                due[step].append(claimable(lane, run))
            elif step is PublishStep.LOOK_AGAIN:
                self._remember(run, now)
        await self._publish(due[PublishStep.PUBLISH])
        await self._publish(due[PublishStep.AGAIN], again=True)
        self._seen = seen  # not before: what could not be published is found again
        return max(counts.values(), default=0) >= _PORTION

    def _remember(self, run: Published, now: datetime) -> None:
        if len(self._again) < _REMEMBERED:  # the next walk finds the others
            wait = self.post.settings.republishing.look_again_in(run, now)
            self._again.setdefault(run.id, self.post.clock.monotonic() + wait)

    async def _look_again(self) -> None:
        now = self.post.clock.monotonic()
        due = [run_id for run_id, at in self._again.items() if at <= now]
        for start in range(0, len(due), _PORTION):
            some = due[start : start + _PORTION]
            await self._publish(await self.post.store.read(_unpublished, some))
            for run_id in some:
                del self._again[run_id]

    async def _publish(self, runs: Sequence[Claimable], *, again: bool = False) -> None:
        if runs and self.post.settings.publisher is not None:
            await self.post.settings.publisher.publish(runs, again=again)
            await self.post.store.transact(_confirm, [run.id for run in runs])
            log.debug("published", runs=len(runs), again=again)

    def _pause(self) -> float:
        now = self.post.clock.monotonic()
        soonest = min(self._again.values(), default=now + _PAUSE)
        return min(max(soonest - now, 0.005), _PAUSE)


async def _due(
    tx: Transaction, start: Sequence[tuple[RunLane, Position]]
) -> tuple[list[tuple[RunLane, Published]], datetime]:
    return await tx.publications.due(start, within=_AHEAD, limit=_PORTION), await tx.now()


async def _unpublished(tx: Transaction, run_ids: Collection[str]) -> list[Claimable]:
    return await tx.publications.unpublished(run_ids)


async def _confirm(tx: Transaction, run_ids: Collection[str]) -> None:
    await tx.publications.confirm(run_ids)
