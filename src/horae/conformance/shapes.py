"""What requests of version 1 may contain: a hand-written copy of the tables in docs/worker-protocol.md, so that the
suite does not share the mistakes of a server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Rule = Callable[[Any], str | None]
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


def _id(value: Any) -> str | None:
    return None if isinstance(value, str) and _ID.fullmatch(value) else "must be a UUID"


def _some_id(value: Any) -> str | None:
    return None if isinstance(value, str) and value else "must be an id"


def _text(shortest: int, longest: int) -> Rule:
    def rule(value: Any) -> str | None:
        if isinstance(value, str) and shortest <= len(value) <= longest and "\x00" not in value:
            return None
        return f"must be text of {shortest} to {longest} characters without NUL"

    return rule


def _number(least: float, most: float, *, whole: bool = False) -> Rule:
    def rule(value: Any) -> str | None:
        kinds = (int,) if whole else (int, float)
        if isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most:
            return None
        return f"must be {'an integer' if whole else 'a number'} from {least:g} to {most:g}"

    return rule


def _one_of(*texts: str) -> Rule:
    return lambda value: None if value in texts else f"must be one of {', '.join(texts)}"


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _maybe(rule: Rule) -> Rule:
    return lambda value: None if value is None else rule(value)


def _list(rule: Rule, most: int, least: int = 0) -> Rule:
    def checked(value: Any) -> str | None:
        if not isinstance(value, list) or not least <= len(value) <= most:
            return f"must be a list of {least} to {most:,}"
        return next((f"[{at}] {why}" for at, inner in enumerate(value) if (why := rule(inner))), None)

    return checked


class Shape:
    """An object: its fields, some of which are required."""

    def __init__(self, required: Mapping[str, Rule], optional: Mapping[str, Rule] | None = None) -> None:
        self._required, self._optional = required, optional or {}

    def __call__(self, value: Any) -> str | None:
        return next(self.complaints(value), None)

    def complaints(self, value: Any) -> Iterator[str]:
        if not isinstance(value, dict):
            yield "must be an object"
            return
        yield from (f"{name} is missing" for name in self._required if name not in value)
        for name, inner in value.items():
            rule = self._required.get(name) or self._optional.get(name)
            if rule is None:
                yield f"{name} is not a field that the page lists"
            elif why := rule(inner):
                yield f"{name} {why}"


_HELD: dict[str, Rule] = {"id": _some_id, "token": _id}
_WORKER: dict[str, Rule] = {"worker_id": _some_id}
_COUNT = _number(0, 2**53, whole=True)
_CONDITION: dict[str, Rule] = {
    "status": _one_of("idle", "busy", "draining"),
    "busy": _COUNT,
    "runs_done": _COUNT,
    "trouble": _maybe(_text(0, 300)),
}
_OUTCOME = Shape(
    {**_HELD, "kind": _one_of("succeeded", "failed", "timed_out", "cancelled", "interrupted", "parked")},
    {
        "result": _maybe(_text(0, 128 * 1024)),
        "error": _maybe(_text(0, 4_000)),
        "traceback": _maybe(_text(0, 64 * 1024)),
        "exit_code": _maybe(_number(-(2**31), 2**31, whole=True)),
        "response_code": _maybe(_number(0, 999, whole=True)),
        "permanent": _flag,
        "retry_after": _maybe(_number(0, 2**53)),
        "park_for": _maybe(_number(1, 31_536_000)),
        "duration_ms": _COUNT,
        "ended_ms_ago": _COUNT,
    },
)
_CHUNK = Shape(
    {
        **_HELD,
        "seq": _number(1, 2**53, whole=True),
        "stream": _one_of("stdout", "stderr", "system"),
        "text": _text(1, 65_536),
        "ms_ago": _COUNT,
    }
)
_PROGRESS = Shape({**_HELD, "fraction": _number(0, 1)}, {"note": _maybe(_text(0, 500))})

REQUESTS: dict[str, Shape] = {
    "register": Shape(
        {
            "instance": _id,
            "protocols": _list(_number(1, 2**31, whole=True), 20, 1),
            "version": _text(1, 50),
            "offers": _list(_text(1, 300), 2_000, 1),
            "slots": _number(1, 10_000, whole=True),
        },
        {
            "name": _text(1, 200),
            "hostname": _text(0, 255),
            "platform": _text(0, 100),
            "queues": _list(_text(1, 200), 1_000),
            "functions": _list(lambda value: None, 2_000),
        },
    ),
    "claim": Shape(
        {**_WORKER, "token": _id, "slots": _number(0, 10_000, whole=True)},
        {
            "again": _flag,
            "ahead": _number(0, 2_000, whole=True),
            "ahead_seconds": _number(0, 60),
            "wait": _number(0, 30),
            **_CONDITION,
        },
    ),
    "renew": Shape({**_WORKER, "runs": _list(Shape(_HELD), 20_000)}, _CONDITION),
    "signals": Shape(_WORKER, {"wait": _number(0, 30)}),
    "report": Shape(
        _WORKER,
        {
            "outcomes": _list(_OUTCOME, 1_000),
            "logs": _list(_CHUNK, 1_000),
            "progress": _list(_PROGRESS, 1_000),
            "wait": _flag,
        },
    ),
    "release": Shape({**_WORKER, "runs": _list(Shape(_HELD, {"unreadable": _maybe(_text(0, 500))}), 10_000)}),
    "goodbye": Shape(_WORKER, {"runs_done": _COUNT}),
}


def complaint(verb: str, body: Any) -> str | None:
    """What is wrong with a request, if anything."""
    if verb not in REQUESTS:
        return f"there is no /api/v1/worker/{verb}"
    why = REQUESTS[verb](body)
    return None if why is None else f"{verb}: {why}"
