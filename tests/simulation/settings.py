"""What kind of world a seed makes: short times, so that leases run out often, and few of everything."""

from __future__ import annotations

import random
from dataclasses import dataclass

from horae.processes.settings import SchedulerSettings, WorkerSettings


@dataclass(frozen=True)
class Settings:
    schedulers: int
    workers: int
    jobs: int
    people: int
    seconds: float  # with faults and people; the world then calms down
    worker: WorkerSettings
    scheduler: SchedulerSettings
    outage: float = 0.0  # halfway

    @property
    def lease(self) -> float:
        return self.worker.lease

    @classmethod
    def of(cls, seed: str) -> Settings:
        chance = random.Random(f"{seed}/settings")
        lease = chance.choice((4.5, 6.0, 9.0))
        prefetch = random.Random(f"{seed}/prefetch").choice((0, 2, 5, 20))
        return cls(
            schedulers=chance.choice((1, 2, 2, 3)),
            workers=chance.choice((1, 2, 2, 3)),
            jobs=chance.randint(2, 5),
            people=chance.randint(1, 2),
            seconds=chance.choice((25.0, 40.0, 60.0)),
            worker=WorkerSettings(
                slots=chance.choice((1, 2, 4)),
                prefetch=prefetch,
                short=100.0,  # attempts take long here
                horizon=60.0,
                poll=1.0,
                poll_max=4.0,
                lease=lease,
                heartbeat=lease / 3,
                drain_timeout=chance.choice((0.5, 3.0)),
                grace=0.5,
            ),
            scheduler=SchedulerSettings(
                poll=1.0, batch=chance.choice((1, 3, 1000)), shard_lease=chance.choice((4.5, 6.0)), sweep=2.0
            ),
            outage=chance.choice((0.0, 0.0, 75.0, 120.0)),
        )
