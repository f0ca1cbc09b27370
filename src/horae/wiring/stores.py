"""The store and the wake-ups for the settings, and queries directly on them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from types import ModuleType

from horae import __version__
from horae.config import Settings
from horae.domain.cluster.process import SchedulerRecord, WorkerRecord
from horae.domain.errors import ConfigurationError
from horae.domain.runs.states import WorkerStatus
from horae.domain.targets.celery_limits import CeleryLimits
from horae.ports import Wakeups
from horae.processes.loop import log
from horae.store import open_store, schema
from horae.store.open import sqlite_path
from horae.store.store import SqlStore
from horae.watch import health
from horae.watch.health import Cluster, DefinitionCheck
from horae.watch.run_log import RunLog
from horae.wiring.engines import choice_of, engine_for
from horae.wiring.shared import CLOCK, IDS, run


def wakeups_for(settings: Settings) -> Wakeups:
    if settings.wakeups:
        return _redis().RedisWakeups(settings.wakeups)
    scheme = settings.database_url.partition(":")[0]
    if scheme.startswith("postgres"):
        from horae.wakeups.postgresql import PostgresqlWakeups

        return PostgresqlWakeups(settings.database_url)
    if scheme == "sqlite":
        from horae.wakeups.local import LocalWakeups

        # Next to the database file: processes that share the file share the hints.
        return LocalWakeups(Path(sqlite_path(settings.database_url)).absolute().parent / "wake")
    from horae.wakeups.polling import PollingWakeups

    return PollingWakeups()


def _redis() -> ModuleType:
    try:
        from horae.wakeups import redis
    except ImportError as error:
        if not (error.name or "").startswith("redis"):
            raise
        raise ConfigurationError("HORAE_WAKEUPS needs the client of Redis: pip install 'horae[redis]'") from None
    return redis


def cannot_wake(settings: Settings) -> str | None:
    """Why the Redis that the settings name carries no wake-ups, as seen from here."""
    found: str | None = run(_redis().reach(settings.wakeups))
    return found


async def store_for(
    settings: Settings,
    wakeups: Wakeups | None = None,
    *,
    connections: int = 4,
    patience: float | None = None,
    plan_once: bool = False,
    watched: bool = False,
) -> SqlStore:
    """`watched`: what happens through it is logged, as in every process of Horae, but not in a command or a program
    that uses it."""
    store = await open_store(
        settings.database_url,
        clock=CLOCK,
        ids=IDS,
        connections=connections,
        patience=patience,
        plan_once=plan_once,
    )
    store.celery_limits = CeleryLimits(settings.celery_tasks, settings.celery_queues)
    if watched and settings.run_log and settings.log_level in ("debug", "info"):
        store.observers = (RunLog(settings.run_log, CLOCK.monotonic),)
    if wakeups:
        store.engine, store.send = engine_for(settings, store, wakeups), wakeups.send
        store.on_lost = wakeups.doubt
        if not settings.wakeups:  # else they go through another server
            wakeups.on_lost = store.doubt
        wakeups.join(store.installation)
    if settings.shard_count != store.shard_count and settings.sources.get("shard_count") != "default":
        log.warning(
            "the number of shards was fixed when the database was created; the setting is ignored",
            stored=store.shard_count,
            configured=settings.shard_count,
        )
    return store


def migrate(settings: Settings, to: str = "head") -> None:
    run(schema.migrate(settings.database_url, to=to, shard_count=settings.shard_count))


def way_back(settings: Settings, to: str) -> tuple[str | None, list[str]]:
    """The revision that the schema would be downgraded from (None: it is not beyond `to`, or this Horae cannot
    downgrade it), and the processes that could no longer use it."""
    now = run(schema.current_revision(settings.database_url))
    if now is None or not to < now <= schema.CODE_REVISION:
        return None, []
    if now < schema.OLDEST_USABLE or to >= schema.OLDEST_USABLE:
        return now, []
    cluster = look(settings)
    silent = cluster.now - timedelta(seconds=settings.offline_after)
    processes: list[SchedulerRecord | WorkerRecord] = [
        *(one for one in cluster.schedulers if one.heartbeat_at > silent),
        *(one for one in cluster.workers if one.status != WorkerStatus.OFFLINE),
    ]
    return now, [f"{one.id} on {one.host.hostname}" for one in processes if one.version == __version__]


def look(settings: Settings) -> Cluster:
    """Live processes, directly from the database."""
    return run(_look(settings))


def read_definitions(settings: Settings) -> DefinitionCheck:
    """Every job's definition, read once."""
    return run(_read_definitions(settings))


async def _read_definitions(settings: Settings) -> DefinitionCheck:
    store = await store_for(settings, connections=1)
    try:
        return await health.read_definitions(store)
    finally:
        await store.close()


async def _look(settings: Settings) -> Cluster:
    store = await store_for(settings, connections=1)
    try:
        found: Cluster = await store.read(
            health.look, settings.offline_after, settings.shard_lease, choice_of(settings)
        )
        return found
    finally:
        await store.close()
