"""Jobs as they stand, for rules that read them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobRecord


def job_record(now: datetime, *, name: str = "a", schedule: dict[str, Any] | None = None, **fields: Any) -> JobRecord:
    """One that is enabled and has not run yet; `fields` say what differs."""
    target = {"kind": "http", "url": "http://x.y/"}
    spec = JobSpec.model_validate({"name": name, "target": target, "schedule": schedule or {"every": "1h"}})
    usual: dict[str, Any] = {
        "id": "id",
        "project_id": "p",
        "version": 1,
        "spec": spec,
        "enabled": True,
        "paused": False,
        "paused_until": None,
        "anchor_at": now,
        "next_run_at": None,
        "fired_through": None,
        "fired_count": 0,
        "live_runs": 0,
        "last_run_at": None,
        "last_status": None,
        "created_by": "user:ann",
        "created_at": now,
        "updated_by": "user:ben",
        "updated_at": now,
        "shard": 3,
    }
    return JobRecord(**{**usual, **fields})
