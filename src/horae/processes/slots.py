"""Slots: the attempts that a worker is executing. They are started, checked against their deadlines, stopped, and
handed on when they end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from horae.domain.runs.attempt import Attempt, LogSink
from horae.domain.runs.claim import Claimed
from horae.domain.runs.last_words import with_last_words
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import StopReason
from horae.lifecycle.execute import execute, stopped
from horae.ports import Clock, Executor
from horae.processes.logbook import AttemptLog, LogBook
from horae.processes.prefetch import Ready
from horae.processes.vault import Opened

OnDone = Callable[[Attempt, Outcome, float], None]


Key = tuple[str, str]
"""Run id and token: a worker may get a run again while its lost attempt is still dying."""


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
        self._running: dict[Key, tuple[Attempt, asyncio.Task[None]]] = {}

    def __len__(self) -> int:
        return len(self._running)

    @property
    def longest_grace(self) -> float:
        """Seconds that running attempts may take to end when asked to."""
        return max((attempt.grace for attempt, _ in self._running.values()), default=0.0)

    def held(self) -> dict[str, str]:
        """Run id → token of all running attempts."""
        return dict(list(self._running))

    def start(self, some: Sequence[Ready]) -> list[Claimed]:
        """Starts all of them at once; returns them with their actual start."""
        now, create_task = self._clock.monotonic(), asyncio.get_running_loop().create_task
        started: list[Claimed] = []
        for ready in some:
            written: list[AttemptLog] = []  # one, if it writes anything
            attempt = self._attempt(ready, now, written)
            task = create_task(self._perform(attempt, ready.opened, written))
            run = attempt.run
            self._running[run.id, run.token] = (attempt, task)
            started.append(run)
        return started

    def refuse(self, ready: Ready, reason: StopReason) -> None:
        """The attempt ends before it began."""
        attempt = self._attempt(ready, self._clock.monotonic(), [])
        attempt.stop = reason
        self._on_done(attempt, stopped(attempt, reason), 0.0)

    def _attempt(self, ready: Ready, now: float, written: list[AttemptLog]) -> Attempt:
        job, opened = ready.job, ready.opened
        run = ready.begins(now)

        def open_log() -> LogSink:
            log = self._book.sink(run)
            written.append(log)
            return log if opened is None else opened.log(log)

        return Attempt(
            run,
            job,
            now + job.timeout,
            open_log,
            grace=self._grace if job.grace is None else job.grace,
            secrets={} if opened is None else opened.values,
            lease=ready.lease,
        )

    async def _perform(self, attempt: Attempt, opened: Opened | None, written: list[AttemptLog]) -> None:
        began = self._clock.monotonic()
        if attempt.stop is None and attempt.lease.until < began:  # it took long to get here: another worker may have it
            attempt.stop = StopReason.LEASE_LOST
        try:
            if attempt.stop is not None:
                outcome = stopped(attempt, attempt.stop)
            elif opened is not None and opened.fault is not None:
                outcome = opened.fault
            else:
                outcome = await execute(attempt, self._executors)
            if opened is not None:
                outcome = opened.outcome(outcome)
            if written:
                outcome = with_last_words(outcome, written[0].last_words)
        finally:
            del self._running[attempt.run.id, attempt.run.token]
        self._on_done(attempt, outcome, self._clock.monotonic() - began)

    def sweep(self) -> None:
        """Stops what has passed its deadline."""
        now = self._clock.monotonic()
        for key, (attempt, _) in list(self._running.items()):
            if attempt.deadline < now and attempt.stop is None:
                self.stop(*key, StopReason.TIMEOUT)

    def stop(self, run_id: str, token: str, reason: StopReason) -> None:
        """Ends an attempt. Losing the lease outranks every other reason: then it must be dead at once."""
        attempt, task = self._running.get((run_id, token), (None, None))
        if attempt is None or task is None:
            return
        if attempt.stop is None or (reason is StopReason.LEASE_LOST and attempt.stop is not StopReason.LEASE_LOST):
            attempt.stop = reason
            # Not at once: a task that is cancelled before its first step never runs, and its slot would stay taken.
            asyncio.get_running_loop().call_soon(task.cancel)

    def renewed(self, run_id: str, token: str, until: float) -> None:
        """The attempt's lease is valid until then, 0 if it is lost. From any thread."""
        attempt, _ = self._running.get((run_id, token), (None, None))
        if attempt is not None:
            attempt.lease.move(until)

    def stop_all(self, reason: StopReason) -> None:
        for key in list(self._running):
            self.stop(*key, reason)

    async def drained(self) -> None:
        """Returns when nothing is running."""
        while self._running:
            await asyncio.wait(self._tasks())

    def _tasks(self) -> Iterable[asyncio.Task[None]]:
        return [task for _, task in self._running.values()]
