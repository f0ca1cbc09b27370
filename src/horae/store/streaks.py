"""The state of jobs after a batch of ends: their last run, when they last succeeded and failed, and for how long they
have been failing. Alerts read this from counters, not from the history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from horae.domain.runs.states import RunStatus
from horae.store.dialects.base import Row


def standings(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """By job: last run, its end and status, last success, last failure, last duration, the failures since the last
    success of this batch, when the first of these was, and whether there was a success."""
    ended: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["run_id"] is not None:
            ended[row["job_id"]].append(row)
    return [(job_id, *_standing(sorted(of_job, key=itemgetter("at")))) for job_id, of_job in sorted(ended.items())]


def _standing(ended: Sequence[Row]) -> tuple[Any, ...]:
    streak, since, duration = 0, None, None
    last_at: dict[str, Any] = {}
    for row in ended:
        status = row["status"]
        last_at[status] = row["at"]
        if status == RunStatus.FAILED:
            streak, since = streak + row["runs"], since or row["at"]
        elif status == RunStatus.SUCCEEDED:
            streak, since = 0, None
        if status in (RunStatus.FAILED, RunStatus.SUCCEEDED):
            duration = row["duration_ms"] // max(row["runs"], 1)
    last, success = ended[-1], last_at.get(RunStatus.SUCCEEDED)
    newest = (last["run_id"], last["at"], last["status"], success, last_at.get(RunStatus.FAILED), duration)
    return (*newest, streak, since, int(success is not None))
