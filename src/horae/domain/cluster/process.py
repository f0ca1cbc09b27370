"""Workers and schedulers: how they register, beat and appear to others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from horae.domain.cluster.isolation import Isolation
from horae.domain.cluster.trouble import Trouble
from horae.domain.runs.engine_choice import DATABASE
from horae.domain.runs.states import SchedulerStatus, WorkerStatus


@dataclass(frozen=True, slots=True)
class Host:
    """Where a process runs. Two processes with the same `key` see the same process table, so either can determine
    whether the other is gone."""

    hostname: str
    platform: str
    key: str
    pid: int
    pid_started: int


@dataclass(frozen=True, slots=True)
class WorkerSign:
    """A worker's registration."""

    id: str
    name: str
    host: Host
    version: str
    queues: tuple[str, ...]
    offers: tuple[str, ...]
    slots: int
    projects: tuple[str, ...] = ()  # slugs of those it is bound to: it serves the queues that it names
    isolation: Isolation | None = None  # None for workers of older versions, which do not report it
    engine: str | None = None  # where its runs come from; None likewise
    key_id: str | None = None  # the worker key of an agent; None: it is on the database itself


@dataclass(frozen=True, slots=True)
class Beat:
    """A worker's heartbeat."""

    status: str
    busy: int
    runs_done: int
    trouble: str | None = None  # see domain/cluster/trouble.py


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRecord(WorkerSign):
    """A worker as others see it: what it reported when it registered, and its state since."""

    busy: int
    status: str
    runs_done: int
    started_at: datetime
    heartbeat_at: datetime
    drain_requested_by: str | None = None
    trouble: Trouble | None = None

    @property
    def serves_all(self) -> bool:
        return not self.queues and not self.projects

    def serves(self, queue: str) -> bool:
        return self.serves_all or queue in self.queues

    def takes(self, queue: str, engine: str) -> bool:
        """Whether runs of this queue, which that engine carries, can reach it. From the database it also takes what a
        broker carries, if it names the queue."""
        if not self.serves(queue):
            return False
        return self.engine in (None, engine) or (self.engine == DATABASE and queue in self.queues)

    @property
    def there(self) -> bool:
        return self.status not in (WorkerStatus.STOPPED, WorkerStatus.OFFLINE)


@dataclass(frozen=True, slots=True)
class SchedulerSign:
    id: str
    host: Host
    version: str


@dataclass(frozen=True, slots=True)
class SchedulerStanding:
    """What a scheduler finds when it renews its leases: whether its row is still there, its shards, and the ids of the
    schedulers that are alive."""

    registered: bool
    shards: list[int]
    live: list[str]


@dataclass(frozen=True, slots=True)
class SchedulerRecord:
    id: str
    host: Host
    version: str
    started_at: datetime
    heartbeat_at: datetime
    leases: tuple[ShardView, ...]  # those that are not over
    trouble: Trouble | None = None
    silent: bool = False

    @property
    def shards(self) -> list[int]:
        return [lease.shard for lease in self.leases]

    @property
    def status(self) -> SchedulerStatus:
        if self.leases:
            return SchedulerStatus.ACTIVE
        return SchedulerStatus.OFFLINE if self.silent else SchedulerStatus.STANDBY


@dataclass(frozen=True, slots=True)
class ShardView:
    """A slice of the jobs, and who fires it. The epoch counts its owners."""

    shard: int
    owner_id: str | None
    epoch: int
    lease_until: datetime | None
    owned_since: datetime | None = None
