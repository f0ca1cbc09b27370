"""Celery beat: a `beat_schedule` (of an app, or the dictionary itself), or rows of django-celery-beat as `manage.py
dumpdata django_celery_beat` writes them. The tasks stay where they are, and jobs call them by `celery` targets; or they
become functions of Horae's workers. Celery is not needed: schedules are recognised by their attributes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from horae.declarative.importers import Imported, Json
from horae.declarative.importers.days import Inexpressible, both_days
from horae.domain.errors import InvalidInput

_READ = frozenset({"queue", "description", "priority", "expires", "one_off", "headers"})
_AS_BEFORE: Json = {"timeout": 86_400, "retry": {"max_attempts": 1}, "overlap": "allow"}  # beat has no such rules
_UNITS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


def read_app(found_at: Any, *, functions: bool = False) -> Imported:
    """An app with `conf.beat_schedule`, or the dictionary. `functions`: Horae's workers have the tasks as functions."""
    conf = getattr(found_at, "conf", None)
    entries = getattr(conf, "beat_schedule", None) if conf is not None else found_at
    if not isinstance(entries, dict):
        raise InvalidInput("source", "is neither a Celery app nor a beat_schedule")
    zone = str(getattr(conf, "timezone", None) or "UTC")
    imported = Imported()
    for name, entry in entries.items():
        try:
            schedule = _schedule(entry.get("schedule"), zone)
            options = {**(entry.get("options") or {}), **_said(entry, ("relative",))}
            _add(
                imported,
                _Entry(str(name), entry["task"], schedule, entry.get("args"), entry.get("kwargs"), options),
                functions=functions,
            )
        except Inexpressible as reason:
            imported.notes.append(f"{name}: left out: {reason}")
        except (AttributeError, KeyError, TypeError, ValueError):
            imported.notes.append(f"{name}: left out: it is not a valid entry of a beat_schedule")
    return imported


def read_rows(text: str, *, functions: bool = False) -> Imported:
    """A dump of django-celery-beat's tables."""
    try:
        rows = json.loads(text)
        tables: dict[str, dict[Any, Json]] = {}
        for row in rows:
            tables.setdefault(row["model"].rpartition(".")[2], {})[row["pk"]] = row["fields"]
    except (ValueError, KeyError, TypeError):
        raise InvalidInput("source", "is not a dump of django-celery-beat") from None
    imported = Imported()
    for task in tables.get("periodictask", {}).values():
        try:
            _add(imported, _row(task, tables), functions=functions)
        except Inexpressible as reason:
            imported.notes.append(f"{task['name']}: left out: {reason}")
        except (AttributeError, KeyError, TypeError, ValueError):
            name = task.get("name") or "a task without a name"
            imported.notes.append(f"{name}: left out: its row, or the one of its schedule, cannot be read")
    return imported


def _row(task: Json, tables: dict[str, dict[Any, Json]]) -> _Entry:
    schedule = _row_schedule(task, tables)
    if schedule is not None and task.get("expires"):  # nothing is sent after that
        schedule = {**schedule, "end_at": task["expires"]}
    options = _said(task, ("queue", "description", "one_off", "priority", "exchange", "routing_key"))
    if headers := json.loads(task.get("headers") or "{}"):
        options["headers"] = headers
    if task.get("expire_seconds") is not None:
        options["expires"] = task["expire_seconds"]
    args, kwargs = json.loads(task.get("args") or "[]"), json.loads(task.get("kwargs") or "{}")
    return _Entry(task["name"], task["task"], schedule, args, kwargs, options, task.get("enabled", True))


def _said(fields: Json, names: tuple[str, ...]) -> Json:
    return {name: fields[name] for name in names if fields.get(name) not in (None, "", False)}


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    task: str
    schedule: Json | None
    args: Any
    kwargs: Any
    options: Json
    enabled: bool = True


