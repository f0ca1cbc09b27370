"""The engines of the settings: which queues a broker carries, and the connections to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from horae import __version__
from horae.config import Settings
from horae.domain.errors import ConfigurationError
from horae.domain.runs.engine_choice import CELERY, CurrentEngines, EngineChoice
from horae.engines.database import DatabaseEngine
from horae.lifecycle.queues import chosen_engines
from horae.ports import Engine, Messages, Transaction, Wakeups
from horae.wiring.shared import CLOCK

if TYPE_CHECKING:
    from horae.engines.celery_engine import CeleryEngine
    from horae.engines.celery_events import TaskEvents
    from horae.store.store import SqlStore


def choice_of(settings: Settings) -> EngineChoice:
    return EngineChoice(settings.engine, settings.engines, has_broker=settings.broker_url is not None)


def engine_for(settings: Settings, store: SqlStore, wakeups: Wakeups) -> Engine:
    database = DatabaseEngine(wakeups.send)
    if settings.broker_url is None:
        return database
    from horae.engines.celery_broker import Broker
    from horae.engines.celery_engine import CeleryEngine

    async def confirm(run_ids: Collection[str]) -> None:
        await store.transact(_confirm, run_ids)

    async def chosen() -> Mapping[str, str]:
        return await store.read(chosen_engines)

    engines = CurrentEngines(choice_of(settings))
    return CeleryEngine(Broker(settings.broker_url), engines, CLOCK, database, confirm, wakeups.send, chosen)


async def _confirm(tx: Transaction, run_ids: Collection[str]) -> None:
    await tx.publications.confirm(run_ids)


def celery_of(store: SqlStore) -> CeleryEngine | None:
    """The engine of a broker, if there is one."""
    from horae.engines.celery_engine import CeleryEngine

    return store.engine if isinstance(store.engine, CeleryEngine) else None


def engines_of(store: SqlStore) -> CurrentEngines:
    """Shared with the engine of the store, which learns of changes as well."""
    engine = celery_of(store)
    return CurrentEngines() if engine is None else engine.engines


def broker_state(store: SqlStore) -> str:
    engine = celery_of(store)
    return "none" if engine is None else engine.state


def broker_trouble(settings: Settings) -> str | None:
    """Why this machine cannot use the broker; for a look on request."""
    from horae.engines.celery_broker import Broker, reason

    try:
        assert settings.broker_url is not None
        Broker(settings.broker_url).connect().release()
    except Exception as error:
        return reason(error)
    return None


async def close_engine(store: SqlStore) -> None:
    """Publishes what waits to be published."""
    if (engine := celery_of(store)) is not None:
        await engine.close()


def task_events(settings: Settings, worker: str, busy: Callable[[], int]) -> TaskEvents | None:
    """For Flower, if the settings say so."""
    if not settings.celery_events or settings.broker_url is None:
        return None
    from horae.engines.celery_broker import Broker
    from horae.engines.celery_events import TaskEvents

    return TaskEvents(Broker(settings.broker_url), worker, __version__, busy)


def messages_for(settings: Settings, engine: str) -> Messages | None:
    """What a worker with this engine takes its runs from; None for the database."""
    if engine != CELERY:
        return None
    if settings.broker_url is None:
        raise ConfigurationError("a worker with the engine celery needs a broker: set HORAE_BROKER_URL")
    from horae.engines.celery_broker import Broker
    from horae.engines.celery_consumer import AmqpConsumer
    from horae.engines.celery_redis import RedisConsumer

    broker = Broker(settings.broker_url)
    return RedisConsumer(broker) if broker.redis else AmqpConsumer(broker)
