"""Settings of the processes; times in seconds. `wiring` fills them from the configuration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from horae.domain.alerts.facts import Disk
from horae.domain.alerts.thresholds import Thresholds
from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.retention import Retention
from horae.domain.runs.engine_choice import CurrentEngines
from horae.domain.runs.publication import Republishing
from horae.ports import EventSender, Messages, PathLearner, Publisher, RemoteApp, Seals, TaskDesk

HORIZON, AHEAD_FOR = 0.3, 1.0


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    slots: int = 16
    queues: tuple[str, ...] = ()  # empty: all of them
    project_ids: tuple[str, ...] = ()  # that it is bound to; empty: it serves all
    prefetch: int = 2000  # runs that it may claim ahead of its slots
    short: float = 0.025  # where runs take no longer than this
    horizon: float = HORIZON  # as many as start within this time
    ahead_for: float = AHEAD_FOR  # after which they have started or were released
    poll: float = 1.0
    poll_max: float = 10.0
    lease: float = 15.0
    heartbeat: float = 3.0
    drain_timeout: float = 30.0
    log_limit: int = 2**20
    grace: float = 5.0
    functions: tuple[FunctionSign, ...] = field(default=(), repr=False)  # of functions
    by_path: PathLearner | None = field(default=None, repr=False)  # without it, none of those that admins register
    engines: CurrentEngines = field(default_factory=CurrentEngines)
    messages: Messages | None = field(default=None, repr=False)  # of a broker; None: it claims from the database
    remote: tuple[TaskDesk, RemoteApp] | None = field(default=None, repr=False)  # what executes tasks of parked runs


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    poll: float = 1.0
    batch: int = 1000
    shard_lease: float = 6.0
    sweep: float = 2.0
    offline_after: float = 180.0  # since a worker's last heartbeat
    retention: Retention = field(default_factory=Retention)
    thresholds: Thresholds = field(default_factory=Thresholds)  # of alerts
    settling: float = 0.0  # from its start until it evaluates alerts
    evaluation: float | None = None  # between two evaluations of alerts; None: often enough for the thresholds
    seals: Seals | None = field(default=None, repr=False)  # without it, channels' secrets cannot be decrypted
    public_url: str | None = None  # the portal's URL, for links in messages
    events: EventSender | None = field(default=None, repr=False)  # None: nothing is sent to sinks
    event_source: str = "/horae"  # what events name as their source
    disk: Callable[[], Disk | None] = lambda: None  # the database file, if there is one
    engines: CurrentEngines = field(default_factory=CurrentEngines)
    publisher: Publisher | None = field(default=None, repr=False)  # None: there is no broker
    republishing: Republishing = field(default_factory=Republishing)
