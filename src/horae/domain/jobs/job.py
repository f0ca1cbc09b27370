"""A job's definition. Every change creates a new immutable version."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from horae.domain.alerts.spec import AlertSpec
from horae.domain.jobs.policy import CatchUp, Overlap, Retry
from horae.domain.targets import Target
from horae.domain.text.checks import label, plain_text
from horae.domain.text.measures import DURATION
from horae.domain.time.schedule import AfterSchedule, ManualSchedule, Schedule

Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(label)]
QueueName = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(label)]
Priority = Annotated[int, Field(ge=0, le=9)]

_MANUAL = ManualSchedule(manual=True)


class JobSpec(BaseModel):
    """What to run, when, and under which policies."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Name
    description: Annotated[str, Field(max_length=10_000), AfterValidator(plain_text)] = ""
    tags: Annotated[tuple[Annotated[Name, Field(max_length=100)], ...], Field(max_length=50, strict=False)] = ()
    target: Target
    schedule: Schedule = _MANUAL
    retry: Retry = Retry()
    timeout: Annotated[float, Field(ge=1, le=604_800, allow_inf_nan=False), DURATION] = 300
    overlap: Overlap = "skip"
    max_instances: Annotated[int, Field(ge=1, le=10_000)] | None = None
    catch_up: CatchUp = "last"
    catch_up_window: Annotated[int, Field(ge=0, le=315_360_000), DURATION] = 86_400
    queue: QueueName = "default"
    priority: Priority = 5
    start_within: Annotated[float, Field(ge=1, le=31_536_000, allow_inf_nan=False), DURATION] | None = None
    grace: Annotated[float, Field(ge=0, le=600, allow_inf_nan=False), DURATION] | None = (
        None  # None: as the worker's setting says
    )
    keep: bool = False  # a one-time job is kept when it is over
    # Names of channels that are notified about this job, regardless of their own rules about tags and jobs.
    notify: Annotated[tuple[Annotated[Name, Field(max_length=100)], ...], Field(max_length=20, strict=False)] = ()
    alert: AlertSpec | None = None  # None: as the project or the installation says

    @model_validator(mode="before")
    @classmethod
    def _default_instances(cls, data: Any) -> Any:
        """One at a time is the default for scheduled jobs; manual ones have no limit."""
        if isinstance(data, dict) and "max_instances" not in data:
            schedule = data.get("schedule")
            by_hand = (
                schedule is None
                or isinstance(schedule, ManualSchedule)
                or (isinstance(schedule, dict) and "manual" in schedule)
            )
            return {**data, "max_instances": None if by_hand or data.get("overlap") == "allow" else 1}
        return data

    @property
    def scheduled(self) -> bool:
        """Whether the scheduler fires it (rather than a user, or the end of another job)."""
        return not isinstance(self.schedule, ManualSchedule | AfterSchedule)

    @property
    def gate_limit(self) -> int | None:
        """How many runs may be live; None for no limit."""
        return None if self.overlap == "allow" else self.max_instances

    @property
    def fault(self) -> str | None:
        """Why the definition is unreadable, if this is only a placeholder for one (domain/jobs/unreadable.py)."""
        return None

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")
