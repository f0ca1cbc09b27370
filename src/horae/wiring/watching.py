"""Metrics and probes of every scheduler and worker, on their own port, and notifications to systemd. All of it is
available before the database is, so that a process that waits for the database is visible."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from horae import __version__
from horae.config import Settings, service_manager
from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Meters
from horae.domain.cluster.metrics import Role
from horae.domain.cluster.readiness import Readiness
from horae.domain.errors import ConfigurationError
from horae.ports import Hint, Wakeups
from horae.processes.loop import log
from horae.store.store import SqlStore
from horae.watch.run_meter import RunMeter
from horae.watch.systemd import SystemdNotifier
from horae.wiring.engines import celery_of
from horae.wiring.shared import CLOCK

_PUBLISHED = ("queued", "due", "again")
_WAITING = Readiness(("it waits for the database",))


class Watched(Protocol):
    meters: Meters
    hints_trouble: Callable[[], str | None]

    def readiness(self) -> Readiness: ...


class Watching:
    """`shows` is called once there is a process to show."""

    def __init__(self, role: Role) -> None:
        self._role = role
        self._process: Watched | None = None
        self._none_yet = Meters()
        introduced(self._none_yet, role, self.readiness)

    def meters(self) -> Meters:
        return self._none_yet if self._process is None else self._process.meters

    def readiness(self) -> Readiness:
        return _WAITING if self._process is None else self._process.readiness()

    def shows(self, process: Watched, store: SqlStore, wakeups: Wakeups) -> None:
        self._process = process
        process.hints_trouble = lambda: wakeups.trouble
        introduced(process.meters, self._role, self.readiness)
        measured(process.meters, self._role, store, wakeups)

    def heard(self, on_hint: Callable[[Hint], None]) -> Callable[[Hint], None]:
        """Wake-ups, counted."""
        meters = self.meters()

        def hear(hint: Hint) -> None:
            meters.add(metrics.HINTS, hint.partition(":")[0])
            on_hint(hint)

        return hear


def introduced(meters: Meters, role: Role, readiness: Callable[[], Readiness]) -> None:
    """What is known of a process before anything has happened."""
    meters.gauge(metrics.BUILD, lambda: {(__version__, role): 1})
    meters.level(metrics.READY, lambda: readiness().ready)


def measured(meters: Meters, role: Role, store: SqlStore, wakeups: Wakeups) -> None:
    """Counts what a process does through these. What has not happened yet is exposed as 0, which distinguishes it from
    what is not counted."""
    for family in metrics.FAMILIES:
        if role in family.roles and family.kind == "counter" and not (family.labels or family.shared):
            meters.add(family, by=0)
    store.measure(meters)
    store.observers = (*store.observers, RunMeter(meters, CLOCK))
    if (engine := celery_of(store)) is not None:
        published = engine.published
        meters.gauge(metrics.PUBLISHED, lambda: {(reason,): published[reason] for reason in _PUBLISHED})
    if role in metrics.WAKEUPS_RELIABLE.roles:
        _count_wakeups(meters, wakeups)


def _count_wakeups(meters: Meters, wakeups: Wakeups) -> None:
    meters.level(metrics.WAKEUPS_RELIABLE, lambda: wakeups.reliable)
    lost = wakeups.on_lost

    async def on_lost() -> None:
        meters.add(metrics.WAKEUPS_LOST)
        await lost()

    wakeups.on_lost = on_lost


async def watched(settings: Settings, role: Role, work: Callable[[Watching], Awaitable[None]]) -> None:
    watching = Watching(role)
    close = await _exporting(settings, watching)
    systemd = SystemdNotifier(*service_manager(), watching.readiness)
    systemd.start()
    try:
        await work(watching)
    finally:
        await systemd.close()
        await close()


async def _exporting(settings: Settings, watching: Watching) -> Callable[[], Awaitable[None]]:
    if settings.metrics_port is None:
        return _nothing
    from horae.watch.exporter import Exporter

    exporter = Exporter(watching.meters, watching.readiness, settings.metrics_token)
    try:
        port = await exporter.start(settings.host, settings.metrics_port)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigurationError(
            f"cannot listen on {settings.host} port {settings.metrics_port} for metrics: {reason}; each process on a "
            "machine needs its own HORAE_METRICS_PORT"
        ) from None
    log.info("metrics and probes", url=f"http://{settings.host}:{port}/metrics")
    return exporter.close


async def _nothing() -> None:
    pass
