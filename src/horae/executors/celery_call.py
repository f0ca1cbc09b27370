"""What a `celery` target sends: the arguments of the task, from the job and the input of the run."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from horae.domain.targets import CeleryTarget
from horae.domain.targets.locked import overridden
from horae.executors.failure import Refused

_LARGEST = 1_048_576  # bytes of arguments: brokers are made for small messages


class TaskCall(NamedTuple):
    task: str
    queue: str | None
    args: list[Any]
    kwargs: dict[str, Any]
    priority: int | None
    headers: dict[str, str]


def call_of(target: CeleryTarget, text: str | None) -> TaskCall:
    """The job's keyword arguments, overridden name by name by the run's input. Raises Refused."""
    given = None if text is None else orjson.loads(text)
    if reason := overridden(target.locked, given):
        raise Refused(f"the input {reason}")
    if given is not None and not isinstance(given, dict):
        raise Refused("the input of a celery job must be a JSON object: its members are keyword arguments of the task")
    kwargs = {**target.kwargs, **(given or {})}
    if len(orjson.dumps([target.args, kwargs])) > _LARGEST:
        raise Refused(f"the arguments are longer than {_LARGEST:,} bytes of JSON")
    return TaskCall(target.task, target.queue, target.args, kwargs, target.priority, target.headers)
