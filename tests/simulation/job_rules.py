"""The rules of schedules: every occurrence has one row, from the transaction that moves its job on."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from horae.domain.time.calendar import Calendar, calendar_of
from horae.domain.time.instants import TICK
from horae.domain.time.schedule import AtSchedule, CronSchedule, EverySchedule, Schedule
from tests.simulation.mirror import Row, Step

if TYPE_CHECKING:
    from tests.simulation.oracle import Oracle

_SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)


def check(oracle: Oracle, step: Step) -> None:
    rows = _fired(oracle, step)
    for job_id, before, after in step.of("jobs"):
        if after is not None:
            _job(oracle, step, before, after, rows.pop(job_id, []))
    for job_id, left in rows.items():
        if ("jobs", job_id) not in step.after:
            oracle.broken("an occurrence was created, and the schedule did not go on", run=left[0]["id"], job=job_id)
    for _, before, after in step.of("operations"):
        if after is not None:
            _operation(oracle, before, after)


def _fired(oracle: Oracle, step: Step) -> dict[str, list[Row]]:
    """Rows that this transaction made for schedules, by job."""
    found: dict[str, list[Row]] = {}
    for row in [*step.new("runs"), *step.new("run_history")]:
        if row["trigger"] != "schedule" or (("runs", row["id"]) in step.before and step.before["runs", row["id"]]):
            continue
        job_id = row["job_id"]
        found.setdefault(job_id, []).append(row)
        oracle.fired_rows.setdefault(job_id, []).append(row)
        if row.get("reason") == "dst_gap":
            continue
        at = row["scheduled_for"]
        if at in oracle.fired.setdefault(job_id, {}):
            oracle.broken(f"the occurrence of {at} came twice (by {step.verb})", run=row["id"], job=job_id)
        oracle.fired[job_id][at] = row["id"]
    return found


def _job(oracle: Oracle, step: Step, before: Row | None, after: Row, rows: list[Row]) -> None:
    job_id, through = after["id"], after["fired_through"]
    if through is not None and after["next_run_at"] is not None and after["next_run_at"] <= through:
        oracle.broken("its next occurrence was fired already", job=job_id)
    if before is None:
        return
    if before["version"] not in (after["version"], after["version"] - 1):
        oracle.broken(f"version {before['version']} became {after['version']}", job=job_id)
    was = before["fired_through"]
    if was is not None and (through is None or through < was):
        oracle.broken(f"fired_through was lowered from {was} to {through} (by {step.verb})", job=job_id)
    made = sum("occurrences" not in row or row["status"] != "skipped" for row in rows)
    if after["fired_count"] != before["fired_count"] + made:
        oracle.broken(f"{made} runs were made and {after['fired_count'] - before['fired_count']} counted", job=job_id)
    if before["version"] == after["version"]:
        _accounted(oracle, step, before, after, rows)


def _accounted(oracle: Oracle, step: Step, before: Row, after: Row, rows: list[Row]) -> None:
    """The rows account for everything between where the schedule was and where it is."""
    version = oracle.mirror.tables["job_versions"][f"{after['id']}/{after['version']}"]
    calendar, start = _calendar(version["spec"], after["anchor_at"])
    rows = sorted((row for row in rows if row.get("reason") != "dst_gap"), key=lambda row: row["scheduled_for"])
    reached = before["fired_through"]
    reached = start if reached is None else max(start, reached)
    through = after["fired_through"]
    told = f"(by {step.verb})"
    if calendar is None and rows:
        oracle.broken(f"a job without a schedule of its own was fired {told}", job=after["id"])
    if calendar is None:
        return
    for row in rows:
        first, last = row["scheduled_for"], row.get("scheduled_until") or row["scheduled_for"]
        count = row.get("occurrences", 1)
        if first <= reached:
            oracle.broken(f"{first} is accounted for twice {told}", run=row["id"], job=after["id"])
        if count != calendar.count(first - TICK, last):
            oracle.broken(f"a row counts {count} from {first} to {last} {told}", run=row["id"], job=after["id"])
        if calendar.count(reached, first - TICK):
            oracle.broken(f"nothing accounts for {reached} to {first} {told}", run=row["id"], job=after["id"])
        reached = last
    if through is not None and calendar.count(reached, through):
        oracle.broken(f"nothing accounts for {reached} to {through} {told}", job=after["id"])
    _caught_up(oracle, step, after, rows)
    if rows and (through is None or through < reached):
        oracle.broken(f"fired to {reached}, but the schedule stands at {through} {told}", job=after["id"])


def _caught_up(oracle: Oracle, step: Step, job: Row, rows: list[Row]) -> None:
    """What was missed is caught up with as the job says."""
    spec = oracle.spec(job["id"], job["version"])
    if step.verb not in ("fire", "fire_apart") or spec["schedule"].get("max_runs") is not None:
        return
    # A statement may have taken its time since it was decided what is too old.
    since = step.now - timedelta(seconds=spec["catch_up_window"] - 2 * oracle.world.settings.lease)
    missed = [row.get("reason") == "missed" and row["scheduled_until"] > since for row in rows]
    if any(missed) and {"last": missed[-1], "first": missed[0], "all": True, "none": False}[spec["catch_up"]]:
        oracle.broken(f"not what catch_up {spec['catch_up']} says: {rows[-1]['scheduled_for']}", job=job["id"])


@lru_cache(maxsize=1024)
def _calendar(spec: str, anchor: datetime) -> tuple[Calendar | None, datetime]:
    """The calendar, and from where on it counts."""
    schedule = _SCHEDULE.validate_python(json.loads(spec)["schedule"])
    if not isinstance(schedule, CronSchedule | EverySchedule | AtSchedule):
        return None, anchor - TICK
    begin = min(anchor, schedule.at) if isinstance(schedule, AtSchedule) else anchor
    return calendar_of(schedule, anchor), begin - TICK


def _operation(oracle: Oracle, before: Row | None, after: Row) -> None:
    if after["done"] > after["total"] and after["kind"] != "backfill":
        oracle.broken(f"an operation has done {after['done']} of {after['total']}", job=after["job_id"])
    if before is not None and before["state"] != "running" and before["state"] != after["state"]:
        oracle.broken(f"an operation that was {before['state']} is {after['state']}", job=after["job_id"])
