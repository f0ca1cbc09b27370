"""Random walks through the life of jobs and runs. After every step the oracle looks at the whole database.

`HORAE_WALKS=2000 pytest tests/contract/test_walks.py -k sqlite` walks as often as you like, each time elsewhere.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sqlite3
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self, TypeVar

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from sqlalchemy.engine import make_url

from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import Outcome
from horae.lifecycle.deletion import carry_out
from tests.contract.ledger import assert_accounted
from tests.contract.oracle import Oracle, Picture, changes
from tests.contract.world import (
    CANCELLED,
    FAILED,
    INTERRUPTED,
    PERMANENT,
    SUCCEEDED,
    TIMED_OUT,
    World,
)
from tests.today import seeds

T = TypeVar("T")
WALKS = int(os.environ.get("HORAE_WALKS", "0"))

some = st.integers(0, 1000)  # picks one of however many there are
limits = st.sampled_from([1, 1, 2, 3, None])
schedules = st.sampled_from(
    [{"manual": True}, {"every": "20s"}, {"every": "1h"}, {"cron": "*/7 * * * *"}, {"every": "90s", "jitter": 5}]
)
outcomes = st.sampled_from(
    [SUCCEEDED, SUCCEEDED, Outcome(SUCCEEDED.kind, result="[1]"), FAILED, FAILED, TIMED_OUT, PERMANENT, INTERRUPTED,
     CANCELLED]
)  # fmt: skip


class Walk(RuleBasedStateMachine):
    """The rules are what people, schedulers and workers do. `open_world` is set by the test."""

    open_world: Callable[[AsyncExitStack], Coroutine[Any, Any, World]]

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stack = AsyncExitStack()
        self.world = self.do(type(self).open_world(self.stack))
        self.oracle = Oracle(self.world)
        self.jobs: list[str] = []
        self.runs: list[str] = []
        self.claims: list[Claimed] = []

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def look(self, *, pruned_before: datetime | None = None) -> Picture:
        picture = self.do(self.oracle.look(pruned_before=pruned_before))
        self.jobs = sorted(picture.by_id("jobs"))
        self.runs = sorted(self.oracle.rows.keys() - self.oracle.pruned)
        return picture

    def teardown(self) -> None:
        self.do(self.stack.aclose())
        self.loop.close()

    # People

    @initialize(schedule=schedules, limit=limits)
    def begin(self, schedule: dict[str, Any], limit: int | None) -> None:
        self.do(self._create(schedule, limit, "skip", 2, None, "last"))
        self.look()

    @rule(
        schedule=schedules,
        limit=limits,
        overlap=st.sampled_from(["skip", "queue_one", "queue_all", "cancel_running", "allow"]),
        attempts=st.integers(1, 3),
        start_within=st.sampled_from([None, None, 30]),
        catch_up=st.sampled_from(["last", "all", "first", "none"]),
    )
    def create(
        self, schedule: dict[str, Any], limit: int | None, overlap: str, attempts: int, start_within: Any, catch_up: str
    ) -> None:
        self.do(self._create(schedule, limit, overlap, attempts, start_within, catch_up))
        self.look()

    async def _create(
        self, schedule: dict[str, Any], limit: int | None, overlap: str, attempts: int, start_within: Any, catch_up: str
    ) -> None:
        job = await self.world.job(
            **schedule,
            max_instances=limit,
            overlap=overlap,
            start_within=start_within,
            catch_up=catch_up,
            retry={"max_attempts": attempts, "delay": 15},
        )
        self.oracle.edited[job.id] = None

    @precondition(lambda self: self.jobs)
    @rule(which=some, count=st.integers(1, 3))
    def trigger(self, which: int, count: int) -> None:
        self.do(self.world.trigger(_of(self.jobs, which), count))
        self.look()

    @precondition(lambda self: self.runs)
    @rule(which=some)
    def cancel(self, which: int) -> None:
        self.do(self.world.cancel(_of(self.runs, which)))
        self.look()

    @precondition(lambda self: self.jobs)
    @rule(which=some, limit=limits, overlap=st.sampled_from(["skip", "queue_all", "allow"]))
    def edit_limit(self, which: int, limit: int | None, overlap: str) -> None:
        self.do(self.world.edit(_of(self.jobs, which), max_instances=limit, overlap=overlap))
        self.look()

    @precondition(lambda self: self.jobs)
    @rule(which=some, schedule=schedules)
    def edit_schedule(self, which: int, schedule: dict[str, Any]) -> None:
        before = self.do(self.world.look(_of(self.jobs, which)))
        after = self.do(self.world.edit(before, **schedule))
        since = self.oracle.edited[before.id]
        if after.version != before.version:
            self.oracle.edited[before.id] = after.fired_through
        self.look()
        if before.spec.scheduled:  # what was due under the old schedule was accounted for by its own rule
            old = replace(before, fired_through=after.fired_through)
            assert_accounted(old, self.oracle.fired(before.id), since)

    @precondition(lambda self: self.jobs)
    @rule(which=some, attempts=st.integers(1, 4))
    def edit_retry(self, which: int, attempts: int) -> None:
        before = self.do(self.world.look(_of(self.jobs, which)))
        after = self.do(self.world.edit(before, retry={"max_attempts": attempts, "delay": 15}))
        assert (after.next_run_at, after.anchor_at) == (before.next_run_at, before.anchor_at)
        self.look()

    @precondition(lambda self: len(self.jobs) > 2)
    @rule(which=some)
    def delete(self, which: int) -> None:
        job = _of(self.jobs, which)
        self.do(self.world.delete(job))
        while self.do(self.world.store.transact(carry_out)):  # of very many runs, schedulers cancel the rest
            pass
        live = [row for row in self.look().tables["runs"] if row["job_id"] == job]
        assert all(row["status"] == "running" and row["cancel_requested_at"] is not None for row in live)

    # Time

    @rule(seconds=st.sampled_from([1, 10, 25, 70, 1000, 3600, 20_000, 200_000]))
    def wait(self, seconds: float) -> None:
        self.world = self.oracle.world = self.do(self.world.after(seconds))
        self.look()

    # Schedulers

    @rule(limit=st.sampled_from([1, 2, 100]))
    def fire(self, limit: int) -> None:
        before = self.oracle.before
        fired = self.do(self.world.fire(limit=limit))
        after = self.look()
        assert before is not None
        assert fired.jobs or not changes(before, after)

    @rule()
    def fire_all(self) -> None:
        while self.do(self.world.fire()).jobs:
            pass
        self.look()

    @rule(limit=st.sampled_from([1, 100]))
    def recover(self, limit: int) -> None:
        now = self.do(self.world.now())
        self.do(self.world.recover(limit=limit))
        over = [row for row in self.look().tables["runs"] if row["lease_until"] and row["lease_until"] < now]
        assert limit == 1 or not over, "a lease that ran out is left"

    @rule()
    def expire(self) -> None:
        self.do(self.world.expire())
        self.look()

    @rule(limit=st.sampled_from([1, 3, 1000]))
    def roll_up(self, limit: int) -> None:
        self.do(self.world.roll_up(limit=limit))
        self.look()

    @rule(limit=st.sampled_from([2, 500]))
    def prune(self, limit: int) -> None:
        self.do(self.world.prune(days=1, limit=limit))
        self.look(pruned_before=self.do(self.world.now()) - timedelta(days=1))

    # Workers

    @rule(limit=st.integers(1, 4))
    def claim(self, limit: int) -> None:
        claimed = self.do(self.world.claim(limit))
        assert len(claimed) <= limit
        self.claims += claimed
        live = self.look().by_id("runs")
        assert all((live[run.id]["token"], live[run.id]["attempt"]) == (run.token, run.attempt) for run in claimed)

    @precondition(lambda self: self.claims)
    @rule(which=some, outcome=outcomes)
    def finish(self, which: int, outcome: Outcome) -> None:
        """Any claim so far: most of these runs belong to another worker by now, and are refused."""
        self._finish(_of(self.claims[::-1], which), outcome)

    @precondition(lambda self: self._late())
    @rule(which=some, outcome=outcomes)
    def finish_late(self, which: int, outcome: Outcome) -> None:
        self._finish(_of(self._late(), which), outcome)

    def _late(self) -> list[Claimed]:
        """Attempts that were taken away, of runs that go on."""
        live = self.oracle.before.by_id("runs") if self.oracle.before else {}
        return [run for run in self.claims if run.id in live and live[run.id]["token"] != run.token]

    def _finish(self, run: Claimed, outcome: Outcome) -> None:
        before = self.oracle.before
        assert before is not None
        held = before.by_id("runs").get(run.id, {}).get("token") == run.token
        report = self.do(self.world.finish(run, outcome=outcome))
        after = self.look()
        assert report.refused == (() if held else (run.id,))
        assert held or not changes(before, after)
        if held and outcome.kind is SUCCEEDED.kind:
            assert after.by_id("run_history")[run.id]["status"] == "succeeded"

    @rule(outcome=outcomes)
    def finish_all(self, outcome: Outcome) -> None:
        """Everything that is running; it leaves room for what waits."""
        tokens = {row["token"] for row in self.look().tables["runs"]}
        running = [run for run in self.claims if run.token in tokens]
        if running:
            self.do(self.world.finish(*running, outcome=outcome))
        self.look()


def _of(things: list[T], which: int) -> T:
    return things[which % len(things)]


def walk(
    open_world: Callable[[AsyncExitStack], Coroutine[Any, Any, World]],
    examples: int,
    steps: int,
    *,
    new: bool = False,
) -> None:
    """The same walks in every run of the tests, or those that are `new` today."""
    machine = type("Walk", (Walk,), {"open_world": staticmethod(open_world)})
    run_state_machine_as_test(
        seed(seeds(1)[0])(machine) if new else machine,
        settings=settings(
            max_examples=WALKS or examples,
            stateful_step_count=steps,
            derandomize=not WALKS and not new,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


# ---- SQLite: in memory, inline, with its own clock


class Hands:
    """A clock that moves on demand, and ids that follow it."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 28, 12, tzinfo=UTC)
        self._count = itertools.count()

    def now(self) -> datetime:
        self.at += timedelta(microseconds=7)
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def new(self) -> str:
        millis, count = int(self.at.timestamp() * 1000), next(self._count)
        return f"{millis >> 16:08x}-{millis & 0xFFFF:04x}-7{count >> 12 & 0xFFF:03x}-8{count & 0xFFF:03x}-000000000000"

    def chance(self) -> float:
        return 0.5


