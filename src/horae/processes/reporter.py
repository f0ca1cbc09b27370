"""Group commit: reports outcomes in batches, on its own connection. While one batch commits, the worker claims and
executes the next. Log lines take the same path, so that an attempt's output is never behind its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from horae.domain.errors import HoraeError, QuotaContended
from horae.domain.runs.attempt import Attempt
from horae.domain.runs.ending import Finished, FinishReport
from horae.domain.runs.log import LogLines, Progress
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.domain.text.checks import storable
from horae.ports import Controller
from horae.processes.aside import Aside
from horae.processes.logbook import LogBook
from horae.processes.loop import Wake, log
from horae.processes.results import BATCH, BATCH_SIZE, Done, cut, size_of

_ENOUGH = 750  # results that justify a transaction while others are about to come
_LINGER, _LINGERS = 0.01, 5  # seconds that fewer wait for those, and how often
_HEAVY = 4 * BATCH_SIZE
_LOG_PAUSE = 0.15  # seconds that output waits for more


class Reporter:
    """`more_soon` tells whether other runs are about to end: then it is worth waiting for them, for a moment."""

    def __init__(
        self,
        controller: Controller,
        book: LogBook,
        on_reported: Callable[[], None],
        more_soon: Callable[[], bool] = lambda: False,
    ) -> None:
        self._controller, self._book, self._on_reported = controller, book, on_reported
        self._more_soon = more_soon
        self._waiting: list[Done] = []
        self._batch: list[Done] = []
        self.aside = Aside(self._report_aside)
        self._logs: list[LogLines] = []
        self._progress: list[Progress] = []
        self._one_by_one = False
        self._size = 0  # of unreported results
        self.wake = Wake()
        self.done = 0
        book.on_pending = self._log_soon

    @property
    def unreported(self) -> int:
        return len(self._waiting) + len(self._batch) + len(self.aside)

    @property
    def heavy(self) -> bool:
        """Whether the waiting results are large, all together."""
        return self._size > _HEAVY

    def held(self) -> dict[str, str]:
        """Run id → token of ended but unreported runs: their leases must not expire meanwhile."""
        return {attempt.run.id: attempt.run.token for attempt, _, _ in [*self.aside, *self._batch, *self._waiting]}

    def add(self, attempt: Attempt, outcome: Outcome, seconds: float) -> None:
        """To be reported at the next `wake`."""
        if attempt.stop is not StopReason.LEASE_LOST:  # then another worker reports it
            self._waiting.append((attempt, _storable(outcome), seconds))
            self._size += size_of(outcome)

    def _log_soon(self) -> None:
        """Output is written while its attempt runs, for followers; not line by line."""
        asyncio.get_running_loop().call_later(_LOG_PAUSE, self.wake.set)

    async def step(self) -> float | None:
        """Writes one batch; what could not be written is kept and retried."""
        await self._gather()
        self._logs += self._book.take()
        self._progress += self._book.take_progress()
        if not self._batch:
            self._batch, self._waiting = cut(self._waiting, 1 if self._one_by_one else BATCH)
        await self._write_long_logs()
        if self._batch:
            await self._report()
        elif self._logs or self._progress:
            await self._controller.append(self._logs, self._progress)
            self._logs, self._progress = [], []
        if self._batch or self._waiting:
            return 0
        self._one_by_one = False
        return _LOG_PAUSE if self._book.pending else None

    async def _gather(self) -> None:
        """Waits for more results, so that one transaction carries many, however few slots they came from."""
        for _ in range(_LINGERS):
            if not self._waiting or len(self._waiting) >= _ENOUGH or self._one_by_one or not self._more_soon():
                return
            await asyncio.sleep(_LINGER)

    async def _write_long_logs(self) -> None:
        """All but the last chunk of what is too long for one transaction."""
        while True:
            piece, rest = _first_piece(self._logs)
            if not rest:
                return
            await self._controller.append(piece)
            self._logs = rest

    async def _report(self) -> None:
        try:
            report = await self._finish(self._batch, self._logs, self._progress)
        except QuotaContended as error:
            self._batch = self.aside.take(self._batch, error.project_ids)
            return
        except HoraeError:
            raise  # the database is unreachable or busy: no result is at fault
        except Exception as error:
            self._blame(error)
            return
        reported, self._batch, self._logs, self._progress = self._batch, [], [], []
        self._reported(reported, report)

    def _reported(self, batch: Sequence[Done], report: FinishReport) -> None:
        self.done += len(batch)
        self._size = sum(size_of(outcome) for _, outcome, _ in [*self.aside, *self._waiting]) if self._size else 0
        self._on_reported()
        if report.refused:
            log.warning("results refused: the leases were lost meanwhile", runs=list(report.refused))

    async def _report_aside(self, batch: Sequence[Done]) -> None:
        try:
            report = await self._finish(batch, wait=True)
        except HoraeError:
            raise
        except Exception:  # one by one, to find the culprit
            self._one_by_one = True
            self._waiting += batch
            self.wake.set()
            return
        self._reported(batch, report)

    async def _finish(
        self,
        batch: Sequence[Done],
        logs: Sequence[LogLines] = (),
        progress: Sequence[Progress] = (),
        *,
        wait: bool = False,
    ) -> FinishReport:
        return await self._controller.finish(
            [Finished(attempt.run, outcome, int(seconds * 1000)) for attempt, outcome, seconds in batch],
            {(attempt.run.job_id, attempt.run.version): attempt.job for attempt, _, _ in batch},
            logs,
            progress,
            wait=wait,
        )

    def _blame(self, error: Exception) -> None:
        """One result that the database refuses must not block the others: they are reported one by one, and one that
        fails alone is reported as a failure."""
        log.error("results could not be stored", runs=len(self._batch), exc_info=error)
        if len(self._batch) > 1:
            self._one_by_one = True
            self._batch, self._waiting = [], self._batch + self._waiting
            return
        attempt, outcome, seconds = self._batch[0]
        message = f"its result could not be stored: {type(error).__name__}"
        if outcome.error == message:  # even that failed: the lease will expire, and the attempt count as lost
            self._batch = []
            return
        self._logs, self._progress = [], []
        self._batch = [(attempt, Outcome(AttemptOutcome.FAILED, error=message, permanent=True), seconds)]

    async def flush(self) -> None:
        """Writes everything, or as much as the database accepts."""
        try:
            while self._waiting or self._batch or self._book.pending or self._logs or self._progress:
                await self.step()
            while len(self.aside):
                await self.aside.report_some()
        except HoraeError as error:
            log.warning("results not reported", runs=self.unreported, reason=str(error))


def _storable(outcome: Outcome) -> Outcome:
    if outcome.error is None and outcome.traceback is None:  # results are JSON, which escapes unusual characters
        return outcome
    return replace(outcome, error=storable(outcome.error), traceback=storable(outcome.traceback))


def _first_piece(lines: list[LogLines]) -> tuple[list[LogLines], list[LogLines]]:
    for count, size in _sizes(lines):
        if size > BATCH_SIZE and count:
            return lines[:count], lines[count:]
    return lines, []


def _sizes(lines: list[LogLines]) -> Iterator[tuple[int, int]]:
    size = 0
    for count, line in enumerate(lines):
        size += len(line.text)
        yield count, size
