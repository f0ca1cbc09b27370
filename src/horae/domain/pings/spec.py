"""A ping's definition: when the monitored job should report, and how long Horae waits for it."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import lru_cache
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from horae.domain.errors import Unreadable
from horae.domain.jobs.job import Name
from horae.domain.jobs.stored import fields_of, unreadable
from horae.domain.text.checks import plain_text
from horae.domain.text.measures import DURATION
from horae.domain.text.refusal import refusal
from horae.domain.time.schedule import AfterSchedule, ManualSchedule, Schedule

_MANUAL = ManualSchedule(manual=True)
_YEAR = 31_536_000
Tags = Annotated[tuple[Annotated[Name, Field(max_length=100)], ...], Field(max_length=50, strict=False)]
Patience = Annotated[float, Field(ge=1, le=_YEAR, allow_inf_nan=False), DURATION]


class PingSpec(BaseModel):
    """When an external job should report. With `manual`, nothing is expected: only failures count, and runs that take
    longer than `timeout`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Name
    description: Annotated[str, Field(max_length=10_000), AfterValidator(plain_text)] = ""
    tags: Tags = ()
    schedule: Schedule = _MANUAL
    grace: Patience = 3_600
    timeout: Patience | None = None  # from start to end; None: as long as the grace time

    @model_validator(mode="after")
    def _can_be_expected(self) -> Self:
        schedule = self.schedule
        if isinstance(schedule, AfterSchedule):
            raise refusal("schedule", "must be cron, every, at or manual: Horae does not start this job")
        if not isinstance(schedule, ManualSchedule):
            if schedule.jitter:
                raise refusal("schedule.jitter", "does not apply to pings; use grace")
            if schedule.max_runs is not None:
                raise refusal("schedule.max_runs", "does not apply to pings; use end_at")
        return self

    @property
    def fault(self) -> str | None:
        """Why the stored definition cannot be read, if it cannot."""
        return None

    @property
    def longest(self) -> timedelta:
        """How long a run may take once it has reported its start."""
        return timedelta(seconds=self.grace if self.timeout is None else self.timeout)

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")


class UnreadablePing(PingSpec):
    """Placeholder for a definition that a newer Horae wrote, or that is damaged: it expects nothing, and still records
    signals."""

    reason: str

    @property
    def fault(self) -> str:
        return self.reason


def stored_text(spec: PingSpec) -> str:
    """Stable and compact, without defaults: equal definitions share one parsed object."""
    kept: dict[str, Any] = dict(spec.model_extra or {})
    kept |= spec.model_dump(mode="json", include=PingSpec.model_fields.keys() - {"name"}, exclude_defaults=True)
    if "schedule" in kept:
        kept["schedule"] = fields_of(spec.schedule, kept["schedule"])  # including fields that only a newer Horae knows
    return json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def read_stored(name: str, text: str) -> PingSpec:
    """Never fails: see `UnreadablePing`."""
    return _read(text).model_copy(update={"name": name})


@lru_cache(maxsize=16_384)
def _read(text: str) -> PingSpec:
    try:
        return PingSpec.model_validate_json(_named(text), extra="allow")
    except ValidationError as error:
        reason = str(unreadable(error))
    except (ValueError, RecursionError, Unreadable):
        reason = "it is not valid JSON"
    return UnreadablePing.model_construct(name="?", reason=reason)


def _named(text: str) -> str:
    fields = json.loads(text)
    if not isinstance(fields, dict):
        raise ValueError("not an object")
    return json.dumps({**fields, "name": "?"})
