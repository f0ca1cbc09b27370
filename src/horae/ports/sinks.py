"""Events for other systems: sinks, the outbox, and the adapters that send."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from horae.domain.notify.channel import SealedPart
from horae.domain.pages import Page
from horae.domain.sinks.drafts import EventDraft
from horae.domain.sinks.listeners import Listener
from horae.domain.sinks.sending import WireEvent
from horae.domain.sinks.sink import FailingSink, Gap, NewSink, OpenSink, OutboxEvent, Shipped, SinkDue, SinkRecord


class Sinks(Protocol):
    async def add(self, sink: NewSink, actor: str) -> None: ...
    async def save(self, sink: NewSink, actor: str) -> None:
        """It is tried again at once."""
        ...

    async def delete(self, sink_id: str) -> None: ...
    async def find(self, project_id: str, ref: str, *, lock: bool = False) -> SinkRecord | None:
        """By id or name."""
        ...

    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[SinkRecord]: ...
    async def count(self, project_id: str) -> int: ...
    async def listening(self) -> list[Listener]:
        """The enabled ones, and the types of events that they want."""
        ...

    async def failing(self, limit: int) -> list[FailingSink]:
        """Those that failed at their last try, longest first."""
        ...

    async def any_due(self) -> bool:
        """Whether there is one to claim."""
        ...

    async def claim(self, token: str, lease: float, limit: int, without: Collection[str]) -> list[SinkDue]:
        """Leases enabled sinks for which events wait, least recently served first; without their events."""
        ...

    async def confirm(self, due: SinkDue, *, sent: int, lease: float | None) -> bool:
        """Counts events that it accepted, and renews its lease or ends it. False if the token is stale."""
        ...

    async def fail(self, due: SinkDue, *, sent: int, error: str, pause: float) -> bool:
        """Records a failure, after it accepted so many, and ends the lease. False if the token is stale."""
        ...

    async def drop(self, due: SinkDue, gap: Gap) -> bool:
        """Counts events that it will never get: its next event says so. False if the token is stale."""
        ...

    async def told(self, sink_id: str, gap_id: str) -> None:
        """These have been reported to it."""
        ...

    async def not_of(self, key_id: str, *, limit: int, after: str | None) -> list[SinkRecord]:
        """Those encrypted with another key, in id order."""
        ...

    async def reseal(self, sink_id: str, old: SealedPart, new: SealedPart) -> bool:
        """Replaces `old` with `new`; False if it was set meanwhile."""
        ...


class Outbox(Protocol):
    """Events that wait for their sinks, one row for each of both. The store writes them in the transaction of what
    happened."""

    async def add(self, events: Sequence[tuple[str, str, EventDraft]]) -> None:
        """For each a sink, the id of the event, and the event; in this order."""
        ...

    async def first(self, sink_id: str, limit: int, *, tags: bool) -> list[OutboxEvent]:
        """The oldest ones of a sink; with the tags of their jobs, if asked for."""
        ...

    async def surplus(self, sink_id: str, *, keep_for: float, most: int, limit: int) -> list[OutboxEvent]:
        """The oldest ones that are too old, or too many, without their data."""
        ...

    async def delete(self, seqs: Collection[int]) -> None: ...
    async def clear(self, limit: int) -> int:
        """Deletes events of sinks that are gone or disabled; returns how many."""
        ...

    async def waiting(self, sink_ids: Collection[str]) -> Mapping[str, int]: ...


class EventSender(Protocol):
    """Sends events to sinks: one adapter per kind."""

    async def send(self, sink: OpenSink, events: Sequence[WireEvent]) -> Shipped:
        """In this order. Never raises."""
        ...

    async def close(self) -> None: ...
