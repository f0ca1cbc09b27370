"""Sinks of kind `redis`: events to a stream, which Redis keeps at about the given length. All events of a call are
added, or none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from horae.domain.sinks.sending import WireEvent
from horae.engines.celery_broker import Broker


class EventStream:
    def __init__(self, url: str) -> None:
        self._redis: Any = Broker(url, "a sink of kind redis").redis_client()
        self._thread = ThreadPoolExecutor(1, "events redis")

    async def publish(self, stream: str, max_length: int, events: Sequence[WireEvent]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._publish, stream, max_length, events)

    def _publish(self, stream: str, max_length: int, events: Sequence[WireEvent]) -> None:
        with self._redis.pipeline(transaction=True) as pipe:
            for event in events:
                fields = {"id": event.id, "type": event.type, "key": event.key, "event": event.body}
                pipe.xadd(stream, fields, maxlen=max_length, approximate=True)
            pipe.execute()

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._redis.close)
        self._thread.shutdown(wait=False)
