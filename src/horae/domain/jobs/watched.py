"""What a definition says of alerts, as it is kept for their rules: they read no definitions."""

from __future__ import annotations

import json

from horae.domain.jobs.job import JobSpec
from horae.domain.time.schedule import ManualSchedule


def stored_rules(spec: JobSpec) -> str:
    assert spec.alert is not None
    zone = "UTC" if isinstance(spec.schedule, ManualSchedule) else spec.schedule.timezone
    return json.dumps({**spec.alert.model_dump(mode="json", exclude_none=True), "timezone": zone}, sort_keys=True)
