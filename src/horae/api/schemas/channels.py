"""The shapes of channels and deliveries in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from horae.domain.notify.channel import ChannelDefinition, Event, Level, QuietHours


class ChannelBody(ChannelDefinition):
    """A channel as clients send it. Secret fields of the target (`url`, `key`, `password`, `routing_key`, `api_key`)
    are write-only, unless they name a secret of the project: `{{ secrets.NAME }}`."""


class ChannelPatch(BaseModel):
    """Any fields of a channel (JSON merge patch); null restores a default. Secret fields that are not given stay as
    they are. For the description only: an edit is checked as the channel that comes out of it."""

    model_config = ConfigDict(extra="allow")


class LastDeliveryView(BaseModel):
    """How the most recent attempt to send something went."""

    state: Literal["sent", "retrying", "failed"]
    at: datetime
    error: str | None


class ChannelView(BaseModel):
    """A channel. `target` lacks its secret fields; `address` shows where it sends. `project_id` is null for
    a channel of the installation; `unreadable` says why this version cannot read it, and is usually null."""

    id: str
    project_id: str | None
    name: str
    kind: str
    enabled: bool
    address: str
    target: dict[str, Any] | None
    has_secret: bool
    unreadable: str | None
    events: list[Event]
    severity: Level
    tags: list[str]
    jobs: list[str]
    named_only: bool
    quiet: QuietHours | None
    digest: int
    repeat_after: int
    per_hour: int
    last_delivery: LastDeliveryView | None
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime


class NewChannelView(ChannelView):
    """A channel that was just created."""

    signing_key: str | None = Field(description="the generated key of a webhook, shown only once; else null")


class DeliveryView(BaseModel):
    """A message to a channel. `kind` is that of its notice, `digest` for several, or `test`; `notices` is the number of
    notices that it covers; `due_at` is when it is tried next."""

    id: str
    channel_id: str
    state: Literal["pending", "sent", "failed"]
    kind: str
    severity: str
    title: str
    notices: int
    tries: int
    due_at: datetime
    last_error: str | None
    created_at: datetime
    finished_at: datetime | None
