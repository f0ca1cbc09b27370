"""Unknown query parameters are refused: a mistyped filter must not show everything."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant

from horae.domain.errors import InvalidInput, NotFound

_known: dict[object, frozenset[str]] = {}  # the parameters of each route, computed once


def check(request: Request) -> None:
    """Refuses unknown and repeated parameters, and NUL characters, which PostgreSQL does not accept."""
    for value in request.path_params.values():
        if "\x00" in str(value):
            raise NotFound("there is no such thing")
    if not request.scope["query_string"]:
        return
    known = _known_to(request)
    seen: set[str] = set()
    for name, value in request.query_params.multi_items():
        if name not in known:
            raise InvalidInput(_printable(name), "is not a known parameter here")
        if name in seen:
            raise InvalidInput(name, "is given twice")
        if "\x00" in value:
            raise InvalidInput(name, "must not contain NUL")
        seen.add(name)


def _known_to(request: Request) -> frozenset[str]:
    endpoint = request.scope["endpoint"]
    if endpoint not in _known:
        _known[endpoint] = frozenset(_query_names(request.scope["route"].dependant))
    return _known[endpoint]


def _query_names(dependant: Dependant) -> Iterator[str]:
    yield from (param.alias for param in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _query_names(inner)


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in name[:100])
