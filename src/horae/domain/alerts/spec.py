"""The thresholds that a job's definition (`alert`) or a project sets. Those left out come from the project, then from
the installation."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from horae.domain.text.measures import DURATION

_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)
_LONGEST = 366 * 86_400
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Span = Annotated[float, Field(ge=1, le=_LONGEST, allow_inf_nan=False), DURATION]
SpanOrOff = Annotated[float, Field(ge=0, le=_LONGEST, allow_inf_nan=False), DURATION]
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
TimeOfDay = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class FailureBudget(BaseModel):
    """So many failed runs within this period are too many. Counted by whole hours."""

    model_config = _STRICT

    failures: Annotated[int, Field(ge=1, le=1_000_000)]
    within: Annotated[float, Field(ge=3_600, le=30 * 86_400, allow_inf_nan=False), DURATION]


class AlertSpec(BaseModel):
    """When a job is in trouble. 0 turns off a rule that is on by default."""

    model_config = _STRICT

    failing: Count | None = None
    late: SpanOrOff | None = None
    longer_than: Span | None = None
    shorter_than: Span | None = None
    done_by: TimeOfDay | None = None
    no_success_for: Span | None = None
    missed: bool = False
    failure_budget: FailureBudget | None = None


class ProjectAlertSpec(BaseModel):
    """A project's own thresholds. null: the installation's; 0: the rule is off."""

    model_config = _STRICT

    failing: Count | None = None
    late: SpanOrOff | None = None
    queued: SpanOrOff | None = None
    failure_rate: Percent | None = None
    dead_letters: Count | None = None


class JobRules(AlertSpec):
    """A job's rules as stored: with the time zone of its schedule, which `done_by` uses."""

    timezone: str = "UTC"


NONE = JobRules()
NO_PROJECT_RULES = ProjectAlertSpec()


@lru_cache(maxsize=10_000)  # jobs of one kind have the same
def job_rules(text: str) -> JobRules:
    """A damaged document, or one of a newer version, sets nothing."""
    return _read(JobRules, text) or NONE


@lru_cache(maxsize=1_000)
def project_rules(text: str) -> ProjectAlertSpec:
    return _read(ProjectAlertSpec, text) or NO_PROJECT_RULES


def _read(model: Any, text: str) -> Any:
    try:
        return model.model_validate(json.loads(text), extra="ignore")
    except (ValidationError, ValueError, RecursionError):
        return None
