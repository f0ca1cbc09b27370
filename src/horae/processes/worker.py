"""A worker: the claimer claims runs, the slots execute them, and the reporter reports them. Claiming and reporting run
concurrently, on two connections; the heartbeat has a third, on its own thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar

from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Meters
from horae.domain.cluster.process import Beat, WorkerSign
from horae.domain.cluster.readiness import STARTING, Readiness
from horae.domain.cluster.trouble import trouble_task
from horae.domain.jobs.function_path import PATHS_CHANGED
from horae.domain.runs.attempt import Attempt
from horae.domain.runs.events import Event
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import REMOTE_CHANGED
from horae.domain.runs.states import StopReason, WorkerStatus
from horae.ports import Clock, Controller, Executor, Hint, Ids
from horae.processes.allowances import Allowances
from horae.processes.blocked import Watcher
from horae.processes.claimer import Claimer
from horae.processes.draining import Draining
from horae.processes.heartbeat import Heart, Heartbeat, HeartbeatThread, OpenHeartbeat
from horae.processes.host import surely_dead
from horae.processes.logbook import LogBook
from horae.processes.loop import Loop, log, measure, patiently, troubled
from horae.processes.message_claimer import MessageClaimer
from horae.processes.neighbours import IsDead, NeighbourWatch
from horae.processes.presence import Presence
from horae.processes.reporter import Reporter
from horae.processes.settings import WorkerSettings
from horae.processes.slots import Slots
from horae.processes.starter import Starter
from horae.processes.tracker import Tracker

_DEADLINE_SWEEP = 0.25


class Worker:
    """`open_controller` is called on the heartbeat's thread, for one of its own. What it asks its machine are class
    attributes: a simulation has its own machines."""

    surely_dead: ClassVar[IsDead] = surely_dead
    heart: ClassVar[Callable[[OpenHeartbeat], Heart]] = HeartbeatThread
    watcher: ClassVar[Callable[[Clock], Watcher]] = Watcher

    def __init__(
        self,
        sign: WorkerSign,
        controller: Controller,
        executors: Mapping[str, Executor],
        settings: WorkerSettings,
        *,
        clock: Clock,
        ids: Ids,
        open_controller: Callable[[], Awaitable[Controller]],
        hints_arrive: Callable[[], bool],
    ) -> None:
        self._settings, self._clock = settings, clock
        self.meters = Meters()
        self.hints_trouble: Callable[[], str | None] = lambda: None  # why hints do not arrive: reported, not fatal
        self._open_controller = open_controller
        self._draining = False
        self._turning = False
        self._main: asyncio.AbstractEventLoop | None = None
        self._watcher = type(self).watcher(clock)
        self._heart = type(self).heart(self._open_heartbeat)
        book = LogBook(clock, settings.log_limit)
        self._allowances = Allowances(controller, clock)
        book.keep = self._allowances.keep
        self._reporter = Reporter(controller, book, self._reported, more_soon=lambda: self._starter.busy)
        self._slots = Slots(executors, clock, book, self._done, grace=settings.grace)
        self._starter = Starter(sign.id, controller, settings, clock, self._slots, self._reporter)
        self._stopping = Draining(self._slots, self._starter, executors, settings)
        self._messages = settings.messages
        self._claimer = (Claimer if settings.messages is None else MessageClaimer)(
            sign, controller, settings, self._heart, self._starter, clock=clock, ids=ids, hints_arrive=hints_arrive
        )
        self._reporting = Loop("report", self._reporter.step, self._reporter.wake)
        self._reporting_aside = Loop("report aside", self._reporter.aside.step, self._reporter.aside.wake)
        self._deadlines = Loop("deadlines", self._sweep_deadlines)
        self._watch = NeighbourWatch(
            controller, sign.host, clock, ask_every=settings.heartbeat, is_dead=type(self).surely_dead
        )
        self._watching = Loop("neighbours", self._watch.look)
        remote = settings.remote
        self._tracker = None if remote is None else Tracker(sign.id, *remote, clock, lease=settings.lease)
        self._presence = Presence(sign, controller, settings, clock, self._claimer.offer)
        self._registered = False
        self._measure()

    def _measure(self) -> None:
        meters = self._claimer.meters = self.meters
        self._seconds = meters.histograms(metrics.ATTEMPTS)
        measure(self._loops, meters)
        meters.level(metrics.OWN_SLOTS, lambda: self.sign.slots)
        meters.level(metrics.OWN_BUSY, lambda: len(self._slots))
        meters.level(metrics.OWN_AHEAD, lambda: self._starter.ahead)
        meters.level(metrics.DRAINING, lambda: self._draining)

    def readiness(self) -> Readiness:
        """Whether it takes runs now."""
        if not self._registered:
            return STARTING
        following = () if self._tracker is None else self._tracker.loops  # it takes runs without them
        troubles = [loop.trouble for loop in self._loops if loop not in following] + [self._heart.trouble]
        reasons = [f"it keeps failing to {trouble_task(text)}" for text in troubles if text is not None]
        if self._draining:
            reasons.append("it is draining")
        return Readiness(tuple(dict.fromkeys(reasons)), leaving=self._draining)

    @property
    def sign(self) -> WorkerSign:
        return self._claimer.sign

    async def run(self, stop: asyncio.Event, stop_now: asyncio.Event) -> None:
        """Works until `stop` is set, then drains; `stop_now` cuts the draining short."""
        self._main = asyncio.get_running_loop()
        await patiently(self._presence.sign_on, stop)
        self._registered = not stop.is_set()
        await self._heart.start()
        self._watcher.start()
        log.info("worker ready", worker=self.sign.id, slots=self.sign.slots, offers=list(self.sign.offers))
        tasks = {loop: asyncio.create_task(loop.run()) for loop in self._loops}
        if self._messages is not None:
            wake = self._claimer.loop.wake.set
            self._messages.start(lambda: self._from_any_thread(wake))
        await stop.wait()
        self._take_nothing_more()
        self._claimer.loop.stop()
        self._heart.poke()
        await self._stopping.drain(tasks[self._claimer.loop], stop_now)
        for loop in self._loops:
            loop.stop()
        await asyncio.gather(*tasks.values())
        if self._messages is not None:
            await self._messages.close()
        if self._tracker is not None:
            await self._tracker.close()
        await self._stopping.release()  # runs from a claim that took longer than the draining
        await self._reporter.flush()
        await self._allowances.flush()
        self._watcher.stop()
        await self._heart.stop()
        await self._presence.say_goodbye(self._reporter.done)

    def _take_nothing_more(self) -> None:
        self._draining = self._claimer.resting = self._starter.closed = True
        if self._messages is not None:
            self._messages.want(0)

    def _done(self, attempt: Attempt, outcome: Outcome, seconds: float) -> None:
        self._seconds[outcome.kind, attempt.job.target.kind].observe(seconds)
        self._reporter.add(attempt, outcome, seconds)
        self._starter.ended(seconds)
        if not self._turning:
            self._turning = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        """Once for all the runs that ended in one turn of the event loop: if they are short, for most of the slots."""
        self._turning = False
        self._reporter.wake.set()
        self._starter.fill()
        self._reported()

    def _reported(self) -> None:
        if self._starter.hungry:
            self._claimer.loop.wake.set()

    @property
    def _loops(self) -> tuple[Loop, ...]:
        about_runs = (self._claimer.loop, self._reporting, self._reporting_aside, self._deadlines)
        tracking = () if self._tracker is None else self._tracker.loops
        return (*about_runs, *tracking, self._watching, self._presence.loop, self._allowances.loop)

    async def _sweep_deadlines(self) -> float:
        self._watcher.turned()
        self._slots.sweep()
        if self._starter.stuck:
            self._claimer.loop.wake.set()
        return _DEADLINE_SWEEP

    def observe(self, event: Event) -> None:
        """What this worker's store has committed."""
        if self._tracker is not None:
            self._tracker.observe(event)

    def on_hint(self, hint: Hint) -> None:
        topic, _, about = hint.partition(":")
        if topic == "runs":
            self._claimer.on_hint(about)
        elif topic == "cancel" and about in ("", self.sign.id):
            self._heart.poke()
        elif hint == REMOTE_CHANGED and self._tracker is not None:
            self._tracker.on_hint()
        elif hint == PATHS_CHANGED:
            self._presence.look()
        elif topic == "workers" and about in ("", self.sign.host.key):
            self._watch.ask()
            self._watching.wake.set()

    # Called by the heartbeat, from its thread

    async def _open_heartbeat(self) -> tuple[Heartbeat, Controller]:
        controller = await self._open_controller()
        return Heartbeat(self, controller, self._clock, self._settings), controller

    def held(self) -> dict[str, str]:
        # If a run was lost and claimed again, the later attempt: the earlier one may wait to be reported.
        return {**self._reporter.held(), **self._slots.held(), **self._starter.held()}

    def beat(self) -> Beat:
        busy = len(self._slots)
        status = WorkerStatus.DRAINING if self._draining else WorkerStatus.BUSY if busy else WorkerStatus.IDLE
        return Beat(status, busy, self._reporter.done, troubled(self._loops) or self.hints_trouble())

    def rest(self) -> None:
        """A drain was requested. The process stays: a supervisor would only restart it."""
        if not self._draining:
            log.info("asked to drain: taking no new runs", runs=len(self._slots))
        self._take_nothing_more()
        self._from_any_thread(self._claimer.loop.wake.set)

    def _from_any_thread(self, act: Callable[[], None]) -> None:
        if self._main is not None and not self._main.is_closed():
            self._main.call_soon_threadsafe(act)

    def renewed(self, run_id: str, token: str, until: float) -> None:
        self._slots.renewed(run_id, token, until)
        self._starter.renewed(run_id, token, until)

    def stop_run(self, run_id: str, token: str, reason: StopReason) -> None:
        if reason is StopReason.LEASE_LOST:
            self.renewed(run_id, token, 0)  # at once: the main loop may be blocked
        if self._main is not None:
            self._main.call_soon_threadsafe(self._stop, run_id, token, reason)

    def _stop(self, run_id: str, token: str, reason: StopReason) -> None:
        if not self._starter.stop(run_id, token, reason):
            self._slots.stop(run_id, token, reason)
