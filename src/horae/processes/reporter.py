"""Reports what came of attempts, in batches, on a connection of its own: while one batch commits, the worker claims and
executes the next. Log lines go the same way, so that an attempt's output is never behind its end."""

from __future__ import annotations

from collections.abc import Callable

from horae.domain.attempt import Attempt
from horae.domain.errors import StoreUnavailable
from horae.domain.outcome import Outcome
from horae.domain.run import Finished, LogLines
from horae.domain.states import StopReason
from horae.lifecycle.finish import FinishReport, finish
from horae.ports import Ids, Store, Transaction
from horae.processes.logbook import LogBook
from horae.processes.loop import Wake, log

BATCH = 1000
_LOG_PAUSE = 0.25


class Reporter:
    def __init__(self, store: Store, ids: Ids, book: LogBook, on_reported: Callable[[], None]) -> None:
        self._store, self._ids, self._book, self._on_reported = store, ids, book, on_reported
        self._waiting: list[tuple[Attempt, Outcome, float]] = []
        self._under_way: list[tuple[Attempt, Outcome, float]] = []
        self._logs: list[LogLines] = []
        self.wake = Wake()
        self.done = 0

    @property
    def unreported(self) -> int:
        return len(self._waiting) + len(self._under_way)

    def add(self, attempt: Attempt, outcome: Outcome, seconds: float) -> None:
        if attempt.stop is not StopReason.LEASE_LOST:  # no longer this worker's to report
            self._waiting.append((attempt, outcome, seconds))
        self.wake.set()

    async def step(self) -> float | None:
        """Writes one batch; what could not be written is kept and tried again."""
        if not self._under_way:
            self._under_way, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
        if not self._logs:
            self._logs = self._book.take()
        if self._under_way:
            await self._finish()
        elif self._logs:
            await self._store.transact(_append, self._logs)
        self._logs = []
        if self._waiting:
            return 0
        return _LOG_PAUSE if self._book.pending or self._under_way else None

    async def _finish(self) -> None:
        batch = self._under_way
        report: FinishReport = await self._store.transact(
            finish,
            finished=[Finished(attempt.run, outcome, int(seconds * 1000)) for attempt, outcome, seconds in batch],
            specs={(attempt.run.job_id, attempt.run.version): attempt.job for attempt, _, _ in batch},
            chance=self._ids.chance,
            logs=self._logs,
        )
        self.done += len(batch)
        self._under_way = []
        self._on_reported()
        if report.refused:
            log.warning("results refused: the leases were lost meanwhile", runs=list(report.refused))

    async def flush(self) -> None:
        """Writes everything there is, or as much as the database takes."""
        try:
            while self._waiting or self._under_way or self._book.pending or self._logs:
                await self.step()
        except StoreUnavailable as error:
            log.warning("results not reported", runs=self.unreported, reason=str(error))


async def _append(tx: Transaction, lines: list[LogLines]) -> None:
    await tx.logs.append(lines)
