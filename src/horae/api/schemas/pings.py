"""The shapes of pings and badges in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from horae.domain.pings.badge import LONGEST_LABEL
from horae.domain.pings.ping import PingState
from horae.domain.pings.spec import PingSpec
from horae.domain.text.checks import label
from horae.domain.time.schedule import Schedule

Subject = Literal["job", "ping"]
Label = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL), AfterValidator(label)]
Ref = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(label)]


class PingBody(PingSpec):
    """A ping as clients send it. With the schedule `manual`, nothing is expected: only failures count, and runs that
    take longer than `timeout`."""

    def spec(self) -> PingSpec:
        return PingSpec(**{name: getattr(self, name) for name in PingSpec.model_fields})


class PingPatch(BaseModel):
    """Any fields of a ping (JSON merge patch); null restores the default."""

    model_config = ConfigDict(extra="allow")


class PingView(PingSpec):
    """A ping with its current state. `url` is null for roles that may not write pings."""

    id: str
    schedule: Schedule | None  # type: ignore[assignment]  # null if it cannot be read
    unreadable: str | None = Field(description="why its definition cannot be read; usually null")
    words: str | None = Field(description="the schedule in words")
    version: int
    state: PingState
    reason: Literal["failed", "late", "overrun"] | None = Field(description="why it is down")
    since: datetime = Field(description="when it last went up or down")
    paused: bool
    paused_until: datetime | None
    expected_at: datetime | None = Field(description="when the next signal is expected")
    deadline_at: datetime | None = Field(description="when it goes down unless a signal arrives")
    started_at: datetime | None = Field(description="when the oldest run under way began")
    last_ping_at: datetime | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    last_duration_ms: int | None
    last_exit_code: int | None
    events: int
    url: str | None
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime


class PingEventView(BaseModel):
    """A signal of a ping; `late` and `overrun` are signals that did not come in time."""

    n: int
    at: datetime
    kind: str
    exit_code: int | None
    rid: str | None
    duration_ms: int | None
    method: str | None
    address: str | None
    agent: str | None
    body_bytes: int | None


class PingEventDetailView(PingEventView):
    """`body` is the end of what was sent; `truncated` if it was longer."""

    body: str | None
    truncated: bool


class PingCountsView(BaseModel):
    """How many pings are in each state."""

    new: int
    up: int
    started: int
    late: int
    down: int
    paused: int


class BadgeBody(BaseModel):
    """What a badge is about: a job or a ping, by id or name. Without a label it shows the name."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Subject
    subject: Ref
    label: Label | None = None


class BadgeView(BaseModel):
    """`url` is null if the token cannot be decrypted."""

    id: str
    kind: str
    subject_id: str
    label: str | None
    url: str | None
    markdown: str | None = Field(description="for a README")
    created_by: str
    created_at: datetime
