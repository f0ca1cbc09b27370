"""Validation of free-form JSON: values that cannot be stored, sent or read back everywhere are refused."""

from __future__ import annotations

import math
from typing import Any

from horae.domain.text.checks import plain_text

DEEPEST = 32
_LARGEST = 2**63 - 1


def plain_json(value: Any) -> Any:
    """The value itself, if it is JSON of plain text and portable numbers, and not nested too deep. Iterative, not
    recursive: the depth is what is being checked."""
    waiting = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, dict | list):
            if depth > DEEPEST:
                raise ValueError(f"must not be nested deeper than {DEEPEST} levels")
            if isinstance(part, dict):
                for key in part:
                    _text(key, "names")
            waiting += [(inner, depth + 1) for inner in (part.values() if isinstance(part, dict) else part)]
        else:
            _scalar(part)
    return value


def _scalar(value: Any) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        _text(value, "texts")
    elif isinstance(value, int):
        if abs(value) > _LARGEST:
            raise ValueError("must not contain whole numbers beyond 64 bits")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("must not contain NaN or infinities")
    else:
        raise ValueError("must be JSON")


def _text(value: Any, what: str) -> None:
    if not isinstance(value, str):
        raise ValueError("must be JSON")
    try:
        plain_text(value)
    except ValueError as error:
        raise ValueError(f"{what} in it {error}") from None
