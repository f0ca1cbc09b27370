"""The shapes of workers, schedulers and health in answers."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from horae.api.schemas import Listing
from horae.domain.runs.states import SchedulerStatus, WorkerStatus


class TroubleView(BaseModel):
    """A task of a process that keeps failing (`claim`, `report`, `fire` …), the reason in one line, and since when."""

    loop: str
    reason: str
    since: datetime


class IsolationView(BaseModel):
    """How a worker isolates job code: the `kinds` of target that run directly on its machine, as which `user`, in which
    `sandbox` or why in none (`unsandboxed`), and what a script there could read (`readable`). `owner_is_admin` says why
    a project owner could take over the installation through this worker; null if no such way is known."""

    kinds: list[str]
    user: str
    sandbox: str
    unsandboxed: str | None
    readable: list[str]
    owner_is_admin: str | None


class WorkerView(BaseModel):
    """`queues` and `projects` are empty for a worker that serves all. Only admins see the names of other projects and
    their queues; others see how many there are (`other_queues`, `other_projects`)."""

    id: str
    name: str
    hostname: str
    platform: str
    pid: int
    version: str
    queues: list[str]
    other_queues: int
    projects: list[str]
    other_projects: int
    offers: list[str]
    slots: int
    busy: int
    status: WorkerStatus
    runs_done: int
    started_at: datetime
    heartbeat_at: datetime
    drain_requested_by: str | None
    trouble: TroubleView | None
    isolation: IsolationView | None
    engine: str | None


class BusyWorkerView(WorkerView):
    """A worker, and the runs of this project that it is executing."""

    current_runs: list[str]


class ShardLeaseView(BaseModel):
    """A shard leased by a scheduler until `lease_until` unless renewed; the epoch counts the shard's owners.
    `owned_since` is null if an older version of Horae, which did not record it, took the shard."""

    shard: int
    epoch: int
    lease_until: datetime
    owned_since: datetime | None


class SchedulerView(BaseModel):
    id: str
    hostname: str
    platform: str
    pid: int
    version: str
    status: SchedulerStatus
    shards: list[int]
    leases: list[ShardLeaseView]
    started_at: datetime
    heartbeat_at: datetime
    trouble: TroubleView | None


class SchedulersView(Listing[SchedulerView]):
    """All schedulers. A shard (of `shard_count`) that none of them owns does not fire its jobs."""

    shard_count: int


class HealthView(BaseModel):
    status: str
    service: str


class DetailedHealthView(HealthView):
    """`reasons` say why the status is not `healthy`; `notices` inform admins about projects that are near a quota,
    which is not a fault."""

    database: Literal["connected", "disconnected"]
    scheduler_service: Literal["running", "stopped", "unknown"]
    workers: int | None
    unreadable_jobs: int | None
    broker: str
    reasons: list[str]
    notices: list[str]
