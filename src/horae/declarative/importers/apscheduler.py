"""APScheduler 3: the jobs of a scheduler object. Its job stores hold pickles, which must not be loaded from a file, so
the scheduler is imported from its own program and queried. Triggers are recognised by their attributes."""

from __future__ import annotations

import re
from typing import Any

from horae.declarative.importers import Imported, Json, slug
from horae.declarative.importers.days import Inexpressible, both_days
from horae.domain.errors import InvalidInput

_FIELDS = ("second", "minute", "hour", "day", "month", "day_of_week")
_UNKNOWN = ("year", "week")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ORDINALS = ("1st", "2nd", "3rd", "4th", "5th")
_NTH = re.compile(rf"({'|'.join(_ORDINALS)}|last) ({'|'.join(_DAYS)})")
_WEEKDAYS = re.compile(r"(?:([0-6])(?:-([0-6]))?|\*(?=/))(?:/(\d))?")


def read_scheduler(scheduler: Any) -> Imported:
    if not hasattr(scheduler, "get_jobs"):
        raise InvalidInput("source", "is not an APScheduler: it has no get_jobs()")
    imported = Imported()
    for job in scheduler.get_jobs():
        name = _name(job)
        try:
            schedule = _schedule(job.trigger)
        except Inexpressible as reason:
            imported.notes.append(f"{name}: left out: {reason}")
            continue
        except (AttributeError, TypeError, ValueError):
            schedule = None
        if schedule is None:
            imported.notes.append(f"{name}: left out: Horae has no such kind of trigger")
            continue
        notes = _notes(job)
        fields: Json = {
            "name": name,
            "target": {"kind": "python", "function": _function(job), "arguments": dict(job.kwargs or {})},
            "schedule": schedule,
        }
        if getattr(job, "max_instances", 1) != 1:
            fields["max_instances"] = job.max_instances
        if getattr(job, "coalesce", True) is False:
            fields["catch_up"] = "all"
        if (late := getattr(job, "misfire_grace_time", None)) not in (None, 1):  # 1 is the default
            fields["catch_up_window"] = late
        imported.add(fields, enabled=getattr(job, "next_run_time", True) is not None, notes=notes)
    return imported


def _name(job: Any) -> str:
    """The name its author gave it: APScheduler's default names are those of functions, and its default ids are
    random."""
    function = getattr(getattr(job, "func", None), "__name__", None)
    own = job.name if job.name and job.name != function else None
    given = job.id if job.id and not re.fullmatch(r"[0-9a-f]{32}", str(job.id)) else None
    return str(own or given or job.name or "job")


def _notes(job: Any) -> list[str]:
    notes = ["positional arguments are not imported: pass them by name"] if job.args else []
    if "<lambda>" in str(getattr(job, "func_ref", None) or getattr(job.func, "__qualname__", "")):
        notes.append("its function has no name: define and register one")
    if (executor := getattr(job, "executor", "default")) != "default":
        notes.append(f"its executor {executor!r} is not imported")
    return notes


def _function(job: Any) -> str:
    """`package.module:name` as a name under which a function can be registered."""
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
        parts[3], parts[5] = _days(parts[3], parts[5])
        found = {"cron": " ".join(parts if parts[0] != "0" else parts[1:]), "timezone": str(trigger.timezone)}
    else:
        return None
    for option, name in (("start_at", "start_date"), ("end_at", "end_date")):
        if (at := getattr(trigger, name, None)) is not None:
            found[option] = at.isoformat()
    if (jitter := getattr(trigger, "jitter", None)) is not None:
        found["jitter"] = jitter
    return found


def _days(days: str, weekdays: str) -> tuple[str, str]:
    """`last` and `2nd mon` are L and MON#2 in cron, the latter a day of the week."""
    if days == "last":
        return both_days("L", _weekdays(weekdays))
    if found := _NTH.fullmatch(days):
        if weekdays != "*":
            raise ValueError("both are days of the week")
        which, day = found.groups()
        return "*", f"{_DAYS.index(day) + 1}L" if which == "last" else f"{day.upper()}#{_ORDINALS.index(which) + 1}"
    return both_days(days, _weekdays(weekdays))


def _weekdays(text: str) -> str:
    """APScheduler counts from Monday, which is 0 there and 1 here, and steps start there; names are the same."""
    return ",".join(_weekday(part) for part in text.split(","))


def _weekday(part: str) -> str:
    found = _WEEKDAYS.fullmatch(part)
    if found is None:
        return part.upper()
    first, last, step = found.groups()
    days = range(int(first or 0), int(last or (first if first and not step else 6)) + 1, int(step or 1))
    return f"{days[0] + 1}-{days[-1] + 1}" if last and not step else ",".join(str(day + 1) for day in days)
