"""Attempts for executors, with a bounded log that can be read, and the worker's way of stopping them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import orjson

from horae.domain.jobs.job import JobSpec
from horae.domain.runs.attempt import Attempt
from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import StopReason
from horae.ports import Executor

INSTANT = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Log:
    """Keeps the first `limit` characters, and counts the rest."""

    def __init__(self, limit: int = 1 << 20) -> None:
        self.limit = limit
        self.entries: list[tuple[str, str]] = []
        self.seen = 0
        self.told: list[tuple[float, str | None]] = []

    def write(self, stream: str, text: str) -> None:
        if self.seen < self.limit:
            self.entries.append((stream, text[: self.limit - self.seen]))
        self.seen += len(text)

    def progress(self, fraction: float, note: str | None) -> None:
        self.told.append((fraction, note))

    def text(self, stream: str = "stdout") -> str:
        return "".join(text for name, text in self.entries if name == stream)


def make_attempt(
    target: dict[str, Any],
    *,
    input: str | None = None,
    number: int = 1,
    grace: float = 5,
    scheduled: bool = True,
    log: Log | None = None,
) -> tuple[Attempt, Log]:
    log = log or Log()
    run = Claimed(
        id="0195-run",
        job_id="0195-job",
        version=1,
        project_id="0195-project",
        trigger="schedule" if scheduled else "api",
        scheduled_for=INSTANT if scheduled else None,
        attempt=number,
        uncounted=0,
        input=input,
        due_at=INSTANT,
        started_at=INSTANT,
        token="token",
    )
    text = orjson.dumps({"name": "a job", "target": target})
    job = JobSpec.model_validate_json(text, context={"stored": True})  # as a worker reads it
    return Attempt(run=run, job=job, deadline=1e12, open_log=lambda: log, grace=grace), log


class Running:
    """An attempt under way."""

    def __init__(self, executor: Executor, attempt: Attempt) -> None:
        self.attempt = attempt
        self.task: asyncio.Task[Outcome] = asyncio.create_task(executor.execute(attempt))

    def stop(self, reason: StopReason) -> None:
        """As a worker does it."""
        self.attempt.stop = reason
        self.task.cancel()

    async def is_stopped(self) -> bool:
        """Waits for the end: True if the stop was passed on, False if there is an outcome all the same."""
        await asyncio.wait([self.task])
        return self.task.cancelled()


@asynccontextmanager
async def running(executor: Executor, attempt: Attempt) -> AsyncIterator[Running]:
    it = Running(executor, attempt)
    try:
        yield it
    finally:
        if not it.task.done():
            it.stop(StopReason.LEASE_LOST)
            await asyncio.wait([it.task])
