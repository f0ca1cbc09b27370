"""A definition's alert settings, stored in columns: alert rules do not read definitions."""

from __future__ import annotations

import json
from typing import Any

from horae.domain.jobs.job import JobSpec
from horae.domain.time.schedule import ManualSchedule


def stored_rules(spec: JobSpec) -> dict[str, Any]:
    """By column; `settings` is the whole document."""
    rules = spec.alert
    assert rules is not None
    zone = "UTC" if isinstance(spec.schedule, ManualSchedule) else spec.schedule.timezone
    settings = {**rules.model_dump(mode="json", exclude_none=True), "timezone": zone}
    return {
        "settings": json.dumps(settings, sort_keys=True),
        "late": rules.late,
        "longer_ms": _ms(rules.longer_than),
        "shorter_ms": _ms(rules.shorter_than),
        "no_success_for": rules.no_success_for,
        "missed": rules.missed,
        "budget": None if rules.failure_budget is None else rules.failure_budget.within,
        "done_by": rules.done_by,
        "timezone": zone,
    }


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
