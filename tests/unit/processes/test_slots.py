"""The attempts of a worker: whatever happens to one, its slot becomes free and its outcome is passed on once."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from horae.clock import SystemClock
from horae.domain.jobs.job import JobSpec
from horae.domain.runs.attempt import Attempt, Lease
from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.domain.targets import ScriptTarget
from horae.processes.logbook import LogBook
from horae.processes.prefetch import Arrival, Ready
from horae.processes.slots import Slots
from tests.waiting import until

JOB = JobSpec(name="a job", target=ScriptTarget(source="true"))
NOW = datetime(2026, 3, 1, tzinfo=UTC)
CLOCK = SystemClock()


class Stubborn:
    """Executes an attempt until it is released by its token, even if it is asked to stop."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.attempts: list[Attempt] = []
        self.may_end: dict[str, asyncio.Event] = {}

    def offers(self) -> Iterable[str]:
        return ("script",)

    async def execute(self, attempt: Attempt) -> Outcome:
        token = attempt.run.token
        self.begun.append(token)
        self.attempts.append(attempt)
        end = self.may_end.setdefault(token, asyncio.Event())
        while not end.is_set():
            with suppress(asyncio.CancelledError):
                await end.wait()
        if attempt.stop is not None:
            raise asyncio.CancelledError
        return SUCCEEDED

    async def close(self) -> None:
        pass


class Bench:
    def __init__(self) -> None:
        self.executor = Stubborn()
        self.done: list[tuple[str, AttemptOutcome]] = []
        self.slots = Slots({"script": self.executor}, CLOCK, LogBook(CLOCK, 1_000), self._on_done, grace=1)

    def _on_done(self, attempt: Attempt, outcome: Outcome, seconds: float) -> None:
        self.done.append((attempt.run.token, outcome.kind))

    def start(self, run_id: str, token: str, lease: float = 60, grace: float | None = None) -> float:
        """Until when its lease holds."""
        run = Claimed(run_id, "job", 1, "project", "api", None, 1, 0, None, NOW, NOW, token)
        until = CLOCK.monotonic() + lease
        job, arrival = JOB.model_copy(update={"grace": grace}), Arrival(CLOCK.monotonic(), NOW)
        self.slots.start([Ready(run, job, None, Lease(until), arrival)])
        return until

    async def ends(self, token: str) -> None:
        """Lets an attempt end, if it ever began, and waits for its outcome."""
        await until(lambda: token in self.executor.begun or self.told(token))
        if token in self.executor.may_end:
            self.executor.may_end[token].set()
        await until(lambda: self.told(token))

    def told(self, token: str) -> bool:
        return any(token == known for known, _ in self.done)


@pytest.fixture
async def bench() -> Bench:
    return Bench()


async def test_an_attempt_stopped_before_it_begins_ends(bench: Bench) -> None:
    bench.start("run", "first")
    bench.slots.stop_all(StopReason.SHUTDOWN)
    await bench.ends("first")
    assert bench.done == [("first", AttemptOutcome.INTERRUPTED)]
    assert len(bench.slots) == 0


async def test_a_job_may_have_its_own_grace(bench: Bench) -> None:
    for token, grace in (("worker's", None), ("own", 30.0), ("none", 0.0)):
        bench.start(f"run {token}", token, grace=grace)
    await until(lambda: len(bench.executor.begun) == 3)
    assert [attempt.grace for attempt in bench.executor.attempts] == [1, 30, 0]
    assert bench.slots.longest_grace == 30, "so long a shutdown waits"
    await bench.ends("own")
    assert bench.slots.longest_grace == 1
    for token in ("worker's", "none"):
        await bench.ends(token)
    assert bench.slots.longest_grace == 0


async def test_an_attempt_with_an_expired_lease_is_not_started(bench: Bench) -> None:
    """The worker may have been suspended since it claimed the run, and another worker may have it."""
    bench.start("run", "first", lease=-1)
    await until(lambda: bench.done)
    assert (bench.done, bench.executor.begun) == ([("first", AttemptOutcome.LOST)], [])
    assert len(bench.slots) == 0


async def test_a_run_comes_again_while_its_lost_attempt_is_still_dying(bench: Bench) -> None:
    bench.start("run", "first")
    await until(lambda: bench.executor.begun)
    bench.slots.stop("run", "first", StopReason.LEASE_LOST)
    bench.start("run", "second")
    assert len(bench.slots) == 2
    await bench.ends("first")
    assert bench.slots.held() == {"run": "second"}
    await bench.ends("second")
    assert bench.done == [("first", AttemptOutcome.LOST), ("second", AttemptOutcome.SUCCEEDED)]
    assert len(bench.slots) == 0


async def test_lease_followers_are_called_on_renewal(bench: Bench) -> None:
    first = bench.start("run", "first")
    attempt = await until(lambda: bench.executor.attempts)
    moves: list[float] = []
    attempt[0].lease.follow(moves.append)
    bench.slots.renewed("run", "first", 20)
    bench.slots.renewed("run", "of somebody else", 30)
    bench.slots.renewed("run", "first", 0)
    assert moves == [first, 20, 0]
    attempt[0].lease.follow(None)
    bench.slots.renewed("run", "first", 40)
    assert moves == [first, 20, 0]
    await bench.ends("first")
