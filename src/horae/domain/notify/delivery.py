"""A delivery: a message to a channel, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from horae.domain.notify.channel import ChannelSpec, SealedPart
from horae.domain.notify.message import Message


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """`due_at` None: now. One that is `collecting` accepts more notices until it is sent."""

    id: str
    channel_id: str
    project_id: str
    kind: str
    message: Message
    notices: int
    collecting: bool = False
    key: str | None = None
    cause: str | None = None
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """A digest in progress, its row locked."""

    id: str
    channel_id: str
    message: Message
    due_at: datetime


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    """An entry of the delivery log."""

    id: str
    channel_id: str
    state: str
    kind: str
    severity: str
    title: str
    notices: int
    tries: int
    due_at: datetime
    last_error: str | None
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery to be tried by the holder of `token`. `message` and `spec` are None if this version cannot read them:
    `fault` says why."""

    id: str
    token: str
    tries: int  # with this one
    created_at: datetime
    channel_id: str
    channel: str
    project_id: str
    project: str | None
    message: Message | None
    spec: ChannelSpec | None
    fault: str | None
    sealed: SealedPart | None

    @property
    def kind(self) -> str:
        """Of its channel."""
        return "unknown" if self.spec is None else self.spec.target.kind


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message as an adapter gets it. `secrets` are those of the channel's target; `link` is where the portal is."""

    id: str
    channel: str
    spec: ChannelSpec
    secrets: Mapping[str, str] = field(repr=False)
    message: Message
    created_at: datetime
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """The outcome of a try; `error` None: the receiver accepted it. A permanent failure is not retried. `status` is
    that of an HTTP answer."""

    error: str | None = None
    permanent: bool = False
    retry_after: float | None = None
    status: int | None = None


def as_json(envelope: Envelope) -> dict[str, Any]:
    """The machine-readable form."""
    message = envelope.message
    return {
        "id": envelope.id,
        "channel": envelope.channel,
        "project": message.project,
        "severity": message.severity.value,
        "title": message.title,
        "total": message.total,
        "more": message.more,
        "created_at": envelope.created_at.isoformat().replace("+00:00", "Z"),
        "notices": [
            {
                "kind": line.kind,
                "severity": line.severity,
                "title": line.title,
                "text": line.text,
                "key": line.key,
                "subject": dict(line.subject),
                "count": line.count,
                "at": line.at,
                "url": url_of(envelope.link, line.path),
            }
            for line in message.lines
        ],
    }


def url_of(link: str | None, path: str | None) -> str | None:
    return f"{link.rstrip('/')}{path}" if link and path else None
