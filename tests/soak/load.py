"""Jobs of every kind on schedules, and people who trigger, edit, cancel, follow and list, through the API."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

import horae
from horae.clock import SystemClock
from horae.domain.errors import HoraeError
from tests.faults.stage import RETRY, Stage
from tests.soak.town import Town

Json = dict[str, Any]
NOTED = 10
UNAVAILABLE = (HoraeError, OSError)  # someone is being struck just now


def python(function: str, **arguments: Any) -> Json:
    return {"kind": "python", "function": function, "arguments": arguments}


class People:
    """Each does one thing over and over. What the API acknowledged goes to the checker."""

    def __init__(self, stage: Stage, town: Town, token: str) -> None:
        self._stage, self._town = stage, town
        self._chance = Random(stage.seed)
        self._client = horae.AsyncClient(f"http://127.0.0.1:{town.port}", token)
        self.asked = 0
        self.refused = 0
        self.careful: set[str] = set()  # the jobs whose every attempt is written down

    async def close(self) -> None:
        await self._client.close()

    async def settle(self, seconds: float) -> None:
        """The jobs that are there from the beginning, and end with the soak."""
        path = str(self._stage.oracle.path)
        for n in range(NOTED):
            target = python("noted", path=path, seconds=n % 3)
            self.careful |= set(await self._stage.plan(1, every=2 + n, times=int(seconds / (2 + n)), target=target))
        health = f"http://127.0.0.1:{self._town.port}/health"
        end = (SystemClock().now() + timedelta(seconds=seconds)).isoformat()
        scheduled: list[tuple[str, Json, str]] = [
            *((f"brief-{n}", python("brief", size=2_000), "1s") for n in range(10)),
            *((f"talkative-{n}", python("talkative", lines=200), "5s") for n in range(2)),
            *((f"script-{n}", {"kind": "script", "source": "seq 1 50"}, "3s") for n in range(3)),
            *((f"http-{n}", {"kind": "http", "url": health}, "2s") for n in range(3)),
            ("heavy", python("heavy", size=20_000_000), "5s"),
        ]
        for name, target, every in scheduled:
            await self._client.jobs.create(
                name=name,
                target=target,
                schedule={"every": every, "end_at": end},
                retry={"max_attempts": 3, "delay": 1},
            )
        moody = {"max_attempts": 2, "delay": 1}
        await self._client.jobs.create(name="moody", target=python("moody", share=0.5), retry=moody, overlap="allow")
        asked = await self._client.jobs.create(
            name="asked", target=python("noted", path=path), overlap="allow", retry=RETRY
        )
        self.careful.add(asked["id"])
        await self._client.jobs.create(name="sleeper", target=python("sleeper", seconds=600), overlap="allow")

    async def live(self) -> None:
        async with asyncio.TaskGroup() as group:
            for act, pause in (
                (self._trigger, 0.5),
                (self._try_luck, 1.0),
                (self._cancel, 3.0),
                (self._edit, 7.0),
                (self._list, 1.0),
                (self._follow, 5.0),
                (self._redrive, 15.0),
            ):
                group.create_task(self._over_and_over(act, pause))

    async def _over_and_over(self, act: Callable[[], Awaitable[None]], pause: float) -> None:
        while True:
            try:
                async with asyncio.timeout(60):
                    await act()
            except (*UNAVAILABLE, TimeoutError):
                self.refused += 1
            await asyncio.sleep(pause * (0.5 + self._chance.random()))

    async def _trigger(self) -> None:
        runs = await self._client.jobs.run_many("asked", [{} for _ in range(20)])
        self._stage.checker.asked |= {run["id"] for run in runs}
        self.asked += len(runs)

    async def _try_luck(self) -> None:
        await self._client.jobs.run("moody")

    async def _cancel(self) -> None:
        run = await self._client.jobs.run("sleeper")
        await asyncio.sleep(self._chance.random())
        await self._client.runs.cancel(run["id"])

    async def _edit(self) -> None:
        name = f"brief-{self._chance.randrange(10)}"
        await self._client.jobs.edit(name, priority=self._chance.randrange(10))

    async def _list(self) -> None:
        async for _ in self._client.runs.list(status="succeeded", limit=50):
            pass

    async def _follow(self) -> None:
        run = await self._client.jobs.run("talkative-0")
        with suppress(TimeoutError):
            async with asyncio.timeout(10):
                async for _ in self._client.runs.follow(run["id"]):
                    pass

    async def _redrive(self) -> None:
        await self._client.dead_letters.redrive(filter={"job": "moody"})
