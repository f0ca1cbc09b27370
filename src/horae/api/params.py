"""Parameters in paths and queries: paging, ids, and the refusal of what a route does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query, Request
from fastapi.dependencies.models import Dependant

from horae.api import cursor as cursors
from horae.api.auth import Principal
from horae.api.context import Context
from horae.domain.errors import InvalidInput, NotFound
from horae.domain.records import JobRecord
from horae.ports import Transaction

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
MAX_PAGE = 200

_known: dict[object, frozenset[str]] = {}  # what each route takes, worked out once


async def only_known(request: Request) -> None:
    """Refuses query parameters that the route does not have: a mistyped filter must not show everything."""
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


@dataclass(frozen=True, slots=True)
class Paging:
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="how many items")] = 50
    cursor: Annotated[str | None, Query(max_length=1_000, description="`next_cursor` of the page before")] = None

    def after(self, context: Context, principal: Principal, scope: str) -> str | None:
        return cursors.unseal(context.settings.secret_key, f"{principal.project_id}\0{scope}", self.cursor)

    def next(self, context: Context, principal: Principal, scope: str, after: str | None) -> str | None:
        return cursors.seal(context.settings.secret_key, f"{principal.project_id}\0{scope}", after)


Page = Annotated[Paging, Depends()]
Ref = Annotated[str, Path(description="a job's id or its name")]


def run_id(id: Annotated[str, Path(description="a run's id")]) -> str:
    """Ids are checked before any query: databases differ in how they refuse what is none."""
    if not is_id(id):
        raise NotFound("there is no such run")
    return id


RunId = Annotated[str, Depends(run_id)]


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


async def find_job(tx: Transaction, project_id: str, ref: str) -> JobRecord:
    found = await tx.jobs.find(project_id, ref) if len(ref) <= 200 else None
    if found is None:
        raise NotFound("there is no such job")
    return found
