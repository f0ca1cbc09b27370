"""The claim loop of a worker: one claim after the other, from queues that are known to have something due. Claimed runs
start at once; only then does the worker query when those queues have more."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace

from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Meters
from horae.domain.cluster.process import WorkerSign
from horae.domain.errors import StoreUnavailable
from horae.domain.runs.claim import NOT_AHEAD, Ahead, Claimant, ClaimRequest, Taken
from horae.ports import Clock, Controller, Ids
from horae.processes.agenda import DueQueues
from horae.processes.heartbeat import Heart
from horae.processes.loop import Loop, log
from horae.processes.settings import WorkerSettings
from horae.processes.starter import Starter

_SLOTS_ONLY = 60.0  # seconds without prefetching, after a claim brought runs that must not wait
_BUSY_ELSEWHERE = 0.01  # seconds until another look at a due run that another worker was just claiming


class Claimer:
    """`sign` is the worker's, with the queues that it serves."""

    def __init__(
        self,
        sign: WorkerSign,
        controller: Controller,
        settings: WorkerSettings,
        heart: Heart,
        starter: Starter,
        *,
        clock: Clock,
        ids: Ids,
        hints_arrive: Callable[[], bool],
    ) -> None:
        self.sign = sign
        self._controller, self._settings, self._heart, self._starter = controller, settings, heart, starter
        self._clock, self._ids, self._hints_arrive = clock, ids, hints_arrive
        self._claimant = Claimant(sign.id, sign.offers, settings.project_ids)
        named = settings.queues if settings.queues or settings.project_ids else None
        self._agenda = DueQueues(named, settings.engines.carried)
        self._unheard: str | None = None  # the token of a claim whose reply was lost
        self._look_at = 0.0
        self._slots_only_until = 0.0  # nothing is prefetched until then, or (inf) until a claim for free slots
        self._idle_looks = 0
        self._choice = settings.engines.choice
        self.resting = False
        self.loop = Loop("claim", self.step)
        self.meters = Meters()

    def offer(self, offers: tuple[str, ...]) -> None:
        """From now on it claims what needs one of these."""
        self.sign = replace(self.sign, offers=offers)
        self._claimant = replace(self._claimant, offers=offers)
        self._look_at = 0.0
        self.loop.wake.set()

    def on_hint(self, queue: str) -> None:
        """Something came into a queue; "" means any queue."""
        if not queue:
            self._look_at = 0
        if not queue or self._agenda.hint(queue):
            self.loop.wake.set()

    def _room(self) -> tuple[int, Ahead]:
        free, ahead = self._starter.room()
        return free, NOT_AHEAD if self._clock.monotonic() < self._slots_only_until else ahead

    async def step(self) -> float | None:
        if self._starter.stuck:
            await self._starter.release()
            self._look_at = 0.0  # for runs it released itself, if there is room for them after all
        if self.resting:
            return None
        free, ahead = self._room()
        if free + ahead.runs < 1:
            return self._settings.poll  # woken as soon as there is room
        asked = self._agenda.ask(self._clock.monotonic(), free + ahead.runs)
        if not asked and self._time_to_look:
            await self._look()
            asked = self._agenda.ask(self._clock.monotonic(), free + ahead.runs)
        if not asked and self._unheard is None:
            return self._pause()
        waits = None  # there may be more right now
        try:
            taken = await self._take(asked, free, ahead)
            if taken.runs:
                self._idle_looks = 0
            if not taken.more:
                await asyncio.sleep(0)  # claimed runs start before the next query
                waits = await self._controller.look(taken.queues, self.sign.offers)
                if ahead.runs and 0 in waits.values():  # they must not be prefetched: they need a slot
                    self._slots_only_until = math.inf
        finally:
            self._agenda.told(asked, waits, self._clock.monotonic())
        if self._time_to_look:  # not earlier: a run that was just requested must not wait for it
            await self._look()
        return 0 if waits is None else self._pause()

    @property
    def _time_to_look(self) -> bool:
        return self._clock.monotonic() >= self._look_at

    async def _take(self, asked: list[str], free: int, ahead: Ahead) -> Taken:
        return await self._take_with(
            lambda token: ClaimRequest(self._claimant, token, self._settings.lease, free, asked, ahead)
        )

    async def _take_with(self, request: Callable[[str], ClaimRequest]) -> Taken:
        """Claims and starts. If the reply is lost, the next claim asks for the same runs."""
        now, again = self._clock.monotonic(), self._unheard is not None
        token, self._unheard = self._unheard or self._ids.new(), None
        leased_until = self._heart.leased(token, now)
        try:
            asked = request(token)
            taken = await self._controller.claim(asked, again=again)
            self.meters.observe(metrics.CLAIM_SECONDS, self._clock.monotonic() - now)
            self.meters.add(metrics.CLAIMS, "some" if taken.runs else "none")
            self.meters.add(metrics.CLAIMED, by=len(taken.runs))
            may_wait = await self._starter.take(taken.runs, leased_until)
        except StoreUnavailable:
            self._unheard = token
            raise
        if asked.limit and self._slots_only_until == math.inf:
            self._slots_only_until = 0.0
        if not may_wait:
            self._slots_only_until = now + _SLOTS_ONLY
        return taken

    async def _look(self) -> None:
        """At all queues, now and then: hints may be lost."""
        if self._settings.project_ids:
            await self._learn_queues()
        await self._learn_engines()
        waits = await self._controller.look(self._agenda.served, self.sign.offers)
        now = self._clock.monotonic()
        self._agenda.learn(waits, now)
        self._idle_looks += 1
        longest = self._settings.poll_max if self._hints_arrive() else self._settings.poll
        poll = min(self._settings.poll * 1.5 ** min(self._idle_looks, 20), longest)
        self._look_at = now + poll * (0.75 + 0.5 * self._ids.chance())  # spread, if started together

    async def _learn_engines(self) -> None:
        """Which queues it leaves to a broker, or takes from it. After a change it looks more often for a while: other
        processes may not have noticed it yet."""
        engines = self._settings.engines
        if not engines.choice.has_broker:
            return
        engines.learn(await self._controller.engines())
        if engines.choice is not self._choice:
            self._choice = engines.choice
            self._idle_looks = 0
            log.info("the engines of queues have changed", chosen=dict(engines.choice.chosen))

    async def _learn_queues(self) -> None:
        """Those that are reserved for its projects, which may have changed."""
        queues = tuple(await self._controller.reserved(self._settings.project_ids, self._settings.queues))
        if queues != self.sign.queues:
            log.info("serves the queues that are reserved for its projects", queues=list(queues))
            await self._controller.serve(self.sign.id, queues)
            self.sign = replace(self.sign, queues=queues)
        self._agenda.served = queues

    def _pause(self) -> float:
        """Until something is due, or it is time for another look."""
        now = self._clock.monotonic()
        due, poll = self._agenda.wait(now), max(self._look_at - now, 0)
        return poll if due is None else min(max(due, _BUSY_ELSEWHERE), poll)
