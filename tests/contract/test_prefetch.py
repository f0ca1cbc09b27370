"""A real worker that claims ahead of its slots: few claims for many short runs, and nothing stays behind long ones."""

from __future__ import annotations

import asyncio
from typing import Any

from horae.domain.runs.attempt import Attempt
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from tests.contract.cost import counted
from tests.contract.working import Prompt, working
from tests.contract.world import RunStatus, World
from tests.waiting import until

SLOTS = 4
FAR = 60.0  # seconds of a horizon that is always reached
LONG = 60.0  # seconds: runs count as short however slow the machine is, or nothing would be claimed ahead of the slots


class Stopping(Prompt):
    """Is done at once with the first so many runs, and holds on to what comes after them."""

    def __init__(self, quick: int) -> None:
        self._quick = quick
        self.begun: list[str] = []
        self.most = 0
        self.busy = 0
        self.go_on = asyncio.Event()

    async def execute(self, attempt: Attempt) -> Outcome:
        self.begun.append(attempt.run.id)
        self.busy += 1
        self.most = max(self.most, self.busy)
        if len(self.begun) <= self._quick:
            self.busy -= 1
        else:
            await self.go_on.wait()
        return SUCCEEDED


async def ahead(world: World) -> list[str]:
    """The ids of what a worker has claimed, and is not shown as started."""
    now = await world.now()
    return [row["id"] for row in await world.live() if row["status"] == "running" and row["started_at"] > now]


async def waiting_ahead(world: World, executor: Stopping) -> list[str]:
    """Once all slots are taken for long: what waits for them. Of what has begun, the rows do not know it yet."""

    async def found() -> Any:
        return executor.busy == SLOTS and set(await ahead(world)) - set(executor.begun)

    return list(await until(found))


async def history(world: World) -> list[dict[str, Any]]:
    return await world.rows("SELECT id, status, attempt, started_at, finished_at FROM run_history")


async def test_many_short_runs_take_few_claims(world: World) -> None:
    await world.trigger(await world.job(), 400)
    observed, meter = await counted(world, 2)

    async def all_ended() -> Any:
        return len(await history(world)) == 400

    async with working(observed, slots=SLOTS, horizon=FAR):
        await until(all_ended, timeout=30)
    claims = sum("UPDATE runs SET status = 'running'" in sql for sql in meter.round_trips)
    assert claims < 400 / SLOTS / 2
    for run in await history(world):
        assert (run["status"], run["attempt"]) == ("succeeded", 1)
        assert run["started_at"] <= run["finished_at"]


async def test_without_prefetch_a_claim_is_for_free_slots_alone(world: World) -> None:
    await world.trigger(await world.job(), 40)
    executor = Stopping(20)
    async with working(world, executor, slots=SLOTS, horizon=FAR, prefetch=0):
        await until(lambda: len(executor.begun) == 20 + SLOTS)
        assert await ahead(world) == []
        executor.go_on.set()


async def test_nothing_stays_behind_long_runs(world: World) -> None:
    """Another worker has it soon, each run begins once, and none counts an attempt for having waited."""
    await world.trigger(await world.job(), 60)
    blocked, free = Stopping(20), Stopping(60)
    async with working(world, blocked, slots=SLOTS, horizon=FAR, ahead_for=0.4):
        await until(lambda: len(blocked.begun) == 20 + SLOTS)
        async with working(world, free, slots=SLOTS, horizon=FAR) as other:

            async def taken() -> Any:
                other.on_hint("runs:default")
                return len(await history(world)) == 60 - SLOTS

            await until(taken, timeout=30)
        blocked.go_on.set()
    ended = await history(world)
    assert len(blocked.begun) + len(free.begun) == len({*blocked.begun, *free.begun}) == len(ended) == 60
    assert {(run["status"], run["attempt"]) for run in ended} == {("succeeded", 1)}
    assert blocked.most == SLOTS


async def test_a_cancel_ends_it_without_a_start(world: World) -> None:
    await world.trigger(await world.job(), 40)
    executor = Stopping(20)
    async with working(world, executor, slots=SLOTS, horizon=FAR, ahead_for=600, short=LONG) as worker:
        (run_id, *_) = await waiting_ahead(world, executor)
        await world.cancel(run_id)
        worker.on_hint(f"cancel:{worker.sign.id}")

        async def cancelled() -> Any:
            return [run["status"] for run in await history(world) if run["id"] == run_id]

        assert await until(cancelled) == [RunStatus.CANCELLED]
        executor.go_on.set()
    assert run_id not in executor.begun


async def test_a_worker_that_stops_gives_it_back(world: World) -> None:
    await world.trigger(await world.job(), 40)
    executor = Stopping(20)
    async with working(world, executor, slots=SLOTS, horizon=FAR, ahead_for=600, short=LONG, drain_timeout=30):
        waiting = await waiting_ahead(world, executor)
        executor.go_on.set()
    left = {row["id"]: row for row in await world.live()}
    assert len(left) + len(await history(world)) == 40
    assert all((row["status"], row["attempt"], row["uncounted"]) == ("queued", 0, 0) for row in left.values())
    assert not {*waiting} & {*left} & {*executor.begun}


async def test_runs_with_a_single_attempt_are_not_prefetched(world: World) -> None:
    """If the worker died, it would fail without ever having begun."""
    await world.trigger(await world.job(retry={"max_attempts": 1}), 40)
    executor = Stopping(20)
    async with working(world, executor, slots=SLOTS, horizon=FAR, ahead_for=600, short=LONG):

        async def given_back() -> Any:
            return len(executor.begun) == 20 + SLOTS and not await ahead(world)

        await until(given_back)
        executor.go_on.set()
    assert {run["attempt"] for run in await history(world)} == {1}
