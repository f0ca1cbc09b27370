"""APScheduler 3: the jobs of a scheduler object. Its job stores hold pickles, which nobody should load from a file; so
the scheduler is imported with the program that it belongs to, and asked. Triggers are known by their shape."""

from __future__ import annotations

from typing import Any

from horae.declarative.importers import Imported, Json, slug
from horae.domain.errors import InvalidInput

_FIELDS = ("second", "minute", "hour", "day", "month", "day_of_week")
_UNKNOWN = ("year", "week")


def read_scheduler(scheduler: Any) -> Imported:
    if not hasattr(scheduler, "get_jobs"):
        raise InvalidInput("source", "is no APScheduler: it has no get_jobs()")
    imported = Imported()
    for job in scheduler.get_jobs():
        name = str(job.name or job.id)
        schedule = _schedule(job.trigger)
        if schedule is None:
            imported.notes.append(f"{name}: left out: its trigger is of a kind that Horae does not have")
            continue
        notes = ["arguments by position are not taken over: give them names"] if job.args else []
        fields: Json = {
            "name": name,
            "target": {"kind": "python", "function": _function(job), "arguments": dict(job.kwargs or {})},
            "schedule": schedule,
        }
        if getattr(job, "max_instances", 1) != 1:
            fields["max_instances"] = job.max_instances
        if getattr(job, "coalesce", True) is False:
            fields["catch_up"] = "all"
        imported.add(fields, enabled=getattr(job, "next_run_time", True) is not None, notes=notes)
    return imported


def _function(job: Any) -> str:
    """`package.module:name` as a name that a function can be registered by."""
    reference = getattr(job, "func_ref", None) or f"{job.func.__module__}:{job.func.__qualname__}"
    return slug(str(reference).replace(":", ".")).replace("-", "_")


def _schedule(trigger: Any) -> Json | None:
    if hasattr(trigger, "run_date"):
        return {"at": trigger.run_date.isoformat()}
    if hasattr(trigger, "interval"):
        found: Json = {"every": trigger.interval.total_seconds()}
    elif hasattr(trigger, "fields"):
        values = {field.name: ",".join(str(one) for one in field.expressions) for field in trigger.fields}
        if any(values.get(name, "*") != "*" for name in _UNKNOWN):
            return None
        parts = [values.get(name, "*") for name in _FIELDS]
        parts[5] = _weekdays(parts[5])
        found = {"cron": " ".join(parts if parts[0] != "0" else parts[1:]), "timezone": str(trigger.timezone)}
    else:
        return None
    for option, name in (("start_at", "start_date"), ("end_at", "end_date")):
        if (at := getattr(trigger, name, None)) is not None:
            found[option] = at.isoformat()
    if (jitter := getattr(trigger, "jitter", None)) is not None:
        found["jitter"] = jitter
    return found


def _weekdays(text: str) -> str:
    """APScheduler counts from Monday, which is 0 there and 1 here; names are the same."""
    return "".join(str((int(c) + 1) % 7) if c.isdigit() else c.upper() for c in text)
