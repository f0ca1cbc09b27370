"""What happens to the cluster while it works: one thing after the other, chosen by the seed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from tests.faults.proxy import Proxy
from tests.soak.series import Recording
from tests.soak.town import Town

LEASE, SHARD_LEASE = 15.0, 6.0


class Strikes:
    def __init__(self, town: Town, proxy: Proxy | None, seed: int, recording: Recording) -> None:
        self._town, self._proxy = town, proxy
        self._chance = Random(f"strikes {seed}")
        self._recording = recording

    async def go_on(self, every: float, now: Callable[[], float]) -> None:
        """Strikes, waits, strikes again."""
        kinds: list[Callable[[], Awaitable[str | None]]] = [
            self._kill_worker,
            self._stop_worker,
            self._pause_worker,
            self._kill_scheduler,
            self._pause_scheduler,
        ]
        if self._proxy is not None:
            kinds += [self._cut, self._refuse, self._slow_down, self._silence, self._lose_reply]
        while True:
            await asyncio.sleep(every * (0.5 + self._chance.random()))
            began = now()
            what = await self._chance.choice(kinds)()
            if what is not None:
                self._recording.mark(began, what)

    async def _kill_worker(self) -> str | None:
        place = self._town.victim(self._chance, "worker")
        if place is None:
            return None
        await self._town.kill(place)
        return f"{place.name}: kill -9"

    async def _stop_worker(self) -> str | None:
        place = self._town.victim(self._chance, "worker")
        if place is None:
            return None
        await self._town.stop(place)
        return f"{place.name}: stopped in order"

    async def _kill_scheduler(self) -> str | None:
        place = self._town.victim(self._chance, "scheduler")
        if place is None:
            return None
        await self._town.kill(place)
        return f"{place.name}: kill -9"

    async def _pause_worker(self) -> str | None:
        return await self._pause("worker", LEASE)

    async def _pause_scheduler(self) -> str | None:
        return await self._pause("scheduler", SHARD_LEASE)

    async def _pause(self, role: str, lease: float) -> str | None:
        place = self._town.victim(self._chance, role)
        if place is None:
            return None
        seconds = lease * (0.5 + 1.5 * self._chance.random())
        if role == "worker":
            self._town.asleep.add(place.member.id)
        place.member.pause()
        await asyncio.sleep(seconds)
        place.member.resume()
        return f"{place.name}: paused for {seconds:.0f} s"

    # The way to the database

    async def _cut(self) -> str:
        assert self._proxy is not None
        count = self._proxy.connections
        self._proxy.cut()
        return f"{count} connections cut"

    async def _refuse(self) -> str:
        assert self._proxy is not None
        self._proxy.refuse()
        await asyncio.sleep(3)
        self._proxy.accept()
        return "database away for 3 s"

    async def _silence(self) -> str:
        assert self._proxy is not None
        self._proxy.silence()
        await asyncio.sleep(3)
        self._proxy.speak()
        return "network silent for 3 s"

    async def _slow_down(self) -> str:
        assert self._proxy is not None
        self._proxy.delay = 0.1
        await asyncio.sleep(5)
        self._proxy.delay = 0.0
        return "100 ms each way for 5 s"

    async def _lose_reply(self) -> str:
        assert self._proxy is not None
        trap = self._proxy.lose_reply("run_history", skip=self._chance.randrange(5))
        try:
            async with asyncio.timeout(10):
                await trap.sprung.wait()
        except TimeoutError:
            trap.sprung.set()
        self._proxy.traps.remove(trap)
        return "the reply to a commit lost"
