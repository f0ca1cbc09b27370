"""The attempts that a worker has under way: started, watched against their deadlines, stopped, handed on when over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from horae.domain.attempt import Attempt
from horae.domain.job import JobSpec
from horae.domain.outcome import Outcome
from horae.domain.run import Claimed
from horae.domain.states import StopReason
from horae.lifecycle.execute import execute
from horae.ports import Clock, Executor
from horae.processes.logbook import LogBook

OnDone = Callable[[Attempt, Outcome, float], None]


class Slots:
    """Runs attempts as tasks. No timer per attempt: `sweep` compares all deadlines with the clock."""

    def __init__(
        self,
        executors: Mapping[str, Executor],
        clock: Clock,
        book: LogBook,
        on_done: OnDone,
        *,
        grace: float,
    ) -> None:
        self._executors, self._clock, self._book, self._on_done = executors, clock, book, on_done
        self._grace = grace
        self._running: dict[str, tuple[Attempt, asyncio.Task[None]]] = {}

    def __len__(self) -> int:
        return len(self._running)

    def held(self) -> dict[str, str]:
        """Run id → token of everything under way."""
        return {run_id: attempt.run.token for run_id, (attempt, _) in list(self._running.items())}

    def start(self, run: Claimed, job: JobSpec) -> None:
        attempt = Attempt(
            run,
            job,
            self._clock.monotonic() + job.timeout,
            lambda: self._book.sink(run),
            grace=self._grace,
        )
        task = asyncio.get_running_loop().create_task(self._perform(attempt))
        self._running[run.id] = (attempt, task)

    async def _perform(self, attempt: Attempt) -> None:
        began = self._clock.monotonic()
        try:
            outcome = await execute(attempt, self._executors)
        finally:
            del self._running[attempt.run.id]
        self._on_done(attempt, outcome, self._clock.monotonic() - began)

    def sweep(self) -> None:
        """Stops what has passed its deadline."""
        now = self._clock.monotonic()
        for run_id, (attempt, _) in list(self._running.items()):
            if attempt.deadline < now and attempt.stop is None:
                self.stop(run_id, attempt.run.token, StopReason.TIMEOUT)

    def stop(self, run_id: str, token: str, reason: StopReason) -> None:
        """Ends an attempt. Losing the lease outranks every other reason: then it must be dead at once."""
        attempt, task = self._running.get(run_id, (None, None))
        if attempt is None or task is None or attempt.run.token != token:
            return
        if attempt.stop is None or (reason is StopReason.LEASE_LOST and attempt.stop is not StopReason.LEASE_LOST):
            attempt.stop = reason
            task.cancel()

    def stop_all(self, reason: StopReason) -> None:
        for run_id, token in self.held().items():
            self.stop(run_id, token, reason)

    async def drained(self) -> None:
        """Returns when nothing is under way."""
        while self._running:
            await asyncio.wait(self._tasks())

    def _tasks(self) -> Iterable[asyncio.Task[None]]:
        return [task for _, task in self._running.values()]
