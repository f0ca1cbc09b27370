"""The tasks of a Celery app, as functions to be registered: jobs are checked against their signatures when they are
saved. A task that only foreign workers know is not among them, and can be called all the same."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from horae.domain.errors import InvalidInput
from horae.domain.jobs.function import TASKS, FunctionSign
from horae.domain.jobs.task import CONTEXT, Function, describe, spoken
from horae.domain.text.checks import storable

_LONGEST = 190
_MOST = 5_000


def signs_of(tasks: Mapping[str, Any]) -> tuple[FunctionSign, ...]:
    own = sorted(name for name in tasks if not name.startswith("celery.") and 0 < len(name) <= _LONGEST)
    return tuple(_sign(name, tasks[name]) for name in own[:_MOST] if storable(name) == name)


def _sign(name: str, task: Any) -> FunctionSign:
    function = _described(task)
    sign = FunctionSign.of(function)
    if function.call is _anything:
        description = storable(inspect.getdoc(task.run)) or ""
        sign = replace(sign, parameters=json.dumps({"type": "object"}), description=description[:10_000])
    return replace(
        sign,
        name=f"{TASKS}{name}",
        display_name=spoken(name)[:200],
        handler=f"{getattr(task, '__module__', '?')}.{getattr(task, '__name__', '?')}"[:500],
        kind="celery",
    )


def _described(task: Any) -> Function:
    try:
        parameters = inspect.signature(task.run).parameters
        # To Horae's own functions, `context` is a parameter that callers do not give.
        return describe(_anything if CONTEXT in parameters else task.run, name="task")
    except (InvalidInput, TypeError, ValueError):
        return describe(_anything, name="task")


def _anything(**_: Any) -> None:
    """Stands for a task whose signature says nothing."""
