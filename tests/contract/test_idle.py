"""The statements of an idle scheduler, counted: its duties are played for some minutes by a clock that is moved. Every
new duty that looks at the database on its own shows here."""

from __future__ import annotations

import heapq
from collections import Counter
from datetime import UTC, datetime

import pytest

from horae.processes.duties import Duty
from horae.processes.duties.series import SeriesDuty
from horae.processes.scheduler import Scheduler
from horae.processes.settings import SchedulerSettings
from tests.contract.cost import counted
from tests.contract.sinks import Receiver
from tests.contract.world import World, scheduler_sign

SETTLED, MINUTES = 60.0, 5
# With the beginnings and ends of transactions. PostgreSQL renews shards in one statement.
MOST = {"postgresql": 170, "sqlite": 320, "mysql": 320}  # in a minute
POLLS = 150  # more without hints: for shards that another scheduler releases, and for jobs that others change


class MovedClock:
    def __init__(self) -> None:
        self.seconds = 1_000.0

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)


async def play(duties: list[Duty], clock: MovedClock, until: float) -> None:
    """One step after the other, as their loops would."""
    turns = [(clock.seconds, n) for n in range(len(duties))]
    while turns[0][0] < until:
        clock.seconds, n = heapq.heappop(turns)
        wait = await duties[n].step()
        for other, duty in enumerate(duties):
            if duty.loop.wake._event.is_set():
                duty.loop.wake._event.clear()
                turns = [(clock.seconds if at[1] == other else at[0], at[1]) for at in turns]
        heapq.heapify(turns)
        if isinstance(duties[n], SeriesDuty):  # which waits for the database's clock, and that is not moved
            wait = 60.0
        heapq.heappush(turns, (clock.seconds + (1e9 if wait is None else wait), n))


@pytest.mark.parametrize("hints", [True, False])
async def test_an_idle_scheduler_sends_few_statements(world: World, hints: bool) -> None:
    await world.job(schedule={"cron": "0 0 1 1 *"})
    world, meter = await counted(world, 2)
    clock = MovedClock()
    scheduler = Scheduler(
        scheduler_sign(),
        world.store,
        SchedulerSettings(events=Receiver()),
        shard_count=world.store.shard_count,
        clock=clock,
        ids=world.ids,
        hints_arrive=lambda: hints,
    )
    began = clock.seconds
    await play(scheduler._duties, clock, began + SETTLED)
    meter.round_trips.clear()
    await play(scheduler._duties, clock, began + SETTLED + 60 * MINUTES)
    sent = Counter(meter.round_trips)
    assert sent.total() / MINUTES <= MOST[world.kind] + (0 if hints else POLLS), sent.most_common(20)
