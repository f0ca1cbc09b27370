"""When a job runs. One model per kind; the key that is present identifies it.

What was accepted once must stay valid forever, since stored schedules are read back through these models: nothing in
this file may depend on the current time."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
    model_validator,
)

from horae.domain.text.checks import label
from horae.domain.text.measures import DURATION
from horae.domain.text.refusal import refusal
from horae.domain.time.blackouts import Blackout, cover_the_week
from horae.domain.time.cron import CronError, check_field
from horae.domain.time.durations import interval_of
from horae.domain.time.instants import Instant
from horae.domain.time.pattern import pattern_of, recurs
from horae.domain.time.zones import zone_name

_FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True)

ZoneName = Annotated[str, AfterValidator(zone_name)]
DstGap = Literal["run_after", "skip"]
DstFold = Literal["first", "second", "both"]
On = Literal["success", "failure", "any"]


class _Bounded(BaseModel):
    """The options of all schedules that Horae itself follows."""

    model_config = _FROZEN

    timezone: ZoneName = "UTC"
    start_at: Instant | None = None
    end_at: Instant | None = None
    jitter: Annotated[float, Field(ge=0, le=3_600, allow_inf_nan=False), DURATION] = 0
    blackouts: Annotated[tuple[Blackout, ...], Field(max_length=20, strict=False)] = ()

    @model_validator(mode="after")
    def _bounds_agree(self) -> Self:
        if self.start_at is not None and self.end_at is not None and self.end_at < self.start_at:
            raise refusal("end_at", "must not come before start_at")
        if cover_the_week(self.blackouts):
            raise refusal("blackouts", "leave no time to run")
        return self


class _Timed(_Bounded):
    """The options of all time-based schedules."""

    max_runs: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None
    dst_gap: DstGap = "run_after"
    dst_fold: DstFold = "first"

    @model_validator(mode="after")
    def _jitter_fits(self) -> Self:
        shortest = self.shortest_interval()
        if shortest is not None and timedelta(seconds=self.jitter) >= shortest:
            raise refusal("jitter", f"must be less than the interval of {shortest.total_seconds():g} s")
        return self

    def shortest_interval(self) -> timedelta | None:
        """The shortest time between two occurrences, daylight saving aside; None if there is only one."""
        raise NotImplementedError


def _cron_part(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("must be a text such as */15, or a whole number")
    return value


CronPart = Annotated[str | int, BeforeValidator(_cron_part)]
_FINEST_FIRST = ("second", "minute", "hour", "day", "month", "day_of_week")
_FIRST_VALUES = {"second": "0", "minute": "0", "hour": "0", "day": "1"}


class CronFields(BaseModel):
    """A cron expression field by field."""

    model_config = _FROZEN

    second: CronPart | None = None
    minute: CronPart | None = None
    hour: CronPart | None = None
    day: CronPart | None = None
    month: CronPart | None = None
    day_of_week: CronPart | None = None

    @model_validator(mode="after")
    def _each_is_a_field(self) -> Self:
        for name in _FINEST_FIRST:
            if (value := getattr(self, name)) is not None:
                try:
                    check_field(name, str(value))
                except CronError as error:
                    raise refusal(name, str(error)) from None
        return self

    @model_serializer(mode="wrap")
    def _given_only(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in dump(self).items() if value is not None}

    def expression(self) -> str:
        """Fields left out below the smallest given take their first value, the others `*`."""
        given = {name: str(value) for name in _FINEST_FIRST if (value := getattr(self, name)) is not None}
        if not given:
            raise CronError("needs at least one field")
        finest = min(map(_FINEST_FIRST.index, given))
        if "day_of_week" in given:
            finest = min(finest, _FINEST_FIRST.index("day"))
        fields = [
            given.get(name) or (_FIRST_VALUES[name] if number < finest else "*")
            for number, name in enumerate(_FINEST_FIRST)
        ]
        return " ".join(fields if "second" in given else fields[1:])


def _cron_form(value: Any) -> Any:
    if not isinstance(value, str | dict | CronFields):
        raise ValueError("must be a cron expression such as 0 9 * * MON-FRI, or its fields by name")
    return value


def _matching_cron(value: str | CronFields) -> str | CronFields:
    expression = value if isinstance(value, str) else value.expression()
    if not recurs(pattern_of(expression)):
        raise CronError("matches no date within 5 years")
    return value


class CronSchedule(_Timed):
    """By the wall clock of a time zone."""

    cron: Annotated[
        Annotated[str, Tag("<text>")] | Annotated[CronFields, Tag("<fields>")],
        Discriminator(lambda value: "<text>" if isinstance(value, str) else "<fields>"),
        BeforeValidator(_cron_form),
        AfterValidator(_matching_cron),
    ]

    @property
    def expression(self) -> str:
        return self.cron if isinstance(self.cron, str) else self.cron.expression()

    def shortest_interval(self) -> timedelta:
        return timedelta(seconds=pattern_of(self.expression).shortest_step())


_UNITS = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
Amount = Annotated[int, Field(ge=0, le=1_000_000_000)]


class Interval(BaseModel):
    """A duration unit by unit."""

    model_config = _FROZEN

    weeks: Amount = 0
    days: Amount = 0
    hours: Amount = 0
    minutes: Amount = 0
    seconds: Amount = 0

    @model_serializer(mode="wrap")
    def _given_only(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in dump(self).items() if value}

    def total(self) -> int:
        return sum(int(getattr(self, name)) * seconds for name, seconds in _UNITS.items())


def _every_form(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float | dict | Interval):
        raise ValueError('must be a duration such as "15m" or "PT1H30M", a number of seconds, or {"hours": 1}')
    return value


@lru_cache(maxsize=4_096)
def _interval(value: str | int | float | Interval) -> timedelta:
    return interval_of(value.total() if isinstance(value, Interval) else value)


def _repeatable(value: str | int | float | Interval) -> str | int | float | Interval:
    _interval(value)
    return value


def _every_tag(value: Any) -> str:
    if isinstance(value, str):
        return "<text>"
    return "<number>" if isinstance(value, int | float) else "<units>"


class EverySchedule(_Timed):
    """On a fixed grid from `start_at`, or from when the job was created."""

    every: Annotated[
        Annotated[str, Tag("<text>")] | Annotated[int | float, Tag("<number>")] | Annotated[Interval, Tag("<units>")],
        Discriminator(_every_tag),
        BeforeValidator(_every_form),
        AfterValidator(_repeatable),
    ]

    @property
    def interval(self) -> timedelta:
        return _interval(self.every)

    def shortest_interval(self) -> timedelta:
        return self.interval


class AtSchedule(_Timed):
    """Once."""

    at: Instant

    @model_validator(mode="after")
    def _happens(self) -> Self:
        if (self.start_at is not None and self.at < self.start_at) or (
            self.end_at is not None and self.at > self.end_at
        ):
            raise refusal("at", "must be between start_at and end_at")
        return self

    def shortest_interval(self) -> None:
        return None


def _true(value: Any) -> Any:
    if value is not True:
        raise ValueError("must be true")
    return value


class ManualSchedule(BaseModel):
    """Only when triggered."""

    model_config = _FROZEN

    manual: Annotated[Literal[True], BeforeValidator(_true)]


class Upstream(BaseModel):
    """The job to wait for, by name or id, and which ends of its runs count."""

    model_config = _FROZEN

    job: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(label)]
    on: On = "success"


class AfterSchedule(_Bounded):
    """When another job's run ends; not before `start_at`, after `end_at` or in a blackout."""

    after: Upstream


KINDS = ("cron", "every", "at", "manual", "after")


def _kind(value: Any) -> str | None:
    if isinstance(value, BaseModel):
        present = [kind for kind in KINDS if kind in type(value).model_fields]
    elif isinstance(value, dict):
        present = [kind for kind in KINDS if kind in value]
    else:
        return None
    return f"<{present[0]}>" if len(present) == 1 else None


# Tags are in angle brackets to distinguish them from an error's path (see domain/text/validation_text.py).
Schedule = Annotated[
    Annotated[CronSchedule, Tag("<cron>")]
    | Annotated[EverySchedule, Tag("<every>")]
    | Annotated[AtSchedule, Tag("<at>")]
    | Annotated[ManualSchedule, Tag("<manual>")]
    | Annotated[AfterSchedule, Tag("<after>")],
    Discriminator(
        _kind,
        custom_error_type="schedule_kind",
        custom_error_message="must be an object with exactly one of cron, every, at, manual and after",
    ),
]
