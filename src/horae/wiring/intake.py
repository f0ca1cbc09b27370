"""`horae intake`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from horae.config import Settings
from horae.domain.errors import ConfigurationError
from horae.intake.address import Address, parse_address
from horae.processes.host import this_host
from horae.processes.loop import patiently
from horae.processes.signals import ignore_signals, stop_signals
from horae.wiring.engines import close_engine
from horae.wiring.shared import CLOCK, IDS, configured, defaults_of, run, settle_down
from horae.wiring.sinks import SinkWatch
from horae.wiring.stores import store_for, wakeups_for
from horae.wiring.tracing import Tracing
from horae.wiring.watching import Watching, watched

if TYPE_CHECKING:
    from horae.intake.source import Source


def intake(settings: Settings) -> None:
    if settings.intake_source is None:
        raise ConfigurationError("HORAE_INTAKE_SOURCE is not set: name the queue, list or stream to take requests from")
    key = settings.intake_key or settings.token
    if key is None:
        raise ConfigurationError("HORAE_INTAKE_KEY is not set: give the intake an API key (`horae keys create`)")
    address = parse_address(settings.intake_source)
    configured(settings, "intake")
    run(watched(settings, "intake", partial(_intake, settings, address, key)))


async def _intake(settings: Settings, address: Address, key: str, watching: Watching) -> None:
    # Not above: they load the API's models, which no other process needs.
    from horae.intake.caller import IntakeKey
    from horae.intake.process import IntakeProcess, IntakeSettings
    from horae.intake.submission import Submission

    stop, _ = stop_signals()
    source = source_of(address, settings.intake_batch)
    wakeups = wakeups_for(settings)
    store = await patiently(lambda: store_for(settings, wakeups, connections=2, watched=True), stop)
    if store is None:
        return
    tracing = Tracing(settings, "intake")
    tracing.watch(store)
    keys = [key for key in (settings.secret_key, settings.secret_key_previous) if key is not None]
    process = IntakeProcess(
        source,
        Submission(store, IDS, defaults_of(settings), keys, source.name),
        IntakeKey(key, store, CLOCK),
        IntakeSettings(settings.intake_batch, settings.intake_quota_wait),
        CLOCK,
    )
    watching.shows(process, store, wakeups)
    await wakeups.start((), lambda _: None)
    sinks = SinkWatch(store)
    await sinks.start()
    try:
        settle_down()
        await process.run(stop)
    finally:
        await sinks.close()
        await close_engine(store)
        await wakeups.close()
        await store.close()
        tracing.close()
        ignore_signals()


def source_of(address: Address, batch: int) -> Source:
    """Clients of brokers are imported here: they come with an extra."""
    host = this_host()
    consumer = f"{host.hostname}-{host.pid}-{IDS.new()}"
    try:
        if address.kind == "queue":
            from horae.intake.rabbitmq import RabbitQueue

            return RabbitQueue(address, prefetch=2 * batch)
        if address.kind == "list":
            from horae.intake.redis_list import RedisList

            return RedisList(address, consumer, CLOCK)
        from horae.intake.redis_stream import RedisStream

        return RedisStream(address, consumer, CLOCK)
    except ImportError as error:
        raise ConfigurationError(
            f"the client of the broker is not installed ({error.name}): pip install 'horae[celery]'"
        ) from None
