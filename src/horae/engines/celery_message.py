"""The message that carries a run: a task `horae.run` of Celery's protocol 2, whose id and only argument is the id of
the run. JSON only: nothing in it is ever unpickled, and nothing but a well-formed id is taken from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from horae.domain.targets.celery_limits import ENGINE_QUEUES
from horae.domain.text.ids import is_id

TASK = "horae.run"
CONTENT_TYPE, ENCODING = "application/json", "utf-8"
QUEUE_PREFIX = ENGINE_QUEUES  # so that a queue of Horae is never a queue of the user's own tasks
HIGHEST = 9  # priority
LARGEST = 4096  # bytes of a body: an id and some punctuation
_NODE = re.compile(r"[^\w.-]")


class MalformedMessage(ValueError):
    """Not a message of this engine."""


class TaskMessage(NamedTuple):
    headers: dict[str, Any]
    properties: dict[str, Any]
    body: bytes


def queue_name(queue: str) -> str:
    """The queue on the broker for a queue of Horae."""
    return QUEUE_PREFIX + queue


def node_name(worker: str) -> str:
    """A worker's name as Celery's events have it."""
    return f"horae@{_NODE.sub('-', worker)}"


def envelope(run_id: str, origin: str) -> TaskMessage:
    """The task id is the run id: a duplicate is recognizable, and the run is found in Flower by its id."""
    shown = f"('{run_id}',)"
    headers = {
        "lang": "py",
        "task": TASK,
        "id": run_id,
        "root_id": run_id,
        "argsrepr": shown,
        "kwargsrepr": "{}",
        "origin": origin,
        "ignore_result": True,
    }
    nothing = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
    body = orjson.dumps([[run_id], {}, nothing])
    return TaskMessage(headers, {"correlation_id": run_id, "reply_to": ""}, body)


def run_id_of(headers: Mapping[str, Any] | None, content_type: str | None, body: bytes | str) -> str:
    """Raises MalformedMessage."""
    if not isinstance(headers, Mapping) or headers.get("task") != TASK:
        raise MalformedMessage("not a task of Horae")
    if content_type != CONTENT_TYPE:
        raise MalformedMessage("not JSON")
    if len(body) > LARGEST:
        raise MalformedMessage("too long")
    try:
        ((run_id, *_), *_) = orjson.loads(body)
    except (orjson.JSONDecodeError, TypeError, ValueError):
        raise MalformedMessage("not the arguments of a task") from None
    if not isinstance(run_id, str) or not is_id(run_id):
        raise MalformedMessage("not the id of a run")
    return run_id
