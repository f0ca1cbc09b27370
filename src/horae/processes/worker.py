"""A worker: claims what it has free slots for, executes it, reports it. Claiming and reporting run at the same time,
on two connections; the heartbeat has a third, on its own thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import ClassVar

from horae.domain.errors import StoreUnavailable
from horae.domain.records import Beat, WorkerSign
from horae.domain.run import Claimant, Claimed
from horae.domain.states import StopReason, WorkerStatus
from horae.lifecycle.claim import claim, look
from horae.lifecycle.functions import register_functions
from horae.lifecycle.reservations import served
from horae.ports import Clock, Executor, Hint, Ids, Store, Transaction
from horae.processes.agenda import Agenda
from horae.processes.blocked import Watcher
from horae.processes.definitions import Definitions
from horae.processes.heartbeat import Heart, Heartbeat, HeartbeatThread, OpenHeartbeat
from horae.processes.host import surely_dead
from horae.processes.logbook import LogBook
from horae.processes.loop import Loop, log, patiently, troubled
from horae.processes.neighbours import IsDead, Watch
from horae.processes.reporter import Reporter
from horae.processes.settings import WorkerSettings
from horae.processes.slots import Slots
from horae.processes.vault import Vault

_DEADLINE_SWEEP = 0.25
_REGISTER = 600.0
_BUSY_ELSEWHERE = 0.01  # a due run that another worker was just taking


class Worker:
    """`open_store` is called on the heartbeat's thread, for a store of its own. What it has and asks of its machine are
    class attributes: a simulation has machines of its own."""

    surely_dead: ClassVar[IsDead] = surely_dead
    heart: ClassVar[Callable[[OpenHeartbeat], Heart]] = HeartbeatThread
    watcher: ClassVar[Callable[[Clock], Watcher]] = Watcher

    def __init__(
        self,
        sign: WorkerSign,
        store: Store,
        executors: Mapping[str, Executor],
        settings: WorkerSettings,
        *,
        clock: Clock,
        ids: Ids,
        open_store: Callable[[], Awaitable[Store]],
        hints_arrive: Callable[[], bool],
    ) -> None:
        self.sign = sign
        self._store, self._executors, self._settings = store, executors, settings
        self._clock, self._ids = clock, ids
        self._hints_arrive = hints_arrive
        self._open_store = open_store
        self._watcher = type(self).watcher(clock)
        self._claimant = Claimant(sign.id, sign.offers, settings.project_ids)
        self._vault = Vault(store, settings.seals)
        self._agenda = Agenda(settings.queues if settings.queues or settings.project_ids else None)
        self._definitions = Definitions(store, sign.id)
        self._idle_polls = 0
        self._token: str | None = None  # of a claim that nobody heard the end of
        self._look_at = 0.0
        self._register_at = 0.0
        self._draining = False
        self._main: asyncio.AbstractEventLoop | None = None
        book = LogBook(clock, settings.log_limit)
        self._claiming = Loop("claim", self._claim)
        self._reporter = Reporter(store, ids, book, self._claiming.wake.set)
        self._slots = Slots(executors, clock, book, self._done, grace=settings.grace)
        self._reporting = Loop("report", self._reporter.step, self._reporter.wake)
        self._deadlines = Loop("deadlines", self._sweep_deadlines)
        self._watch = Watch(store, sign.host, ids, clock, ask_every=settings.heartbeat, is_dead=type(self).surely_dead)
        self._watching = Loop("neighbours", self._watch.look)
        self._registering = Loop("functions", self._register_functions)
        self._heart = type(self).heart(self._open_heartbeat)

    async def run(self, stop: asyncio.Event, stop_now: asyncio.Event) -> None:
        """Works until `stop` is set, then drains; `stop_now` cuts the draining short."""
        self._main = asyncio.get_running_loop()
        await patiently(self._sign_on, stop)
        await self._heart.start()
        self._watcher.start()
        log.info("worker ready", worker=self.sign.id, slots=self.sign.slots, offers=list(self.sign.offers))
        tasks = {loop: asyncio.create_task(loop.run()) for loop in self._loops}
        await stop.wait()
        await self._drain(tasks[self._claiming], stop_now)
        for loop in self._loops:
            loop.stop()
        await asyncio.gather(*tasks.values())
        await self._interrupt()  # what a claim has brought that took longer than the draining
        await self._reporter.flush()
        self._watcher.stop()
        await self._heart.stop()
        await self._say_goodbye()

    async def _sign_on(self) -> None:
        await self._store.transact(_register, self.sign)
        await self._register_functions()

    async def _drain(self, claiming: asyncio.Task[None], stop_now: asyncio.Event) -> None:
        self._draining = True
        self._claiming.stop()
        self._heart.poke()
        if len(self._slots):
            log.info("draining", runs=len(self._slots), seconds=self._settings.drain_timeout)
        await _first(self._drained(claiming), stop_now.wait(), timeout=self._settings.drain_timeout)
        await self._interrupt()

    async def _drained(self, claiming: asyncio.Task[None]) -> None:
        """Nothing is under way, and nothing comes: a claim that was under way has brought what it brings."""
        await asyncio.wait([claiming])
        await self._slots.drained()

    async def _interrupt(self) -> None:
        if len(self._slots):
            log.warning("interrupting what is left; it is queued again", runs=len(self._slots))
            self._slots.stop_all(StopReason.SHUTDOWN)
            await _first(self._slots.drained(), timeout=self._slots.longest_grace + 1)
        for executor in self._executors.values():
            await executor.close()  # gives up what could not be stopped: it ends with this process
        await _first(self._slots.drained(), timeout=1)

    async def _say_goodbye(self) -> None:
        try:
            await self._store.transact(_goodbye, self.sign.id, self._reporter.done)
        except Exception as error:
            log.warning("could not say goodbye", reason=str(error))

    # Claiming

    async def _claim(self) -> float | None:
        if self._draining:
            return None
        free = self._free()
        if free < 1:
            return self._settings.poll  # woken as soon as a slot is free and its result reported
        if self._clock.monotonic() >= self._look_at:
            await self._look()
        now, again = self._clock.monotonic(), self._token is not None
        asked = self._agenda.ask(now, free)
        if not asked and not again:
            return self._pause()
        token, self._token = self._token or self._ids.new(), None
        leased_until = self._heart.leased(token, now)
        waits = None
        try:
            whole = again or self._settings.project_ids
            claims = await (self._store.transact if whole else self._store.single)(
                claim,
                claimant=self._claimant,
                token=token,
                again=again,
                queues=asked,
                limit=free,
                lease=self._settings.lease,
            )
            waits = claims.waits
            await self._start(claims.runs, leased_until)
        except StoreUnavailable:
            self._token = token  # it may have taken something: the next one asks
            raise
        finally:
            self._agenda.told(asked, waits, self._clock.monotonic())
        if claims.runs:
            self._idle_polls = 0
        return 0 if waits is None else self._pause()

    async def _look(self) -> None:
        """At all queues, now and then: hints may be lost."""
        if self._settings.project_ids:
            await self._learn_queues()
        waits = await self._store.read(look, queues=self._agenda.served, offers=self.sign.offers)
        now = self._clock.monotonic()
        self._agenda.learn(waits, now)
        self._idle_polls += 1
        longest = self._settings.poll_max if self._hints_arrive() else self._settings.poll
        poll = min(self._settings.poll * 1.5 ** min(self._idle_polls, 20), longest)
        self._look_at = now + poll * (0.75 + 0.5 * self._ids.chance())  # workers started together do not ask together

    async def _learn_queues(self) -> None:
        """Those that are reserved for its projects; somebody may have changed that."""
        asked = {"project_ids": self._settings.project_ids, "queues": self._settings.queues}
        queues = tuple(await self._store.read(served, **asked))
        if queues != self.sign.queues:
            log.info("serves the queues that are reserved for its projects", queues=list(queues))
            await self._store.transact(_serve, self.sign.id, queues)
            self.sign = replace(self.sign, queues=queues)
        self._agenda.served = queues

    def _free(self) -> int:
        """Free slots, less what is not reported yet beyond one more round of them: results must not pile up."""
        slots = self._settings.slots
        return min(slots - len(self._slots), 2 * slots - len(self._slots) - self._reporter.unreported)

    async def _start(self, runs: list[Claimed], leased_until: float) -> None:
        specs = await self._definitions.of(runs)
        started = [run for run in runs if (run.job_id, run.version) in specs]
        opened = await self._vault.open(started, specs)
        for run in started:
            self._slots.start(run, specs[run.job_id, run.version], opened.get(run.id), leased_until=leased_until)

    def _pause(self) -> float:
        """Until something is due, or it is time for another look."""
        now = self._clock.monotonic()
        due, poll = self._agenda.wait(now), max(self._look_at - now, 0)
        return poll if due is None else min(max(due, _BUSY_ELSEWHERE), poll)

    def _done(self, attempt: object, outcome: object, seconds: float) -> None:
        self._reporter.add(attempt, outcome, seconds)  # type: ignore[arg-type]
        self._claiming.wake.set()

    @property
    def _loops(self) -> tuple[Loop, ...]:
        return (self._claiming, self._reporting, self._deadlines, self._watching, self._registering)

    async def _register_functions(self) -> float:
        """Now and then: somebody may have deleted one that is still here, and `last_seen_at` tells that it is."""
        if self._clock.monotonic() >= self._register_at:
            await self._store.transact(register_functions, self._settings.functions)
            self._register_at = self._clock.monotonic() + _REGISTER
        return _REGISTER

    async def _sweep_deadlines(self) -> float:
        self._watcher.turned()
        self._slots.sweep()
        return _DEADLINE_SWEEP

    def on_hint(self, hint: Hint) -> None:
        topic, _, about = hint.partition(":")
        if topic == "runs":
            if not about:
                self._look_at = 0
            if not about or self._agenda.hint(about):
                self._claiming.wake.set()
        elif topic == "cancel" and about in ("", self.sign.id):
            self._heart.poke()
        elif topic == "workers" and about in ("", self.sign.host.key):
            self._watch.ask()
            self._watching.wake.set()

    # What the heartbeat asks and tells, from its thread

    async def _open_heartbeat(self) -> tuple[Heartbeat, Store]:
        store = await self._open_store()
        return Heartbeat(self, store, self._clock, self._settings), store

    def held(self) -> dict[str, str]:
        # Of a run that was lost and taken again, the later attempt: the earlier one may wait to be reported.
        return {**self._reporter.held(), **self._slots.held()}

    def beat(self) -> Beat:
        busy = len(self._slots)
        status = WorkerStatus.DRAINING if self._draining else WorkerStatus.BUSY if busy else WorkerStatus.IDLE
        return Beat(status, busy, self._reporter.done, troubled(self._loops))

    def rest(self) -> None:
        """Somebody asked it to take nothing more. It stays: whoever started it would only start it again."""
        if not self._draining:
            log.info("asked to drain: it takes nothing more", runs=len(self._slots))
        self._draining = True

    def renewed(self, run_id: str, token: str, until: float) -> None:
        self._slots.renewed(run_id, token, until)

    def stop_run(self, run_id: str, token: str, reason: StopReason) -> None:
        if reason is StopReason.LEASE_LOST:
            self._slots.renewed(run_id, token, 0)  # at once: the main loop may be blocked
        if self._main is not None:
            self._main.call_soon_threadsafe(self._slots.stop, run_id, token, reason)


async def _first(*waits: Awaitable[object], timeout: float) -> None:
    """Returns when one of these is over, or the time is."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    await asyncio.wait(tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _register(tx: Transaction, sign: WorkerSign) -> None:
    await tx.processes.register_worker(sign)
    tx.hint(f"workers:{sign.host.key}")  # those beside it watch it from now on


async def _serve(tx: Transaction, worker_id: str, queues: tuple[str, ...]) -> None:
    await tx.processes.set_queues(worker_id, queues)


async def _goodbye(tx: Transaction, worker_id: str, runs_done: int) -> None:
    await tx.processes.stop_worker(worker_id, runs_done)
