"""A ping: the monitor of a job that Horae does not run, and the signals it received."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from horae.domain.pings.spec import PingSpec
from horae.domain.pings.token import UrlToken
from horae.domain.secrets.secret import Sealed

Status = Literal["new", "up", "down"]
Reason = Literal["failed", "late", "overrun"]
Sign = Literal["start", "success", "fail"]
KEPT = 100  # per ping
MOST_STARTS = 20  # concurrent runs that are distinguished


class PingState(StrEnum):
    NEW = "new"  # no signal yet
    UP = "up"
    STARTED = "started"
    LATE = "late"  # expected by now, and within the grace time
    DOWN = "down"  # it failed, did not report in time, or takes too long
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Start:
    """A run in progress. Overlapping runs are distinguished by the id that they send."""

    at: datetime
    rid: str | None = None


@dataclass(frozen=True, slots=True)
class PingStanding:
    """A ping's state. `status` is what was decided last; what is shown follows from it and the time (`state_of` in
    rules.py)."""

    status: Status
    since: datetime  # since when it has this status
    reason: Reason | None = None  # why it is down
    paused: bool = False
    paused_until: datetime | None = None
    expected_at: datetime | None = None
    starts: tuple[Start, ...] = ()  # oldest first
    last_ping_at: datetime | None = None
    last_success_at: datetime | None = None
    last_failure_at: datetime | None = None
    last_duration_ms: int | None = None
    last_exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class Signal:
    """What an external job reports. An exit code other than 0 is a failure."""

    sign: Sign
    exit_code: int | None = None
    rid: str | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """The result of a signal: the ping's new state, and how long the run took, if its start is known."""

    standing: PingStanding
    duration_ms: int | None


@dataclass(frozen=True, slots=True)
class PingMessage:
    """The body of a signal, as stored."""

    method: str | None = None
    address: str | None = None
    agent: str | None = None
    body: str | None = None
    body_bytes: int | None = None  # of everything that was sent


@dataclass(frozen=True, slots=True)
class PingEvent:
    """`kind` is a sign, or `late` or `overrun` if a signal did not come in time. `n` counts from 1 in each ping."""

    ping_id: str
    n: int
    at: datetime
    kind: str
    exit_code: int | None = None
    rid: str | None = None
    duration_ms: int | None = None
    message: PingMessage = field(default_factory=PingMessage)


@dataclass(frozen=True, slots=True)
class NewPing:
    id: str
    project_id: str
    spec: PingSpec
    token: UrlToken
    created_by: str


@dataclass(frozen=True, slots=True)
class PingRecord:
    id: str
    project_id: str
    version: int
    spec: PingSpec
    standing: PingStanding
    events: int  # ever received
    sealed: Sealed
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class PingFilter:
    text: str | None = None  # part of the name
    state: PingState | None = None
    tag: str | None = None
