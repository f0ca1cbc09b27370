"""What a model says about input that it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError


def refused(model: Any, given: Any) -> tuple[str, str]:
    """The first field that is named, without the tags of unions, and the message. Refused alike as Python values
    and as JSON text, wherever JSON can say it."""
    adapter: TypeAdapter[Any] = TypeAdapter(model)
    with pytest.raises(ValidationError) as caught:
        adapter.validate_python(given)
    found = _first(caught.value)
    try:
        text = json.dumps(given, allow_nan=False)
    except (TypeError, ValueError):
        return found
    with pytest.raises(ValidationError) as caught:
        adapter.validate_json(text)
    if caught.value.errors()[0]["type"] != "json_invalid":  # half a surrogate pair is not JSON at all
        assert _first(caught.value)[0] == found[0]
    return found


def _first(error: ValidationError) -> tuple[str, str]:
    first = error.errors()[0]
    steps = [str(step) for step in first["loc"] if not str(step).startswith("<")]
    return ".".join(steps), first["msg"].removeprefix("Value error, ")
