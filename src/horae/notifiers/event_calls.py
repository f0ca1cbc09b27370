"""Sinks of kind `webhook`: signed calls with CloudEvents, one event each or several as a JSON array."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from horae.checked_resolver import Lookup
from horae.domain.notify.delivery import Sent
from horae.domain.sinks.sending import WireEvent
from horae.domain.sinks.sink import OpenSink, Shipped, WebhookSink
from horae.notifiers.addresses import Addresses
from horae.notifiers.posting import Poster
from horae.notifiers.trying import tried
from horae.notifiers.webhook import post_signed
from horae.ports import Clock

ONE, MANY = "application/cloudevents+json", "application/cloudevents-batch+json"
_TIMEOUT = 15.0  # seconds for a call
_ENOUGH = 10.0  # seconds after which no further call is begun: the sink's lease must not run out


class EventCalls:
    def __init__(self, clock: Clock, *, version: str, allow_private: bool, lookup: Lookup | None = None) -> None:
        self._clock = clock
        self._poster = Poster(Addresses(allow_private=allow_private, lookup=lookup), version=version, timeout=_TIMEOUT)

    async def send(self, sink: OpenSink, events: Sequence[WireEvent]) -> Shipped:
        assert isinstance(sink.target, WebhookSink)
        most, done = sink.target.batch, 0
        until = self._clock.monotonic() + _ENOUGH
        while done < len(events) and (not done or self._clock.monotonic() < until):
            some = events[done : done + most]
            sent = await tried(self._call(sink, some, single=most == 1), _TIMEOUT, sink.secrets)
            if sent.error is not None:
                return Shipped(done, sent)
            done += len(some)
        return Shipped(done, Sent())

    async def _call(self, sink: OpenSink, events: Sequence[WireEvent], *, single: bool) -> Sent:
        now = self._clock.now()
        if single:
            (event,) = events
            return await post_signed(self._poster, sink.secrets, event.id, event.body, now, ONE)
        body = b"[" + b",".join(event.body for event in events) + b"]"
        return await post_signed(self._poster, sink.secrets, _id_of(events), body, now, MANY)

    async def close(self) -> None:
        await self._poster.close()


def _id_of(events: Sequence[WireEvent]) -> str:
    """Of exactly these events: a batch that was not acknowledged may be sent again with more of them."""
    return hashlib.sha256("".join(event.id for event in events).encode()).hexdigest()[:32]
