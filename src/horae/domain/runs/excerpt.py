"""The part of a retried attempt's result that is kept: enough to see what went wrong, bounded for many attempts."""

from __future__ import annotations

import json
from typing import Any

EXCERPT_LIMIT = 4_096  # characters of JSON text


def excerpt(result: str | None) -> str | None:
    """A short result unchanged. A longer HTTP response has its body cut, anything else its text; both get `"truncated":
    true`."""
    if result is None or len(result) <= EXCERPT_LIMIT:
        return result
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and isinstance(value.get("body"), str) and "truncated" in value:
        answer = _cut({**value, "truncated": True}, "body") or _cut({**value, "truncated": True, "headers": {}}, "body")
        if answer is not None:
            return answer
    return _cut({"truncated": True, "text": result}, "text")


def _cut(value: dict[str, Any], field: str) -> str | None:
    """As JSON text, with one field cut until it fits; None if the rest alone is too long."""
    room = EXCERPT_LIMIT - len(json.dumps({**value, field: ""}))
    if room < 0:
        return None
    text: str = value[field][:room]
    while len(json.dumps(text)) - 2 > room:  # escape sequences are longer than the characters they encode
        text = text[: min(len(text) - 1, len(text) * room // (len(json.dumps(text)) - 2))]
    return json.dumps({**value, field: text})
