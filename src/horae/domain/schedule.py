"""When a job runs. One model per kind; which key is present tells them apart."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from horae.domain.durations import interval_seconds
from horae.domain.zones import zone_name

_FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True)
_EXAMPLE = datetime(2000, 1, 1, tzinfo=UTC)


def _instant(value: Any) -> Any:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise ValueError("must be an instant such as 2026-12-01T09:00:00+01:00") from None
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("needs an offset, such as Z or +01:00")
        value = value.astimezone(UTC)
        if not 2000 <= value.year <= 2100:
            raise ValueError("must be between the years 2000 and 2100")
    return value


def _cron(text: str) -> str:
    try:
        next(CronSim(text, _EXAMPLE))
    except (CronSimError, StopIteration) as error:
        raise ValueError(str(error) or "never matches") from None
    return text


Instant = Annotated[datetime, BeforeValidator(_instant)]
ZoneName = Annotated[str, AfterValidator(zone_name)]


class _Options(BaseModel):
    model_config = _FROZEN

    timezone: ZoneName = "UTC"
    start_at: Instant | None = None
    end_at: Instant | None = None
    max_runs: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None


class CronSchedule(_Options):
    cron: Annotated[str, Field(min_length=1, max_length=256), AfterValidator(_cron)]


class EverySchedule(_Options):
    every: str | int | float

    def model_post_init(self, context: Any) -> None:
        interval_seconds(self.every)

    @property
    def seconds(self) -> float:
        return interval_seconds(self.every)


class AtSchedule(_Options):
    at: Instant


class ManualSchedule(BaseModel):
    model_config = _FROZEN

    manual: Literal[True]


class Upstream(BaseModel):
    model_config = _FROZEN

    job: Annotated[str, Field(min_length=1, max_length=200)]
    on: Literal["success", "failure", "any"] = "success"


class AfterSchedule(BaseModel):
    model_config = _FROZEN

    after: Upstream


_KINDS = ("cron", "every", "at", "manual", "after")


def _kind(value: Any) -> str | None:
    if isinstance(value, BaseModel):
        present = [kind for kind in _KINDS if kind in type(value).model_fields]
    elif isinstance(value, dict):
        present = [kind for kind in _KINDS if kind in value]
    else:
        return None
    return f"<{present[0]}>" if len(present) == 1 else None


Schedule = Annotated[
    Annotated[CronSchedule, Tag("<cron>")]
    | Annotated[EverySchedule, Tag("<every>")]
    | Annotated[AtSchedule, Tag("<at>")]
    | Annotated[ManualSchedule, Tag("<manual>")]
    | Annotated[AfterSchedule, Tag("<after>")],
    Discriminator(
        _kind,
        custom_error_type="schedule_kind",
        custom_error_message="must hold exactly one of cron, every, at, manual, after",
    ),
]