class InlineWorld(World):
    async def after(self, seconds: float) -> Self:
        assert isinstance(self.clock, Hands)
        self.clock.at += timedelta(seconds=seconds)
        return self


@pytest.fixture
def memory(template: Callable[[str], str]) -> Iterator[Callable[[], str]]:
    """`memory()` is the URL of a migrated database in memory; it exists as long as the test."""
    source = sqlite3.connect(str(make_url(template("sqlite")).database))
    kept: list[sqlite3.Connection] = []

    def make() -> str:
        path = f"file:walk-{os.getpid()}-{len(kept)}?mode=memory&cache=shared"
        if kept:
            kept[-1].close()
        kept.append(sqlite3.connect(path, uri=True))
        source.backup(kept[-1])
        return f"sqlite:///{path}"

    yield make
    for connection in [source, *kept]:
        connection.close()


@pytest.mark.sqlite
@pytest.mark.timeout(900)  # a walk that fails is shortened first
@pytest.mark.parametrize(("examples", "new"), [(120, False), (40, True)], ids=["same", "new"])
def test_walks_on_sqlite(memory: Callable[[], str], examples: int, new: bool) -> None:
    async def open_world(stack: AsyncExitStack) -> World:
        hands = Hands()
        return await InlineWorld.open(memory(), stack, clock=hands, ids=hands, inline=True, connections=1)

    walk(open_world, examples=examples, steps=50, new=new)


# ---- servers: with real time, moved by the store's shift


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in ("postgresql", "mysql")]
)
@pytest.mark.timeout(900)
def test_walks_on_servers(kind: str, template: Callable[[str], str], make_database: Callable[..., str]) -> None:
    async def open_world(stack: AsyncExitStack) -> World:
        return await World.open(make_database(kind, like=template(kind)), stack, connections=1)

    walk(open_world, examples=6, steps=30)
