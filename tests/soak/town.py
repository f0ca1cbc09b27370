"""The cluster of a soak: who is there, who may be struck, and who is never struck so that it shows what time does."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from random import Random

from tests.integration.cluster.cluster import Cluster, Member, free_port

STRUCK = "struck"
SPARED = "spared"


@dataclass(slots=True)
class Place:
    """A process that is started again when it ends: its name stays, its process changes."""

    name: str
    role: str
    member: Member
    spared: bool
    deliberate: bool = False  # its end is our doing


class Town:
    def __init__(self, cluster: Cluster, url: str, *, workers: int, schedulers: int) -> None:
        self.cluster = cluster
        self._url = url  # through the proxy
        self._counts = {"scheduler": schedulers, "worker": workers, "serve": 1}
        self.port = free_port()
        self.places: list[Place] = []
        self.asleep: set[str] = set()  # ids of the workers that were put to sleep
        self.ended: list[str] = []  # by themselves: no one asked them to

    async def build(self) -> None:
        for role, count in self._counts.items():
            for n in range(count):
                spared = n == 0  # the first of each kind
                name = f"{role} {n + 1}, {SPARED}" if spared else f"{role} {n + 1}, {STRUCK}"
                self.places.append(Place(name, role, await self._start(role).ready(), spared))

    def _start(self, role: str) -> Member:
        settings = {"HORAE_DATABASE_URL": self._url, "HORAE_EXECUTORS": "http,python,script"}
        if role == "worker":
            return self.cluster.start("worker", "--import", "tests.soak.tasks", **settings)
        if role == "serve":
            settings["HORAE_PORT"] = str(self.port)
        return self.cluster.start(role, **settings)

    def victim(self, chance: Random, role: str) -> Place | None:
        """Someone of that kind who may be struck and is there."""
        there = [p for p in self.places if p.role == role and not p.spared and p.member.code is None]
        return chance.choice(there) if there else None

    async def replace(self, place: Place) -> None:
        place.member = self._start(place.role)
        await place.member.ready()
        place.deliberate = False

    async def kill(self, place: Place) -> None:
        place.deliberate = True
        await place.member.kill()
        await self.replace(place)

    async def stop(self, place: Place) -> None:
        place.deliberate = True
        code = await place.member.stop()
        if code != 0:
            self.ended.append(f"{place.name} left with {code}")
        await self.replace(place)

    async def watch(self) -> None:
        """Notes who ends without being asked to, and starts it again."""
        while True:
            for place in self.places:
                if place.member.code is not None and not place.deliberate:
                    self.ended.append(f"{place.name} ended with {place.member.code}: {place.member.output[-300:]}")
                    await self.replace(place)
            await asyncio.sleep(1)
