"""Sinks of events: the adapters that a scheduler sends with, each made with its first event; and how every process
learns which events are wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from horae import __version__
from horae.config import Settings
from horae.domain.errors import ConfigurationError
from horae.domain.notify.delivery import Sent
from horae.domain.sinks.sending import WireEvent
from horae.domain.sinks.sink import ExchangeSink, OpenSink, Shipped, StreamSink
from horae.engines.celery_broker import reason
from horae.ports import Hint, Store
from horae.processes.loop import Loop
from horae.wiring.shared import CLOCK

if TYPE_CHECKING:
    from horae.engines.event_exchange import EventExchange
    from horae.engines.event_stream import EventStream
    from horae.notifiers.event_calls import EventCalls

LEARN_EVERY, LEARN_RARELY = 5.0, 60.0  # seconds


class EventSenders:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._calls: EventCalls | None = None
        self._exchange: EventExchange | None = None
        self._stream: EventStream | None = None

    async def send(self, sink: OpenSink, events: Sequence[WireEvent]) -> Shipped:
        target = sink.target
        if isinstance(target, ExchangeSink):
            exchange = target.exchange
            return await _confirmed(lambda: self._to_amqp().publish(exchange, events), len(events))
        if isinstance(target, StreamSink):
            stream, length = target.stream, target.max_length
            return await _confirmed(lambda: self._to_redis().publish(stream, length, events), len(events))
        return await self._by_call().send(sink, events)

    async def close(self) -> None:
        for made in (self._calls, self._exchange, self._stream):
            if made is not None:
                with suppress(Exception):
                    await made.close()

    def _by_call(self) -> EventCalls:
        if self._calls is None:
            from horae.notifiers.event_calls import EventCalls

            self._calls = EventCalls(CLOCK, version=__version__, allow_private=self._settings.http_allow_private)
        return self._calls

    def _to_amqp(self) -> EventExchange:
        if self._exchange is None:
            from horae.engines.event_exchange import EventExchange

            url = self._settings.events_amqp_url
            if url is None:
                raise ConfigurationError("the scheduler has no HORAE_EVENTS_AMQP_URL")
            self._exchange = EventExchange(url)
        return self._exchange

    def _to_redis(self) -> EventStream:
        if self._stream is None:
            from horae.engines.event_stream import EventStream

            url = self._settings.events_redis_url
            if url is None:
                raise ConfigurationError("the scheduler has no HORAE_EVENTS_REDIS_URL")
            self._stream = EventStream(url)
        return self._stream


async def _confirmed(publish: Callable[[], Awaitable[None]], count: int) -> Shipped:
    """All or none, even if one fails."""
    try:
        await publish()
    except Exception as error:
        return Shipped(0, Sent(reason(error)))
    return Shipped(count, Sent())


class SinkWatch:
    """Keeps a store informed of the sinks, from `start` to `close`. Hints about them come through `heard`; while they
    arrive, it reads the sinks only now and then."""

    def __init__(self, store: Store, hints_arrive: Callable[[], bool] = lambda: False) -> None:
        self._store, self._hints_arrive = store, hints_arrive
        self._loop = Loop("sinks", self._learn)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._loop.run())

    def heard(self, on_hint: Callable[[Hint], None]) -> Callable[[Hint], None]:
        def hear(hint: Hint) -> None:
            if hint == "sinks":
                self._loop.wake.set()
            else:
                on_hint(hint)

        return hear

    async def close(self) -> None:
        if self._task is not None:
            self._loop.stop()
            await self._task

    async def _learn(self) -> float:
        await self._store.learn()
        return LEARN_RARELY if self._hints_arrive() else LEARN_EVERY
