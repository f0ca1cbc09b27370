"""Due jobs for firing, each read separately: an unreadable one is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from horae.domain.errors import Unreadable
from horae.domain.jobs.fault import LeftOut
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.unreadable import missing_spec
from horae.domain.runs.firing import DueJob, DueJobs, Plan, parse_plan, plan_of
from horae.store.dialects.base import Row
from horae.store.jobs.functions import is_off


def read_plan(row: Row) -> Plan | None:
    try:
        return parse_plan(row["plan"])
    except Unreadable:
        return None


def due_jobs(rows: Sequence[Row], specs: Mapping[tuple[str, int], JobSpec], *, more: bool) -> DueJobs:
    """`specs` of those whose plans cannot be read: if only the plan is damaged, it is derived from there."""
    found = DueJobs([], [], more, max((row["now"] for row in rows), default=None))
    for row in rows:
        plan = read_plan(row)
        if plan is None:
            spec = specs.get((row["id"], row["version"])) or missing_spec(row["version"])
            if spec.fault:
                found.left_out.append(LeftOut(row["id"], row["version"], spec.fault))
                continue
            plan = plan_of(spec)
        found.jobs.append(_due_job(row, plan))
    return found


def _due_job(row: Row, plan: Plan) -> DueJob:
    return DueJob(
        row["id"],
        row["project_id"],
        row["version"],
        plan,
        row["anchor_at"],
        row["next_run_at"],
        row["fired_through"],
        row["fired_count"],
        row["bounded"] is not None,
        is_off(row, plan.needs),
    )
