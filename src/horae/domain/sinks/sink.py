"""A sink: where events are sent, and which."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from horae.domain.jobs.job import Name
from horae.domain.notify.channel import ChannelName, SealedPart
from horae.domain.notify.delivery import Sent
from horae.domain.notify.targets import BaseTarget, WebhookTarget, named_secret, shown_address
from horae.domain.sinks.types import GROUPS, TYPES
from horae.domain.text.ids import NIL
from horae.domain.text.measures import DURATION
from horae.domain.text.validation_text import readable

MOST_SINKS = 20  # per project, and of the installation: every event is written once for each of them
_DAY = 86_400
_FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True)
_PLACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*", re.ASCII)


def _known(text: str) -> str:
    if text not in TYPES and text not in GROUPS:
        raise ValueError(f"must be one of {', '.join((*GROUPS, *TYPES))}")
    return text


def _place(text: str) -> str:
    if not _PLACE.fullmatch(text):
        raise ValueError("must consist of letters, digits and . _ : -, and begin with a letter or digit")
    return text


Kind = Annotated[str, Field(max_length=40), AfterValidator(_known)]
PlaceName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_place)]


class WebhookSink(WebhookTarget):
    """Signed POSTs of CloudEvents: one event each, or up to `batch` of them as a JSON array."""

    batch: Annotated[int, Field(ge=1, le=500)] = 1


class ExchangeSink(BaseTarget):
    """A topic exchange of the broker that the operator chose (HORAE_EVENTS_AMQP_URL)."""

    kind: Literal["amqp"]
    exchange: PlaceName = "horae.events"


class StreamSink(BaseTarget):
    """A stream of the Redis that the operator chose (HORAE_EVENTS_REDIS_URL)."""

    kind: Literal["redis"]
    stream: PlaceName = "horae:events"
    max_length: Annotated[int, Field(ge=1, le=100_000_000)] = 1_000_000


SinkTarget = Annotated[WebhookSink | ExchangeSink | StreamSink, Field(discriminator="kind")]
SINK_KINDS = ("webhook", "amqp", "redis")


class SinkRules(BaseModel):
    """Which events a sink gets, and how many may wait for it."""

    model_config = _FROZEN

    types: Annotated[tuple[Kind, ...], Field(min_length=1, max_length=50, strict=False)] = GROUPS
    jobs: Annotated[tuple[Name, ...], Field(max_length=200, strict=False)] = ()  # names; * matches any characters
    tags: Annotated[tuple[Annotated[Name, Field(max_length=100)], ...], Field(max_length=50, strict=False)] = ()
    keep_for: Annotated[int, Field(ge=60, le=7 * _DAY), DURATION] = _DAY
    max_waiting: Annotated[int, Field(ge=100, le=1_000_000)] = 100_000


class SinkDefinition(SinkRules):
    """A sink as users define it."""

    name: ChannelName
    enabled: bool = True
    target: SinkTarget


class SinkSpec(SinkRules):
    """A sink without its secrets."""

    target: SinkTarget
    address: str = ""  # where it sends, without secrets


@dataclass(frozen=True, slots=True)
class NewSink:
    id: str
    project_id: str  # NIL: of the installation
    name: str
    enabled: bool
    spec: SinkSpec
    sealed: SealedPart | None


@dataclass(frozen=True, slots=True)
class SinkRecord:
    """`spec` is None if this version cannot read the row: `fault` says why. `failing_since` is None unless the last try
    failed; `dropped` counts events that were never sent."""

    id: str
    project_id: str
    name: str
    kind: str
    enabled: bool
    spec: SinkSpec | None
    fault: str | None
    sealed: SealedPart | None
    sent: int
    dropped: int
    tries: int  # that failed, in a row
    failing_since: datetime | None
    retry_at: datetime | None
    last_sent_at: datetime | None
    last_error: str | None
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class FailingSink:
    """For health checks."""

    name: str
    project: str | None  # None: of the installation
    since: datetime
    error: str | None
    dropped: int


@dataclass(frozen=True, slots=True)
class Gap:
    """Events that were dropped, and not yet reported to the receiver."""

    id: str
    count: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class OutboxEvent:
    """A row of the outbox. `data` is None if the row is damaged."""

    seq: int
    id: str
    type: str
    project_id: str
    project: str | None  # its slug
    job_id: str | None
    job_name: str | None  # None: the job is gone, or unknown
    subject: str
    at: datetime
    data: Mapping[str, Any] | None
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SinkDue:
    """A sink that the holder of `token` sends to, with the events that come first."""

    id: str
    token: str
    project_id: str
    name: str
    kind: str
    tries: int
    spec: SinkSpec | None
    fault: str | None
    sealed: SealedPart | None
    events: Sequence[OutboxEvent] = ()
    gap: Gap | None = None


@dataclass(frozen=True, slots=True)
class OpenSink:
    """A sink as an adapter gets it."""

    id: str
    target: SinkTarget
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Shipped:
    """How many events, from the first on, the receiver has accepted, and what became of the next."""

    count: int
    sent: Sent


def read_sink(stored: Any) -> tuple[SinkSpec | None, str | None]:
    """From a stored document, or why it cannot be read. Types that only a newer version knows are left out."""
    if not isinstance(stored, dict):
        return None, "it is not valid JSON"
    chosen = stored.get("types")
    if isinstance(chosen, list):
        known = [one for one in chosen if one in TYPES or one in GROUPS]
        stored = {**stored, "types": known or chosen}
    try:
        return SinkSpec.model_validate(stored, strict=False, extra="ignore"), None
    except ValidationError as error:
        ((place, message), *_) = readable(error.errors(include_url=False, include_input=False))
        return None, f"{place or 'it'} {message}"


def place_of(target: SinkTarget, secrets: Mapping[str, str]) -> str:
    """Where it sends, without secrets."""
    if isinstance(target, ExchangeSink):
        return f"exchange {target.exchange}"
    if isinstance(target, StreamSink):
        return f"stream {target.stream}"
    return shown_address(target, secrets)


def misplaced(project_id: str, target: SinkTarget) -> tuple[str, str] | None:
    """Why a project, or the installation, may not have such a sink: a field and a reason."""
    if project_id != NIL and not isinstance(target, WebhookSink):
        return "target.kind", "must be webhook: only the installation's own sinks use the operator's brokers"
    for name, value in target.secrets().items():
        if named_secret(value) is not None:
            return f"target.{name}", "must be the value itself: sinks do not use secrets of the project"
    return None
