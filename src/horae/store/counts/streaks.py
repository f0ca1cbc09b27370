"""The state of jobs after a batch of ends: their last run, when they last succeeded and failed, and for how long they
have been failing. Alerts read this from counters, not from the history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from horae.domain.runs.states import RunStatus
from horae.store.dialects.base import Row
from horae.store.rows import words

STANDING = words(
    "last_run_id last_run_at last_status last_success_at last_failure_at last_duration_ms failing_streak failing_since "
    "succeeded"
)


def standing_sets() -> dict[str, str]:
    """What a batch `v` changes in `job_stats`. `failing_streak` and `failing_since` of the batch are those since its
    last success, if it has `succeeded`.

    Ends may be rolled up late, after newer ones: failures then still count unless a success is newer; a success ends
    the failures before it. How many of the counted ones came after it is not known: at least the last.

    A column that decides about another comes after it: MySQL sees what it has just set."""
    newer = "(job_stats.last_run_at IS NULL OR job_stats.last_run_at <= v.last_run_at)"
    # An old version does not keep streaks, but it does say how the last run ended.
    over = "job_stats.last_status = 'succeeded'"
    streak = f"CASE WHEN {over} THEN 0 ELSE COALESCE(job_stats.failing_streak, 0) END"
    since = f"CASE WHEN {over} THEN NULL ELSE job_stats.failing_since END"
    ends_it = f"(v.succeeded > 0 AND NOT {newer} AND v.last_success_at > {since})"
    unbroken = "(job_stats.last_success_at IS NULL OR v.failing_since > job_stats.last_success_at)"
    counts = f"(v.failing_streak > 0 AND NOT COALESCE({over}, FALSE) AND {unbroken})"
    earlier = f"({since} IS NULL OR v.failing_since < {since})"
    kept = "CASE WHEN v.{0} IS NULL OR job_stats.{0} > v.{0} THEN job_stats.{0} ELSE v.{0} END"
    return {
        "failing_streak": f"CASE WHEN {newer} AND v.succeeded > 0 THEN v.failing_streak "
        f"WHEN {newer} THEN {streak} + v.failing_streak WHEN {ends_it} THEN 1 + v.failing_streak "
        f"WHEN {counts} THEN {streak} + v.failing_streak ELSE {streak} END",
        "failing_since": f"CASE WHEN {newer} AND v.succeeded > 0 THEN v.failing_since "
        f"WHEN {newer} THEN COALESCE({since}, v.failing_since) "
        f"WHEN {ends_it} THEN COALESCE(v.failing_since, job_stats.last_failure_at) "
        f"WHEN {counts} AND {earlier} THEN v.failing_since ELSE {since} END",
        "last_success_at": kept.format("last_success_at"),
        "last_failure_at": kept.format("last_failure_at"),
        "last_duration_ms": f"CASE WHEN {newer} THEN COALESCE(v.last_duration_ms, job_stats.last_duration_ms) "
        "ELSE COALESCE(job_stats.last_duration_ms, v.last_duration_ms) END",
        **{
            column: f"CASE WHEN {newer} THEN v.{column} ELSE job_stats.{column} END"
            for column in ("last_run_id", "last_status", "last_run_at")
        },
    }


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
