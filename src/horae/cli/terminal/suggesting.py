"""Suggestions for unknown names: "did you mean"."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from horae.domain.errors import HoraeError, NotFound


@contextmanager
def named(noun: str, given: str, items: Callable[[], Iterable[dict[str, Any]]], field: str = "name") -> Iterator[None]:
    """Wraps a call that names an object: if it does not exist, the error suggests the closest name."""
    try:
        yield
    except NotFound as error:
        if noun not in str(error) or "did you mean" in str(error):
            raise
        near = difflib.get_close_matches(given, _known(items, field), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise NotFound(f"there is no {noun} {given!r}{hint}") from None


def _known(items: Callable[[], Iterable[dict[str, Any]]], field: str) -> list[str]:
    try:
        return [str(item[field]) for item in items()]
    except HoraeError:  # not allowed to list them: no hint
        return []