def _add(imported: Imported, entry: _Entry, *, functions: bool) -> None:
    options, schedule = entry.options, entry.schedule
    if schedule is None:
        imported.notes.append(f"{entry.name}: left out: Horae has no such kind of schedule")
        return
    if options.get("one_off") and "at" not in schedule:
        schedule = {**schedule, "max_runs": 1}
    fields: Json = {"name": entry.name, "schedule": schedule, **_AS_BEFORE}
    fields |= _function(entry) if functions else {"target": _task(entry)}
    if options.get("description"):
        fields["description"] = options["description"]
    if isinstance(options.get("expires"), int | float):
        fields["start_within"] = float(options["expires"])
    lost = ["positional arguments are not imported: pass them by name"] if functions and entry.args else []
    read = _READ - {"headers"} if functions else _READ
    if others := [name for name in options if name not in read]:
        lost.append(f"not imported: {', '.join(others)}")
    imported.add(fields, enabled=entry.enabled, notes=lost)


def _task(entry: _Entry) -> Json:
    """Queue, priority and headers are those of the broker, not of Horae's workers."""
    options = entry.options
    target: Json = {"kind": "celery", "task": entry.task}
    if entry.args:
        target["args"] = list(entry.args)
    if entry.kwargs:
        target["kwargs"] = dict(entry.kwargs)
    if options.get("queue"):
        target["queue"] = str(getattr(options["queue"], "name", options["queue"]))
    if isinstance(options.get("headers"), dict):
        target["headers"] = {str(name): str(value) for name, value in options["headers"].items()}
    return target | _priority(options)


def _function(entry: _Entry) -> Json:
    """The queue and the priority of the job: Horae's workers have the function."""
    queue = {"queue": entry.options["queue"]} if entry.options.get("queue") else {}
    target = {"kind": "python", "function": entry.task, "arguments": dict(entry.kwargs or {})}
    return {"target": target, **queue, **_priority(entry.options)}


def _priority(options: Json) -> Json:
    found = options.get("priority")
    return {"priority": found} if isinstance(found, int) and 0 <= found <= 9 else {}


def _schedule(schedule: Any, zone: str) -> Json | None:
    if isinstance(schedule, timedelta):
        return {"every": schedule.total_seconds()}
    if isinstance(schedule, int | float):
        return {"every": schedule}
    names = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
    if all(hasattr(schedule, f"_orig_{name}") for name in names):  # celery.schedules.crontab
        return _cron({name: getattr(schedule, f"_orig_{name}") for name in names}, zone)
    if isinstance(getattr(schedule, "run_every", None), timedelta):  # celery.schedules.schedule
        return {"every": schedule.run_every.total_seconds()}
    return None


def _row_schedule(task: Json, tables: dict[str, dict[Any, Json]]) -> Json | None:
    if task.get("crontab") is not None:
        row = tables["crontabschedule"][task["crontab"]]
        found = _cron(row, str(row.get("timezone") or "UTC"))
    elif task.get("interval") is not None:
        row = tables["intervalschedule"][task["interval"]]
        if row["period"] not in _UNITS:
            return None
        found = {"every": row["every"] * _UNITS[row["period"]]}
    elif task.get("clocked") is not None:
        return {"at": str(tables["clockedschedule"][task["clocked"]]["clocked_time"])}
    else:
        return None
    start = task.get("start_time")
    return {**found, "start_at": start} if start and datetime.fromisoformat(start).tzinfo else found


def _cron(fields: Json, zone: str) -> Json:
    parts = [_text(fields[name]) for name in ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")]
    parts[2], parts[4] = both_days(parts[2], parts[4])
    return {"cron": " ".join(parts), "timezone": zone}


def _text(field: Any) -> str:
    if isinstance(field, set | list | tuple):
        return ",".join(str(one) for one in sorted(field))
    return re.sub(r"[A-Za-z]{4,}", lambda name: name[0][:3], str(field).replace(" ", ""))  # sunday is SUN
