"""What attempts do, and who is at which run: an executor that takes virtual time, and a book of all live work.

Work is a child of its worker, as in reality: it goes on while the worker is stopped, and ends by itself, when the
worker ends it, when the worker is dead, or when the lease that its supervisor knows expires.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from horae.domain.runs.attempt import Attempt
from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import AttemptOutcome, StopReason
from tests.simulation.loop import pause

if TYPE_CHECKING:
    from tests.simulation.process import Process
    from tests.simulation.world import World

_FAILED = Outcome(AttemptOutcome.FAILED, error="it broke")
_PERMANENT = Outcome(AttemptOutcome.FAILED, error="no such thing", permanent=True)
_RESULT = Outcome(AttemptOutcome.SUCCEEDED, result='{"rows": 3}')
_PARKED = Outcome(AttemptOutcome.PARKED, response_code=202, park_for=20)
OUTCOMES = (SUCCEEDED,) * 6 + (_RESULT, _FAILED, _FAILED, _FAILED, _PERMANENT, _PARKED, _PARKED)


@dataclass(eq=False)
class Work:
    process: Process
    run: Claimed
    began: float
    until: float  # when it ends by itself
    lease_until: float = field(default=float("inf"))
    over: bool = False

    def alive(self, now: float) -> bool:
        return not self.over and now < min(self.until, self.lease_until)

    def lease_moved(self, until: float) -> None:
        """Called by the heartbeat, in the worker's own time."""
        self.lease_until = until - self.process.clock.booted


class Works:
    def __init__(self, world: World) -> None:
        self._world = world
        self._live: dict[str, list[Work]] = {}
        self.tokens: set[tuple[str, str]] = set()  # of all that began
        self.parking: dict[str, tuple[str, int]] = {}  # run and attempt of all remote work, by token

    def begin(self, process: Process, run: Claimed, seconds: float) -> Work:
        now = self._world.loop.time()
        work = Work(process, run, now, now + seconds)
        for other in self._live.get(run.id, ()):
            if other.alive(now):
                self._world.oracle.broken(
                    f"attempt {run.attempt} of a run begins in {process.name} while attempt {other.run.attempt} still "
                    f"works in {other.process.name}",
                    run=run.id,
                    job=run.job_id,
                )
        if (run.id, run.token) in self._world.oracle.released:
            self._world.oracle.broken("a run began that its worker had released", run=run.id, job=run.job_id)
        busy = sum(one.process is process and one.alive(now) for works in self._live.values() for one in works)
        if busy >= self._world.settings.worker.slots:
            self._world.oracle.broken("more runs at once than there are slots", run=run.id, job=run.job_id)
        if (run.id, run.token) in self.tokens:
            self._world.oracle.broken("an attempt was carried out twice", run=run.id, job=run.job_id)
        self.tokens.add((run.id, run.token))
        self._live.setdefault(run.id, []).append(work)
        return work

    def at_work(self, run_id: str, token: str) -> bool:
        now = self._world.loop.time()
        return any(work.run.token == token and work.alive(now) for work in self._live.get(run_id, ()))

    def end(self, work: Work) -> None:
        work.over = True
        live = self._live.get(work.run.id, [])
        if work in live:
            live.remove(work)
        if not live:
            self._live.pop(work.run.id, None)

    def died(self, process: Process) -> None:
        for works in list(self._live.values()):
            for work in list(works):
                if work.process is process:
                    self.end(work)


class SimulatedExecutor:
    """Performs `work` targets: durations and outcomes by the seed."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def offers(self) -> Iterable[str]:
        return ["python:work"]

    async def execute(self, attempt: Attempt) -> Outcome:
        process, works, chance = self._process, self._process.world.works, self._process.chance
        seconds = chance.choice((0.0, 0.01, 0.5, 3.0, 40.0)) * chance.random()
        outcome = chance.choice(OUTCOMES)
        if not process.world.faults.on:  # a long backlog is no fault, and would only take its time
            seconds, outcome = seconds / 100, SUCCEEDED
        if chance.random() < 0.05:
            attempt.log.write("stdout", f"{attempt.run.id} at work\n")
        work = works.begin(process, attempt.run, seconds)
        attempt.lease.follow(work.lease_moved)
        try:
            await self._perform(attempt, seconds)
        finally:
            attempt.lease.follow(None)
            works.end(work)
        if outcome is _PARKED:
            works.parking[attempt.run.token] = attempt.run.id, attempt.run.attempt
        return outcome

    async def _perform(self, attempt: Attempt, seconds: float) -> None:
        try:
            await pause(seconds)
        except asyncio.CancelledError:
            if attempt.stop is not StopReason.LEASE_LOST:  # it takes its time to end after a TERM
                await pause(self._process.chance.choice((0.0, 0.0, 1.0)) * self._process.chance.random())
            raise

    async def close(self) -> None:
        pass
