"""A world: one database, some processes, people who want something, and a seed that decides the rest."""

from __future__ import annotations

import random
import sys
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog

from horae.domain.cluster.process import Host
from horae.domain.errors import BrokerUnavailable
from horae.engines.database import DatabaseEngine
from horae.ports import Engine
from horae.processes import loop as product_loop
from horae.processes.duties import DUTIES, Duty
from horae.processes.settings import SchedulerSettings, WorkerSettings
from horae.store.dialects.sqlite import SqliteConnection
from tests.simulation import database, quiet, roles
from tests.simulation.bus import Bus
from tests.simulation.connection import Change, Wires, WriteLock
from tests.simulation.faults import Faults
from tests.simulation.loop import Actor, VirtualLoop, pause
from tests.simulation.mirror import Mirror, Step
from tests.simulation.oracle import Oracle, Violation
from tests.simulation.people import People
from tests.simulation.process import NamingStore, Process
from tests.simulation.promises import Promises
from tests.simulation.settings import Settings
from tests.simulation.sources import BEGIN
from tests.simulation.trace import Trace
from tests.simulation.work import Works

_SUSPICIOUS = ("a step failed and will be repeated", "results could not be stored", "the heartbeat ended")


class World:
    wishes: tuple[str, ...] = ()  # of people, beside those of every world
    delays: tuple[float, ...] = (0.05, 0.5, 3.0)  # until someone starts another process in a dead one's place
    duties: Sequence[type[Duty]] = DUTIES  # of its schedulers

    def __init__(
        self, seed: str, path: str, *, keep: Collection[str] | None = None, settings: Settings | None = None
    ) -> None:
        self.seed, self.database = seed, path
        self.settings = settings or Settings.of(seed)
        self.loop = VirtualLoop(random.Random(f"{seed}/turns"))  # type: ignore[abstract]
        self.outside = Actor("outside")
        self.begin, self.shard_count, self.project = BEGIN, database.SHARDS, database.PROJECT
        self.trace = Trace(self.loop.time)
        self.faults = Faults(seed, keep)
        self.lock, self.wires, self.bus, self.works = WriteLock(), Wires(path, self.now), Bus(self), Works(self)
        reader = SqliteConnection(path, self.now, inline=True)
        reader._connect()
        reader._raw.create_function("simulation_saw", 2, lambda table, key: None)
        self.reader = reader._raw
        self.oracle = Oracle(self, Mirror(self.reader))
        self.processes: dict[str, Process] = {}  # by place: `worker-1`
        self.everyone: dict[str, Process] = {}  # by the id in the database, alive or not
        self.people, self.promises = People(self), Promises(self)
        self._births: dict[str, int] = {}
        self._pids = 0
        self._ended = False
        self._chance = random.Random(f"{seed}/world")

    def now(self) -> datetime:
        """The database's clock."""
        return self.begin + timedelta(seconds=self.loop.time())

    def next_pid(self) -> int:
        self._pids += 1
        return self._pids

    # Processes

    def start(self, place: str) -> None:
        number = self._births[place] = self._births.get(place, 0) + 1
        role, _, where = place.partition("-")
        process = Process(self, f"{place}.{number}", host=int(where) % 2)
        self.processes[place] = process
        self.trace.note(process.name, "starts")
        process.begin(roles.live(process, role))

    def gone(self, process: Process) -> None:
        """Another one is started in its place."""
        place = process.name.partition(".")[0]
        self.people.left_alone(process)
        delay = self._chance.choice(self.delays)
        self.outside.context.run(self.loop.call_later, delay, self.start, place)

    def surely_dead(self, host: Host, me: Host) -> bool:
        return host.key == me.key and not any(p.alive and p.pid == host.pid for p in self.processes.values())

    def is_dead(self, process_id: str) -> bool:
        """Whether the worker or scheduler of this id is gone, in truth."""
        return not any(process.alive and process.id == process_id for process in self.processes.values())

    def engine(self, process: Process, store: NamingStore) -> Engine:
        return DatabaseEngine(process.send)

    def scheduler_settings(self, store: NamingStore) -> SchedulerSettings:
        return self.settings.scheduler

    def worker_settings(self, process: Process, store: NamingStore) -> WorkerSettings:
        return self.settings.worker

    # What happens

    def committed(self, process: Process, verb: str, began: datetime, changed: Sequence[Change]) -> None:
        try:
            step = self.oracle.committed(process, verb, began, self.now(), changed)
        except Violation:
            self.trace.commit(process.name, verb, "", changed)
            raise
        self.trace.commit(process.name, verb, _told(step), changed)

    def _logged(self, _: object, __: str, event: Any) -> Any:
        known = isinstance(sys.exc_info()[1], BrokerUnavailable)  # which is a fault of the world
        if event["event"] in _SUSPICIOUS and not self._ended and not known:
            error = event.get("exc_info")
            self.loop.halt(error if isinstance(error, BaseException) else _current(str(event["event"])))
        raise structlog.DropEvent

    def run(self) -> None:
        """The whole story. Raises what went wrong."""
        before, product_loop._outage = structlog.get_config(), product_loop.Outage()
        structlog.configure(processors=[self._logged], cache_logger_on_first_use=False)
        try:
            self.loop.run_until_complete(self.loop.spawn(self.outside, self.story()))
        finally:
            self._ended = True
            self._close()
            structlog.configure(**before)

    def populate(self) -> None:
        for role, count in (("scheduler", self.settings.schedulers), ("worker", self.settings.workers), ("serve", 2)):
            for number in range(count):
                self.start(f"{role}-{number}")

    async def story(self) -> None:
        self.populate()
        await pause(0.5)
        self.people.start()
        await pause(self.settings.seconds / 2)
        if self.settings.outage and self.faults.wanted("outage"):
            await self._outage(self.settings.outage)
        await pause(self.settings.seconds / 2)
        await quiet.calm_down(self)

    async def _outage(self, seconds: float) -> None:
        """All stop, as when a laptop is closed: long enough that occurrences are missed, not merely late."""
        self.trace.fault("everybody", f"stops for {seconds:.0f} s", "outage")
        for process in list(self.processes.values()):
            process.halt(seconds)
        await pause(seconds)

    def _close(self) -> None:
        for process in list(self.processes.values()):
            for actor in (process.main, process.heart):
                self.loop.kill(actor)
            for connection in list(process.connections):
                connection.drop()
        self.loop.kill(self.outside)
        self.loop.close()
        self.wires.close()
        self.reader.close()


def _current(message: str) -> BaseException:
    return sys.exc_info()[1] or RuntimeError(message)


def _told(step: Step) -> str:
    """What became of which rows, in a few words."""
    words = []
    for (table, key), row in step.after.items():
        if table == "runs":
            words.append(f"{key[-6:]}={row['status']}/{row['attempt']}" if row else "")
        elif table == "run_history":
            words.append(f"{key[-6:]}={row['status']}" if row else f"{key[-6:]} pruned")
        elif table == "jobs":
            words.append(f"job {key[-6:]}")
        elif table == "shards" and row:
            words.append(f"{key}={row['owner_id'][-6:] if row['owner_id'] else 'free'}/{row['epoch']}")
    return " ".join(word for word in words if word)
