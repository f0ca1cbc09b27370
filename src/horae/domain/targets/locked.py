"""Locked arguments: set by the job's owner, and not overridden by the input of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from horae.domain.text.refusal import refusal

Locked = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=200)], ...], Field(max_length=1_000, strict=False)
]


def check_locked(locked: Collection[str], arguments: Mapping[str, Any]) -> None:
    """A misspelled name would silently lock nothing."""
    for place, name in enumerate(locked):
        if name not in arguments:
            raise refusal(f"locked[{place}]", "must name one of the arguments")


def overridden(locked: Collection[str], given: Any) -> str | None:
    """The error for an input that would override a locked argument; None if it overrides none."""
    found = [name for name in locked if name in given] if isinstance(given, dict) else []
    return f"must not give {', '.join(found[:5])}: the job locks it" if found else None
