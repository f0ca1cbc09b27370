"""Long-running operations with progress: backfills."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import OperationId, Page, Ref
from horae.api.routes import PREFIX
from horae.api.schedule_views import operation_json
from horae.api.schemas import Listing
from horae.api.schemas.schedules import BackfillBody, BackfillPlanView, OperationView
from horae.api.views import listing, reply
from horae.domain.runs.operation import Operation
from horae.lifecycle import backfill, cancel
from horae.lifecycle.find import found_operation
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["operations"])

Reader = Annotated[Principal, Depends(allow("operations:read"))]


@router.post(
    "/jobs/{id}/backfill",
    status_code=202,
    response_model=OperationView,
    responses={200: {"model": BackfillPlanView, "description": "With `dry_run`: what it would do"}},
    openapi_extra=takes(BackfillBody),
)
async def start_backfill(
    request: Request, context: Ctx, principal: Annotated[Principal, Depends(allow("jobs:backfill"))], ref: Ref
) -> Response:
    """Runs the occurrences in a past time range, `parallelism` at a time, with the current definition. Repeating the
    request for the same occurrences returns the operation that runs or ran them, unless `again` is true."""
    body = await read_model(request, BackfillBody)
    if body.dry_run:
        plan = await context.store.read(
            backfill.plan_backfill, project_id=principal.project_id, ref=ref, start=body.start, end=body.end
        )
        return reply(asdict(plan))
    operation = await context.store.transact(
        backfill.start_backfill,
        operation_id=context.ids.new(),
        project_id=principal.project_id,
        ref=ref,
        wanted=backfill.Backfill(body.start, body.end, body.parallelism, body.again),
        actor=principal.actor,
    )
    return reply(operation_json(operation), 202, {"location": f"/api/v1/operations/{operation.id}"})


@router.get("/operations", response_model=Listing[OperationView])
async def list_operations(context: Ctx, principal: Reader, page: Page) -> Response:
    """Newest first."""
    after = page.after(context, principal, "operations")
    found = await context.store.read(lambda tx: tx.operations.page(principal.project_id, limit=page.limit, after=after))
    next_cursor = page.next(context, principal, "operations", found.next)
    return reply(listing((operation_json(one) for one in found.items), next_cursor))


@router.get("/operations/{id}", response_model=OperationView)
async def show_operation(context: Ctx, principal: Reader, operation_id: OperationId) -> Response:
    """One operation and its progress."""
    return reply(operation_json(await context.store.read(found_operation, principal.project_id, operation_id)))


@router.post("/operations/{id}/cancel", status_code=202, response_model=OperationView)
async def cancel_operation(
    context: Ctx, principal: Annotated[Principal, Depends(allow("operations:cancel"))], operation_id: OperationId
) -> Response:
    """Stops queueing runs for it, and cancels its runs in progress."""
    found = await context.store.transact(_cancelled, principal, operation_id)
    return reply(operation_json(found), 202)


async def _cancelled(tx: Transaction, principal: Principal, operation_id: str) -> Operation:
    await cancel.cancel_operation(tx, project_id=principal.project_id, operation_id=operation_id, actor=principal.actor)
    return await found_operation(tx, principal.project_id, operation_id)
