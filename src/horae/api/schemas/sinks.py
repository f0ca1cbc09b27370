"""The shapes of sinks in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from horae.domain.sinks.sink import SinkDefinition


class SinkBody(SinkDefinition):
    """A sink as clients send it. The secret fields of a webhook (`url`, `key`) are write-only."""


class SinkPatch(BaseModel):
    """Any fields of a sink (JSON merge patch); null restores a default. Secret fields that are not given stay as they
    are. For the description only: an edit is checked as the sink that comes out of it."""

    model_config = ConfigDict(extra="allow")


class SinkView(BaseModel):
    """A sink. `target` lacks its secret fields; `address` shows where it sends. `project_id` is null for a sink of the
    installation; `unreadable` says why this version cannot read it, and is usually null. `waiting` events have not been
    accepted yet. `failing_since` is null unless the last try failed: `last_error` says why, and the next one is at
    `retry_at`. `dropped` events were too old or too many, or refused again and again."""

    id: str
    project_id: str | None
    name: str
    kind: str
    enabled: bool
    address: str
    target: dict[str, Any] | None
    unreadable: str | None
    types: list[str]
    jobs: list[str]
    tags: list[str]
    keep_for: int
    max_waiting: int
    waiting: int
    sent: int
    dropped: int
    failing_since: datetime | None
    retry_at: datetime | None
    last_sent_at: datetime | None
    last_error: str | None
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime


class NewSinkView(SinkView):
    """A sink that was just created."""

    signing_key: str | None = Field(description="the generated key of a webhook, shown only once; else null")


class SinkTestView(BaseModel):
    """A test event that waits to be sent."""

    event_id: str
    sink: SinkView
