"""Pydantic's errors in Horae's words: the field as it was written, and what it should be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from horae.domain.notify.targets import KINDS as CHANNEL_KINDS
from horae.domain.targets import TARGET_KINDS

_TAGS = frozenset((*TARGET_KINDS, *CHANNEL_KINDS))


def readable(errors: Iterable[Mapping[str, Any]], skip: int = 0) -> list[tuple[str, str]]:
    """(field, message) of each error, in Horae's words."""
    found = list(errors)[:20]
    wrong = {tuple(e["loc"][:-1]) for e in found}
    # A list with a bad item is not too short as well: the validator has only left that item out.
    errors = [e for e in found if e["type"] != "too_short" or tuple(e["loc"]) not in wrong]
    return [(_field(e["loc"][skip:]), _message(e["type"], e["msg"], e.get("ctx") or {})) for e in errors]


def _field(loc: Sequence[str | int]) -> str:
    """`("target", "http", "headers", "x")` -> `target.headers.x`: the union's tags are not in the JSON."""
    return field_name(
        [
            part
            for i, part in enumerate(loc)
            if isinstance(part, int)
            or not (
                (part.startswith("<") and part.endswith(">"))
                or part == "[key]"
                or (i == 1 and loc[0] == "target" and part in _TAGS)
            )
        ]
    )


def field_name(steps: Sequence[str | int]) -> str:
    """The path as in `tags[0]` or `target.url`; names that are long or not printable are cut."""
    parts: list[str] = []
    for step in steps:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        else:
            name = "".join(c if c.isprintable() else "?" for c in step[:100])
            parts.append(f".{name}" if parts else name)
    return "".join(parts)[:300]


_PYTHON = re.compile(r"^(?:String|Tuple|List|Dictionary) (?=should )")


def _bare(quoted: Any) -> str:
    return str(quoted).replace("'", "")


def _message(kind: str, message: str, about: Mapping[str, Any]) -> str:
    if kind == "extra_forbidden":
        return "is not a known field"
    if kind == "missing":
        return "is required"
    if kind == "union_tag_not_found":
        return f"requires the field {_bare(about['discriminator'])}"
    if kind == "union_tag_invalid":
        return f"must have as {_bare(about['discriminator'])} one of {_bare(about['expected_tags'])}"
    if kind == "json_invalid":
        return "is not valid JSON"
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        return "must be an object"
    if kind in ("list_type", "tuple_type"):
        return "must be a list"
    message = message.removeprefix("Value error, ").replace("Input should", "should")
    # The names of Python types mean nothing to an author of JSON.
    return _PYTHON.sub("", message).split(" after validation")[0]
