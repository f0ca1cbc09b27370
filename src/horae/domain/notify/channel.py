"""A channel: where notices are sent, and by which rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from horae.domain.jobs.job import Name
from horae.domain.notify.notice import NoticeKind, Severity
from horae.domain.notify.targets import PAGING, Target
from horae.domain.text.checks import label
from horae.domain.text.measures import DURATION
from horae.domain.text.refusal import refusal
from horae.domain.text.validation_text import readable
from horae.domain.time.blackouts import WeeklyWindow, cover_the_week
from horae.domain.time.zones import zone_name

Event = Literal["failure", "dead_letter", "recovery", "alert", "budget"]
EVENTS: tuple[Event, ...] = ("failure", "recovery", "alert", "budget")
Level = Literal["info", "warning", "critical"]
ChannelName = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(label)]
MOST_CHANNELS = 100  # per project: every notice is compared with each of them
_FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True)

# The events of each kind of notice: a channel that listens to any of them gets it.
_HEARD: Mapping[NoticeKind, frozenset[str]] = {
    NoticeKind.FAILURE: frozenset({"failure"}),
    NoticeKind.DEAD_LETTER: frozenset({"failure", "dead_letter"}),
    NoticeKind.RECOVERY: frozenset({"recovery"}),
    NoticeKind.ALERT: frozenset({"alert"}),
    NoticeKind.CLEARED: frozenset({"alert", "budget"}),
    NoticeKind.BUDGET: frozenset({"budget"}),
}
OPENING = frozenset({NoticeKind.FAILURE, NoticeKind.DEAD_LETTER, NoticeKind.ALERT, NoticeKind.BUDGET})
_OF_RUNS = frozenset({"failure", "dead_letter", "recovery"})
_ORDER = tuple(Severity)


class QuietHours(BaseModel):
    """When messages wait for the end of the window. Those of severity `allow` and above are sent anyway."""

    model_config = _FROZEN

    windows: Annotated[tuple[WeeklyWindow, ...], Field(min_length=1, max_length=20, strict=False)]
    timezone: Annotated[str, Field(max_length=64), AfterValidator(zone_name)] = "UTC"
    allow: Level | None = "critical"

    @model_validator(mode="after")
    def _some_time_is_left(self) -> QuietHours:
        if cover_the_week(self.windows):
            raise refusal("windows", "must leave some time of the week: disable the channel instead")
        return self


class ChannelRules(BaseModel):
    """Which notices a channel gets, and how many messages they make."""

    model_config = _FROZEN

    events: Annotated[tuple[Event, ...], Field(min_length=1, max_length=5, strict=False)] = EVENTS
    severity: Level = "info"  # and above
    tags: Annotated[tuple[Annotated[Name, Field(max_length=100)], ...], Field(max_length=50, strict=False)] = ()
    jobs: Annotated[tuple[Name, ...], Field(max_length=200, strict=False)] = ()  # names; * matches any characters
    named_only: bool = False  # only what jobs send here with `notify`
    quiet: QuietHours | None = None
    digest: Annotated[int, Field(ge=0, le=86_400), DURATION] = 0
    repeat_after: Annotated[int, Field(ge=0, le=604_800), DURATION] = 3_600
    per_hour: Annotated[int, Field(ge=1, le=3_600)] = 60


class _Aimed(ChannelRules):
    target: Target

    @model_validator(mode="after")
    def _pages_one_by_one(self) -> Self:
        if self.digest and self.target.kind in PAGING:
            raise refusal("digest", "must be 0: this kind opens and resolves one incident per message")
        return self


class ChannelDefinition(_Aimed):
    """A channel as users define it."""

    name: ChannelName
    enabled: bool = True


class ChannelSpec(_Aimed):
    """A channel without its secrets."""

    address: str = ""  # where it sends, without secrets

    @property
    def wants_runs(self) -> bool:
        return not _OF_RUNS.isdisjoint(self.events)

    @property
    def pages(self) -> bool:
        return self.target.kind in PAGING


@dataclass(frozen=True, slots=True)
class SealedPart:
    """A channel's secrets, encrypted."""

    text: str = field(repr=False)
    key_id: str


@dataclass(frozen=True, slots=True)
class NewChannel:
    id: str
    project_id: str  # NIL: of the installation
    name: str
    enabled: bool
    spec: ChannelSpec
    sealed: SealedPart | None


@dataclass(frozen=True, slots=True)
class ChannelRecord:
    """`spec` is None if this version cannot read the row: `fault` says why, and nothing is sent there."""

    id: str
    project_id: str
    name: str
    kind: str
    enabled: bool
    spec: ChannelSpec | None
    fault: str | None
    sealed: SealedPart | None
    level: float
    level_at: datetime | None
    last_state: str | None
    last_at: datetime | None
    last_error: str | None
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime


def read_spec(stored: Any) -> tuple[ChannelSpec | None, str | None]:
    """From a stored document, or why it cannot be read."""
    if not isinstance(stored, dict):
        return None, "it is not valid JSON"
    try:
        return ChannelSpec.model_validate(stored, strict=False, extra="ignore"), None
    except ValidationError as error:
        ((place, message), *_) = readable(error.errors(include_url=False, include_input=False))
        return None, f"{place or 'it'} {message}"


def hears(events: tuple[str, ...], kind: NoticeKind) -> bool:
    return not _HEARD[kind].isdisjoint(events)


def at_least(severity: Severity, least: str) -> bool:
    return _ORDER.index(severity) >= _ORDER.index(Severity(least))


def unknown_channel(name: str) -> str:
    return f"no channel named {name!r} in this project; create it with `horae channels create`"
