"""Notifications: the outbox, channels, and the delivery log."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from horae.domain.notify.channel import ChannelRecord, NewChannel, SealedPart
from horae.domain.notify.delivery import Collected, DeliveryRecord, Due, Envelope, NewDelivery, Sent
from horae.domain.notify.message import Message, Notice
from horae.domain.notify.notice import NewNotice
from horae.domain.notify.routing import Told
from horae.domain.pages import Page


class Notices(Protocol):
    """The outbox. A notice is written in the transaction of its event, with one statement per batch. If no channel
    would get it, no row is written."""

    async def add(self, notices: Sequence[NewNotice]) -> None: ...
    async def failed(self, notices: Sequence[NewNotice]) -> None:
        """For failed runs, before their dead letters are written: a `dead_letter` whose cause already has an open one
        becomes a `failure`."""
        ...

    async def take(self, limit: int) -> tuple[list[Notice], list[str]]:
        """The oldest, locked, with the names and tags of jobs; and the ids of all that were read, some of which this
        version may not understand."""
        ...

    async def delete(self, ids: Collection[str]) -> None: ...


class Channels(Protocol):
    async def add(self, channel: NewChannel, actor: str) -> None: ...
    async def save(self, channel: NewChannel, actor: str) -> None: ...
    async def delete(self, channel_id: str) -> None:
        """With its pending deliveries."""
        ...

    async def find(self, project_id: str, ref: str, *, lock: bool = False) -> ChannelRecord | None:
        """By id or name."""
        ...

    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[ChannelRecord]: ...
    async def count(self, project_id: str) -> int: ...
    async def known(self, project_id: str, names: Collection[str]) -> set[str]:
        """Those of these names that exist; they cannot be deleted until the transaction ends."""
        ...

    async def named_by(self, project_id: str, name: str, limit: int) -> list[str]:
        """The jobs whose current definitions name a channel."""
        ...

    async def using(self, project_id: str, secret: str) -> list[str]:
        """The channels that name a secret of the project, by name."""
        ...

    async def listening(self, project_ids: Collection[str]) -> list[ChannelRecord]:
        """The enabled ones, locked in the order of their ids."""
        ...

    async def fill(self, levels: Mapping[str, float]) -> None:
        """The current levels of their buckets."""
        ...

    async def not_of(self, key_id: str, *, limit: int, after: str | None) -> list[ChannelRecord]:
        """Those encrypted with another key, in id order."""
        ...

    async def reseal(self, channel_id: str, old: SealedPart, new: SealedPart) -> bool:
        """Replaces `old` with `new`; False if it was set meanwhile."""
        ...


class Deliveries(Protocol):
    async def add(self, deliveries: Sequence[NewDelivery]) -> None: ...
    async def told(self, channel_ids: Collection[str], keys: Collection[str]) -> dict[tuple[str, str], list[Told]]:
        """By channel and incident: the latest delivery for each cause, oldest first."""
        ...

    async def digested(self, channel_id: str) -> dict[str, list[Told]]:
        """What the latest digests of a channel said about incidents, oldest first."""
        ...

    async def pending(self, channel_ids: Collection[str]) -> dict[str, int]:
        """How many messages of each channel have not been sent yet."""
        ...

    async def collecting(self, channel_ids: Collection[str]) -> list[Collected]: ...
    async def collect(self, digests: Sequence[tuple[str, Message, int, datetime]]) -> None:
        """Replaces the messages of digests: id, message, how many notices were added, and when it is due."""
        ...

    async def repeat(self, repeats: Mapping[str, int]) -> None:
        """These deliveries cover so many more notices."""
        ...

    async def idle_for(self) -> float | None:
        """Seconds until a delivery is due; None if none is pending."""
        ...

    async def oldest(self) -> float:
        """Seconds since the oldest notice that was not routed, or message that was not delivered, was due; 0 if none
        is."""
        ...

    async def claim(self, token: str, lease: float, limit: int, without: Collection[str]) -> list[Due]:
        """Leases the longest due ones, except for these channels."""
        ...

    async def settle(self, due: Due, sent: Sent, pause: float | None) -> bool:
        """Records the outcome of a try; `pause` None: it was the last. False if the token is stale."""
        ...

    async def give_up(self, channel_id: str, reason: str) -> None:
        """Fails the pending deliveries of a channel; a process that is sending one finds its token stale."""
        ...

    async def find(self, delivery_id: str) -> DeliveryRecord | None: ...
    async def page(self, channel_id: str, *, limit: int, after: str | None) -> Page[DeliveryRecord]:
        """Newest first."""
        ...

    async def prune(self, older_than: float, limit: int) -> int: ...


class Notifier(Protocol):
    """Sends messages: one adapter per kind of channel."""

    async def send(self, envelope: Envelope) -> Sent:
        """Never raises."""
        ...

    async def close(self) -> None: ...
