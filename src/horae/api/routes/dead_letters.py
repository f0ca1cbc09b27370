"""Dead letters: unresolved failed runs."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext
from horae.api.enqueuing import new_input
from horae.api.errors import refuses
from horae.api.params import Page, find_job, instant_param
from horae.api.routes import PREFIX
from horae.api.schedule_views import operation_json
from horae.api.schemas import Listing
from horae.api.schemas.schedules import OperationView
from horae.api.views import Json, listing, reply, shown
from horae.domain import pages
from horae.domain.errors import InvalidInput
from horae.domain.runs.dead_letter import DeadFilter, DeadGroup, DeadLetterRecord
from horae.domain.runs.operation import Operation
from horae.domain.runs.states import Trigger
from horae.domain.text.ids import is_id
from horae.domain.text.refusal import refusal
from horae.domain.time.instants import Instant
from horae.lifecycle import redrive
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["dead letters"])

Reader = Annotated[Principal, Depends(allow("runs:read"))]
Resolver = Annotated[Principal, Depends(allow("dead_letters:resolve"))]
_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)
Name = Annotated[str, Field(min_length=1, max_length=200)]
Fingerprint = Annotated[str, Field(min_length=1, max_length=64)]


class DeadLetterView(BaseModel):
    """A failed run; `id` is the run's."""

    id: str
    job_id: str
    job_name: str
    version: int
    fingerprint: str
    error: str | None
    failed_at: datetime
    trigger: Trigger
    attempt: int
    uncounted: int = Field(description="number of attempts that do not count towards max_attempts")
    max_attempts: int
    exit_code: int | None
    response_code: int | None
    input: Any
    truncated: list[Literal["input"]] = Field(
        default=[], description="`input` if it is omitted because it is longer than 4 KiB; read the run to get it"
    )
    scheduled_for: datetime | None
    triggered_by: str | None
    created_at: datetime


class DeadJobView(BaseModel):
    id: str
    name: str
    count: int


class DeadGroupView(BaseModel):
    """Failures with one cause: of the same job, with the same exit or response code, and with errors that differ only
    in numbers and ids. `error` is the newest one. Groups recorded by an older version may span several jobs: `jobs`
    lists the ten with the most failures."""

    fingerprint: str
    count: int
    first_at: datetime
    last_at: datetime
    last_run_id: str
    error: str | None
    exit_code: int | None
    response_code: int | None
    jobs: list[DeadJobView]


class DeadLetterFilter(BaseModel):
    """Which dead letters; an empty one finds all."""

    model_config = _STRICT

    job: Name | None = None
    fingerprint: Fingerprint | None = None
    since: Instant | None = None
    until: Instant | None = None


class Chosen(BaseModel):
    """Dead letters by `ids` or by `filter`."""

    model_config = _STRICT

    ids: Annotated[tuple[str, ...], Field(min_length=1, max_length=1_000, strict=False)] | None = None
    filter: DeadLetterFilter | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Chosen:
        if (self.ids is None) == (self.filter is None):
            raise refusal("ids", "is required unless filter is given: give exactly one of the two")
        for place, one in enumerate(self.ids or ()):
            if not is_id(one):
                raise refusal(f"ids[{place}]", "is not the id of a run")
        return self


class RedriveBody(Chosen):
    """`input` replaces the input of every run; `rate` limits the runs per second."""

    input: Any = None
    rate: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)] | None = None


class DiscardBody(Chosen):
    reason: Annotated[str, Field(min_length=1, max_length=500)]


async def dead_filter(
    job: Annotated[str | None, Query(min_length=1, max_length=200, description="its name or id")] = None,
    fingerprint: Annotated[str | None, Query(min_length=1, max_length=64, description="the cause")] = None,
    since: Annotated[str | None, Query(max_length=40, description="failed at or after this instant")] = None,
    until: Annotated[str | None, Query(max_length=40, description="failed before this instant")] = None,
) -> DeadLetterFilter:
    return DeadLetterFilter.model_construct(
        job=job,
        fingerprint=fingerprint,
        since=instant_param("since", since),
        until=instant_param("until", until),
    )


Where = Annotated[DeadLetterFilter, Depends(dead_filter)]


