"""A simulated operating-system process: its threads, connections, clock and fate."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from horae.domain.cluster.process import Host
from horae.ports import Hint
from horae.store.dialects.sqlite import SqliteDialect
from horae.store.store import SqlStore
from tests.simulation.connection import VERB, SimulatedConnection
from tests.simulation.faults import Fault
from tests.simulation.loop import Actor, pause
from tests.simulation.sources import LocalClock, SeededIds

if TYPE_CHECKING:
    from tests.simulation.world import World

_LATENCIES = ((0.90, 0.002), (0.985, 0.03), (1.0, 0.4))
_NEVER = 10**9
DIALECT = SqliteDialect()


class NamingStore(SqlStore):
    """The real store, which exposes the verb that runs and whose store it is."""

    process: Process

    async def _repeated(self, once: Any, verb: Any, *args: Any, **kwargs: Any) -> Any:
        VERB.set(getattr(verb, "__name__", str(verb)).lstrip("_"))  # rules know `fire` also by what wraps it
        return await super()._repeated(once, verb, *args, **kwargs)


class Process:
    """`name` is the role, the place and which one in this place: `worker-1.3`."""

    def __init__(self, world: World, name: str, host: int) -> None:
        self.world, self.name = world, name
        self.chance = random.Random(f"{world.seed}/{name}")
        self.place = int(name.partition("-")[2].partition(".")[0])
        self.main = Actor(name)
        self.heart = Actor(f"{name}/heart", self.main)
        skew = self.chance.choice((0, 0, 0, 1)) * self.chance.uniform(-3600, 3600)
        self.clock = LocalClock(world.loop.time, world.begin, skew=skew, booted=self.chance.uniform(0, 10_000))
        self.ids = SeededIds(self.clock, self.chance)
        self.pid = world.next_pid()
        self.host = Host(f"host-{host}", "simulated", f"boot-{host}", self.pid, self.pid)
        self.connections: dict[SimulatedConnection, None] = {}
        self.stop = asyncio.Event()
        self.stop_now = asyncio.Event()
        self.alive = True
        self.id = ""
        self.serving: NamingStore | None = None
        self._points = self._hints = 0

    def store(self, connections: int) -> NamingStore:
        store = NamingStore(
            self._connect,
            DIALECT,
            self.ids,
            shard_count=self.world.shard_count,
            connections=connections,
        )
        store.process, store.send = self, self.send
        store.engine = self.world.engine(self, store)
        return store

    async def _connect(self) -> SimulatedConnection:
        return await SimulatedConnection(self).open()

    async def send(self, hints: Any) -> None:
        await self.world.bus.send(self, sorted(hints))

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        self.world.loop.begin(self.main, work)

    # Fate

    def draw(self, *, commit: bool) -> tuple[Fault | None, float]:
        """What happens at this point, and how long the statement is on its way."""
        self._points += 1
        fault = self.world.faults.at(self.name, self._points, self.chance, commit=commit)
        kind, share = self.chance.random(), self.chance.random()
        longest = next(seconds for limit, seconds in _LATENCIES if kind < limit)
        return fault, 0.0002 + share * longest

    def hint_fault(self) -> str | None:
        self._hints += 1
        return self.world.faults.hint(self.name, self._hints, self.chance)

    async def suffer(self, fault: Fault) -> None:
        lease = self.world.settings.lease
        if fault.kind == "crash":
            await self.die("crash")
        elif fault.kind == "stop":
            self.halt(lease * (0.5 + 2.5 * fault.seconds))
            await pause(0)
        elif fault.kind == "skew":
            self.clock.skew += (fault.seconds - 0.5) * 7200
        elif fault.kind == "slow":
            await pause(fault.seconds * 1.5 * lease)
        elif fault.kind == "terminate":
            self.stop.set()

    async def die(self, how: str) -> None:
        self.kill(how)
        await asyncio.get_running_loop().create_future()

    def halt(self, seconds: float) -> None:
        """SIGSTOP, and SIGCONT later."""
        for actor in (self.main, self.heart):
            self.world.loop.stop_actor(actor)
        self.world.outside.context.run(self.world.loop.call_later, seconds, self.go_on)

    def go_on(self) -> None:
        if self.alive and (self.main.stopped or self.heart.stopped):
            self.world.trace.note(self.name, "goes on")
            for actor in (self.main, self.heart):
                self.world.loop.continue_actor(actor)

    def kill(self, how: str) -> None:
        """kill -9: nothing of it runs any more, and the database rolls back what it had begun."""
        if not self.alive:
            return
        self.alive = False
        self.world.trace.note(self.name, f"dies: {how}")
        for actor in (self.main, self.heart):
            self.world.loop.kill(actor)
        for connection in list(self.connections):
            connection.drop()
        self.world.works.died(self)
        self.world.gone(self)

    def on_hint(self, hint: Hint) -> None:
        """Replaced by the role that runs here."""
