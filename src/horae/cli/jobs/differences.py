"""A plan's changes to a job, as lines of text."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horae.declarative.plan import Step
    from horae.domain.jobs.difference import Change


def described(step: Step) -> list[str]:
    """A new job as it would look in a file; for an existing one, the old and new value of each field."""
    if step.action == "create" and step.declared is not None:
        return _whole(step)
    return [line for change in step.changes for line in difference(change)]


def _whole(step: Step) -> list[str]:
    from horae.declarative.export import definition, fields

    assert step.declared is not None
    said = definition(step.declared.spec, enabled=step.declared.enabled)
    return fields({name: value for name, value in said.items() if name != "name"})


def difference(change: Change) -> list[str]:
    """One change; for a text of several lines, the changed lines."""
    old, new = change.old, change.new
    if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1))[2:]
        return [f"{change.path}:", *(f"  {line}" for line in lines)]
    return [f"{change.path}: {_text(old)} → {_text(new)}"]


def _text(value: Any) -> str:
    if value is None:
        return "(nothing)"
    if isinstance(value, str) and "\n" not in value:
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False)
