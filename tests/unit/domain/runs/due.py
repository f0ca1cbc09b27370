"""A job that is due, for tests of what is decided about it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from horae.domain.jobs.job import JobSpec
from horae.domain.runs.firing import (
    DueJob,
    Firing,
    Plan,
    SkippedRange,
    plan_of,
)
from horae.domain.runs.states import SkipReason
from horae.domain.time.schedule import Schedule

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
TICK, SECOND, MINUTE = timedelta(microseconds=1), timedelta(seconds=1), timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NINE = datetime(2026, 1, 5, 9, tzinfo=UTC)  # a Monday
MINUTELY = {"cron": "* * * * *"}
LUNCH = {"start": "12:00", "end": "13:00"}


def plan(schedule: dict[str, Any], **changes: Any) -> Plan:
    spec = {"name": "x", "target": {"kind": "script", "source": "true"}, "schedule": schedule, **changes}
    return plan_of(JobSpec.model_validate(spec))


def due(
    schedule: dict[str, Any], at: datetime = NINE, *, through: datetime | None = None, count: int = 0, **changes: Any
) -> DueJob:
    return DueJob("job", "project", 1, plan(schedule, **changes), NINE, at, through, count)


def runs(firing: Firing) -> list[datetime]:
    return [occurrence.at for occurrence in firing.occurrences]


def missed(first: datetime, last: datetime, count: int) -> SkippedRange:
    return SkippedRange(SkipReason.MISSED, first, last, count)
