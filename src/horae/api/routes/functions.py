"""The functions that workers and admins have registered, of the whole installation."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from horae.api.auth import Principal, allow
from horae.api.body import read_model, takes
from horae.api.context import Ctx
from horae.api.params import Page
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.functions import FunctionPatch, FunctionView, NewFunction, function_json
from horae.api.views import listing, reply
from horae.domain.errors import NotFound
from horae.domain.jobs.function import FunctionChange, FunctionRecord
from horae.domain.jobs.function_path import FunctionPath
from horae.lifecycle import functions
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["functions"])

Reader = Annotated[Principal, Depends(allow("functions:read"))]
Writer = Annotated[Principal, Depends(allow("functions:write"))]


async def function_name(name: Annotated[str, Path(description="the name under which it is registered")]) -> str:
    if len(name) > 200:
        raise NotFound("there is no such function")
    return name


Name = Annotated[str, Depends(function_name)]


@router.get("/task-functions", response_model=Listing[FunctionView])
async def list_functions(context: Ctx, principal: Reader, page: Page) -> Response:
    """Functions by name."""
    after = page.after(context, principal, "functions")
    found = await context.store.read(lambda tx: tx.functions.page(limit=page.limit, after=after))
    next_cursor = page.next(context, principal, "functions", found.next)
    return reply(
        listing((function_json(one, for_admin=principal.may("functions:write")) for one in found.items), next_cursor)
    )


@router.post("/task-functions", status_code=201, response_model=FunctionView, openapi_extra=takes(NewFunction))
async def add_function(request: Request, context: Ctx, principal: Writer) -> Response:
    """Registers a function by its path, `shop.tasks.send_report`, without decorating it. Workers that can import it
    offer it within seconds and register its parameters; `import_error` says why none can."""
    body = await read_model(request, NewFunction)
    new = FunctionPath(
        body.name, body.handler_path, body.display_name, body.description, body.queue, body.default_timeout
    )
    found = await context.store.transact(functions.add_path, new=new, actor=principal.actor)
    return reply(function_json(found, for_admin=True), status=201)


@router.get("/task-functions/{name}", response_model=FunctionView)
async def show_function(context: Ctx, principal: Reader, name: Name) -> Response:
    """One function, with its parameters."""
    found = await context.store.read(_function, name)
    return reply(function_json(found, for_admin=principal.may("functions:write")))


@router.patch("/task-functions/{name}", response_model=FunctionView, openapi_extra=takes(FunctionPatch))
async def change_function(request: Request, context: Ctx, principal: Writer, name: Name) -> Response:
    """Enables or disables a function, or changes its display name or description. Jobs that call a
    disabled function cannot be saved or triggered, and their occurrences are skipped."""
    body = await read_model(request, FunctionPatch)
    change = FunctionChange(body.is_active, body.display_name, body.description)
    found = await context.store.transact(functions.change_function, name=name, change=change, actor=principal.actor)
    return reply(function_json(found, for_admin=True))


@router.delete("/task-functions/{name}", status_code=204)
async def delete_function(context: Ctx, principal: Writer, name: Name) -> Response:
    """Deletes a function that no worker has any more; a worker that still has it registers it again. Built-in functions
    cannot be deleted."""
    await context.store.transact(functions.delete_function, name=name, actor=principal.actor)
    return Response(status_code=204)


async def _function(tx: Transaction, name: str) -> FunctionRecord:
    found = await tx.functions.find(name)
    if found is None:
        raise NotFound(f"there is no function {name!r}")
    return found