@router.get("/dead-letters", response_model=Listing[DeadLetterView], responses=refuses(404))
async def list_dead_letters(context: Ctx, principal: Reader, page: Page, where: Where) -> Response:
    """Failed runs that have not been redriven or discarded, newest first."""
    scope = _scope("dead-letters", where)
    after = page.after(context, principal, scope)
    found = await context.store.read(_page, principal.project_id, where, page.limit, after)
    next_cursor = page.next(context, principal, scope, found.next)
    return reply(listing(map(_json, found.items), next_cursor))


@router.get("/dead-letters/groups", response_model=Listing[DeadGroupView], responses=refuses(404))
async def list_dead_letter_groups(context: Ctx, principal: Reader, page: Page, where: Where) -> Response:
    """Dead letters grouped by cause, largest group first. Groups that grow while you page may be missed or repeated."""
    scope = _scope("dead-letter-causes", where)
    after = page.after(context, principal, scope)
    found = await context.store.read(_groups, principal.project_id, where, page.limit, after)
    return reply(listing((asdict(one) for one in found.items), page.next(context, principal, scope, found.next)))


@router.post(
    "/dead-letters/redrive",
    status_code=202,
    response_model=OperationView,
    responses=refuses(404),
    openapi_extra=takes(RedriveBody),
)
async def redrive_dead_letters(request: Request, context: Ctx, principal: Resolver) -> Response:
    """Queues them again as new runs with the current definition of their job: an operation that continues in the
    background."""
    body = await read_model(request, RedriveBody)
    return await _resolve(context, principal, body, kind=redrive.REDRIVE, input=new_input(body), rate=body.rate)


@router.post(
    "/dead-letters/discard",
    status_code=202,
    response_model=OperationView,
    responses=refuses(404),
    openapi_extra=takes(DiscardBody),
)
async def discard_dead_letters(request: Request, context: Ctx, principal: Resolver) -> Response:
    """Removes them from the list, with a reason for the audit trail; their runs stay in the history."""
    body = await read_model(request, DiscardBody)
    return await _resolve(context, principal, body, kind=redrive.DISCARD, reason=body.reason)


async def _resolve(context: RequestContext, principal: Principal, body: Chosen, **how: Any) -> Response:
    operation = await context.store.transact(_begin, principal, body, context.ids.new(), how)
    return reply(operation_json(operation), 202, {"location": f"/api/v1/operations/{operation.id}"})


async def _begin(
    tx: Transaction, principal: Principal, body: Chosen, operation_id: str, how: dict[str, Any]
) -> Operation:
    where = DeadFilter(ids=tuple(dict.fromkeys(body.ids))) if body.ids is not None else None
    if body.filter is not None:
        where = await _found(tx, principal.project_id, body.filter)
    assert where is not None
    return await redrive.resolve(
        tx,
        operation_id=operation_id,
        project_id=principal.project_id,
        resolution=redrive.Resolution(where=where, **how),
        actor=principal.actor,
    )


async def _page(
    tx: Transaction, project_id: str, where: DeadLetterFilter, limit: int, after: str | None
) -> pages.Page[DeadLetterRecord]:
    return await tx.dead_letters.page(project_id, await _found(tx, project_id, where), limit=limit, after=after)


async def _groups(
    tx: Transaction, project_id: str, where: DeadLetterFilter, limit: int, after: str | None
) -> pages.Page[DeadGroup]:
    return await tx.dead_letters.groups(project_id, await _found(tx, project_id, where), limit=limit, after=after)


async def _found(tx: Transaction, project_id: str, where: DeadLetterFilter) -> DeadFilter:
    if where.since is not None and where.until is not None and where.until < where.since:
        raise InvalidInput("until", "must not be before since")
    job_id = where.job
    if job_id is not None and not is_id(job_id):  # a deleted job's dead letters are found by its id alone
        job_id = (await find_job(tx, project_id, job_id)).id
    return DeadFilter(job_id, where.fingerprint, where.since, where.until)


def _json(letter: DeadLetterRecord) -> Json:
    truncated = [name for name in letter.run.truncated if name in DeadLetterView.model_fields]
    return shown(DeadLetterView, letter, letter.run, truncated=truncated)


def _scope(name: str, where: DeadLetterFilter) -> str:
    return "\0".join([name, *("" if value is None else str(value) for _, value in where)])
