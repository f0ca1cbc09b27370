"""Users: they send requests to servers, and repeat them with the same ids until they get an answer. What was
acknowledged must be there from then on."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from horae.domain.errors import HoraeError, StoreUnavailable
from horae.domain.people.audit import Origin
from horae.store.store import SqlStore
from tests.simulation.loop import Actor, pause
from tests.simulation.sources import LocalClock, SeededIds

if TYPE_CHECKING:
    from tests.simulation.process import Process
    from tests.simulation.world import World


class Gone(Exception):
    """The server died while processing it."""


class People:
    def __init__(self, world: World) -> None:
        self._world = world
        self._asking: dict[asyncio.Future[Any], Process] = {}
        self.busy: set[str] = set()
        self.leaving = False
        self.acknowledged: list[Any] = []

    def start(self) -> None:
        from tests.simulation.wishes import Person

        for number in range(self._world.settings.people):
            person = Person(self._world, f"person-{number}")
            self.busy.add(person.name)
            self._world.loop.begin(person.actor, person.live())

    def left_alone(self, process: Process) -> None:
        for reply, server in list(self._asking.items()):
            if server is process and not reply.done():
                reply.set_exception(Gone())

    async def ask(self, chance: random.Random, what: Callable[[SqlStore], Awaitable[Any]]) -> Any:
        """The answer, after as many tries as it takes. Raises what the server refuses with."""
        repeated = False
        while True:
            server = self._world.processes[f"serve-{chance.randrange(2)}"]
            if not server.alive or server.serving is None:
                await pause(0.5)
                continue
            reply = self._world.loop.create_future()
            self._asking[reply] = server
            store = server.serving.on_behalf_of(Origin(repeated=repeated))
            server.begin(self._serve(what, store, reply))
            try:
                async with asyncio.timeout(20):  # a client's patience
                    return await reply
            except (StoreUnavailable, Gone, TimeoutError):
                repeated = True
                await pause(1 + chance.random())
            finally:
                self._asking.pop(reply, None)

    async def _serve(
        self, what: Callable[[SqlStore], Awaitable[Any]], store: SqlStore, reply: asyncio.Future[Any]
    ) -> None:
        try:
            result = await what(store)
        except HoraeError as error:
            if not reply.done():
                reply.set_exception(error)
            return
        if not reply.done():
            reply.set_result(result)


class Somebody:
    """One who asks: an actor that no fault hits, with its own ids."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        self.actor = Actor(name)
        self.chance = random.Random(f"{world.seed}/{name}")
        clock = LocalClock(world.loop.time, world.begin, skew=0, booted=0)
        self.ids = SeededIds(clock, self.chance)

    async def ask(self, what: Callable[[SqlStore], Awaitable[Any]]) -> Any:
        return await self.world.people.ask(self.chance, what)
