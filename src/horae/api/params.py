"""Path and query parameters: paging and ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Header, Path, Query
from pydantic import AfterValidator

from horae.api import cursor as cursors
from horae.api.auth import Caller, Principal
from horae.api.context import RequestContext
from horae.domain.errors import InvalidInput, NotFound, StaleVersion
from horae.domain.jobs.job_record import JobRecord
from horae.domain.text.ids import is_id
from horae.domain.time.instants import parse_instant
from horae.lifecycle.find import found
from horae.ports import Transaction

_ETAG = re.compile(r'"(\d{1,9})"', re.ASCII)
MAX_PAGE = 200


@dataclass(frozen=True, slots=True)
class Paging:
    limit: int
    cursor: str | None

    def after(self, context: RequestContext, principal: Principal | Caller, scope: str) -> str | None:
        return cursors.unseal(context.settings.keys, f"{principal.project_id}\0{scope}", self.cursor)

    def next(self, context: RequestContext, principal: Principal | Caller, scope: str, after: str | None) -> str | None:
        return cursors.seal(context.settings.secret_key, f"{principal.project_id}\0{scope}", after)


async def paging(
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description="how many items")] = 50,
    cursor: Annotated[str | None, Query(max_length=1_000, description="`next_cursor` of the previous page")] = None,
) -> Paging:
    return Paging(limit, cursor)


Page = Annotated[Paging, Depends(paging)]


def name_of(noun: str, longest: int = 200) -> AfterValidator:
    """A name that is longer than any can be is not looked up."""

    def check(ref: str) -> str:
        if len(ref) > longest:
            raise NotFound(f"there is no such {noun}")
        return ref

    return AfterValidator(check)


# Checked as they are read, not by separate dependencies, which FastAPI would take longer to resolve.
Ref = Annotated[str, Path(alias="id", description="a job's id or its name"), name_of("job")]


def _id_of(what: str) -> AfterValidator:
    """Ids are checked before any query: databases differ in how they refuse an invalid one."""

    def check(text: str) -> str:
        if not is_id(text):
            raise NotFound(f"there is no such {what}")
        return text

    return AfterValidator(check)


RunId = Annotated[str, Path(alias="id", description="a run's id"), _id_of("run")]
AlertId = Annotated[str, Path(alias="id", description="an alert's id"), _id_of("alert")]
OperationId = Annotated[str, Path(alias="id", description="an operation's id"), _id_of("operation")]


async def expected_version(
    if_match: Annotated[
        str | None,
        Header(
            description="the ETag of the version you read: rejected with 412 if it is stale",
            json_schema_extra={"pattern": r'^(\*|"[0-9]{1,9}")$'},
        ),
    ] = None,
) -> int | None:
    if if_match is None or if_match.strip() == "*":
        return None
    match = _ETAG.fullmatch(if_match.strip())
    if match is None:
        raise StaleVersion('If-Match must be the ETag of the version you read, such as "3"')
    return int(match[1])


Expected = Annotated[int | None, Depends(expected_version)]


def instant_param(name: str, text: str | None) -> datetime | None:
    """An instant in a query, refused as in a body."""
    if text is None:
        return None
    try:
        return parse_instant(text)
    except ValueError as error:
        raise InvalidInput(name, str(error)) from None


RevokeKeys = Annotated[bool, Query(description="also revoke the keys they created, as far as your role allows")]


async def find_job(tx: Transaction, project_id: str, ref: str) -> JobRecord:
    return await found(tx, project_id, ref)


async def hold_writable(tx: Transaction, principal: Principal, ref: str) -> None:
    """Locks a job for a verb that changes it, and refuses callers who may not write its current definition. A missing
    job is left to the verb, which may be a repeated request."""
    job = await tx.jobs.find(principal.project_id, ref, lock=True)
    if job is not None:
        principal.may_write(job.spec)
