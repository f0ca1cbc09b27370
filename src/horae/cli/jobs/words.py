"""The fields of jobs and runs in words."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def schedule_words(schedule: Json | None) -> str:
    """A schedule in a table cell."""
    if schedule is None:
        return "unreadable"
    schedule = {name: _flat(value) if name in ("cron", "every") else value for name, value in schedule.items()}
    if schedule.get("cron") is not None:
        zone = schedule.get("timezone") or "UTC"
        return f"{schedule['cron']}" + (f" ({zone})" if zone != "UTC" else "")
    if schedule.get("every") is not None:
        every = schedule["every"]
        return f"every {every}" + ("s" if isinstance(every, int | float) else "")
    if schedule.get("at") is not None:
        return f"at {schedule['at']}"
    if schedule.get("after") is not None:
        return f"after {schedule['after'].get('job')} ({schedule['after'].get('on')})"
    return "manual"


def _flat(value: Any) -> Any:
    """Cron fields and intervals may also be written as objects."""
    return " ".join(f"{name}={part}" for name, part in value.items()) if isinstance(value, dict) else value


def shown(target: Json | None) -> str:
    """A target as one line or, for a script, as its source."""
    if target is None:
        return "unreadable"
    kind = target["kind"]
    if kind == "http":
        return f"http {target.get('method')} {target.get('url')}"
    if kind == "script":
        return f"script ({target.get('interpreter')})\n{target.get('source') or target.get('file')}".rstrip()
    if kind == "python":
        return f"python {target.get('function')} {json.dumps(target.get('arguments'), ensure_ascii=False)}"
    if kind == "celery":
        return f"celery {target.get('task')} {json.dumps(target.get('kwargs'), ensure_ascii=False)}"
    return json.dumps(target, ensure_ascii=False)


def attempts(run: Json) -> str:
    """How many of a run's allowed attempts were made. A server of the previous version does not know which of them
    count."""
    return f"{run['attempt'] - run.get('uncounted', 0)}/{run['max_attempts']}"
