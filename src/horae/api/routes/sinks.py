"""Sinks of events."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from horae.accounts import sinks
from horae.accounts.sinks import SinkChange
from horae.api.auth import Principal, allow
from horae.api.body import read_model, read_patch, takes, validate
from horae.api.context import Ctx
from horae.api.params import Page, name_of
from horae.api.routes import PREFIX
from horae.api.routes.channels import new_signing_key
from horae.api.schemas import Listing
from horae.api.schemas.sinks import NewSinkView, SinkBody, SinkPatch, SinkTestView, SinkView
from horae.api.scopes import scope_of
from horae.api.views import listing, reply, shown
from horae.domain.jobs.merge_patch import patch_definition
from horae.domain.pages import Page as Found
from horae.domain.sinks.sink import SinkRecord, SinkRules, SinkSpec
from horae.domain.text.ids import NIL
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["sinks"])

Reader = Annotated[Principal, Depends(allow("sinks:read"))]
Writer = Annotated[Principal, Depends(allow("sinks:write"))]
Installation = Annotated[
    bool, Query(description="the sinks of the installation, which get the events of all projects; admins only")
]
_READ_ONLY = frozenset(NewSinkView.model_fields) - frozenset(SinkBody.model_fields)


Ref = Annotated[str, Path(alias="id", description="a sink's id or its name"), name_of("sink", longest=100)]


def _scope(principal: Principal, installation: bool) -> str:
    return scope_of(principal, installation, "sinks")


@router.get("/sinks", response_model=Listing[SinkView])
async def list_sinks(context: Ctx, principal: Reader, page: Page, installation: Installation = False) -> Response:
    """All sinks, by name, each with how sending goes."""
    project_id = _scope(principal, installation)
    cursor = f"sinks\0{project_id}"
    after = page.after(context, principal, cursor)
    found, waiting = await context.store.read(_page, project_id, page.limit, after)
    items = (sink_json(sink, waiting.get(sink.id, 0)) for sink in found.items)
    return reply(listing(items, page.next(context, principal, cursor, found.next)))


@router.post("/sinks", status_code=201, response_model=NewSinkView, openapi_extra=takes(SinkBody))
async def create_sink(
    request: Request, context: Ctx, principal: Writer, installation: Installation = False
) -> Response:
    """Creates a sink. The signing key of a webhook is generated unless you give one, and shown only here. It gets what
    happens from some seconds later on."""
    project_id = _scope(principal, installation)
    body = await read_model(request, SinkBody)
    sink, made = await context.store.transact(
        sinks.create_sink,
        sink_id=context.ids.new(),
        project_id=project_id,
        change=_change(body, new_signing_key()),
        seals=context.seals,
        actor=principal.actor,
    )
    await context.store.learn()
    return reply({**sink_json(sink, 0), "signing_key": made}, 201, {"location": f"/api/v1/sinks/{sink.id}"})


@router.get("/sinks/{id}", response_model=SinkView)
async def show_sink(context: Ctx, principal: Reader, ref: Ref, installation: Installation = False) -> Response:
    """One sink, by id or name; secrets are never returned."""
    project_id = _scope(principal, installation)
    return reply(sink_json(*await context.store.read(_one, project_id, ref)))


@router.patch("/sinks/{id}", response_model=SinkView, openapi_extra=takes(SinkPatch, merge=True))
async def change_sink(
    request: Request, context: Ctx, principal: Writer, ref: Ref, installation: Installation = False
) -> Response:
    """Changes some fields (JSON merge patch). Secret fields that are not given stay as they are. Disabling a sink drops
    the events that wait for it."""
    project_id = _scope(principal, installation)
    patch = await read_patch(request, _READ_ONLY)

    def change(sink: SinkRecord) -> SinkChange:
        return _change(validate(SinkBody, patch_definition(_given(sink), patch)))

    sink = await context.store.transact(
        sinks.edit_sink, project_id=project_id, ref=ref, change=change, seals=context.seals, actor=principal.actor
    )
    await context.store.learn()
    return reply(sink_json(*await context.store.read(_one, project_id, sink.id)))


@router.delete("/sinks/{id}", status_code=204)
async def delete_sink(context: Ctx, principal: Writer, ref: Ref, installation: Installation = False) -> Response:
    """The events that wait for it are dropped."""
    project_id = _scope(principal, installation)
    await context.store.transact(sinks.delete_sink, project_id=project_id, ref=ref, actor=principal.actor)
    await context.store.learn()
    return Response(status_code=204)


@router.post("/sinks/{id}/test", status_code=202, response_model=SinkTestView)
async def send_test_event(context: Ctx, principal: Writer, ref: Ref, installation: Installation = False) -> Response:
    """Queues a test event, behind what waits already. A scheduler sends it: look at the sink."""
    project_id, event_id = _scope(principal, installation), context.ids.new()
    await context.store.transact(
        sinks.send_test_event, event_id=event_id, project_id=project_id, ref=ref, actor=principal.actor
    )
    sink = sink_json(*await context.store.read(_one, project_id, ref))
    return reply({"event_id": event_id, "sink": sink}, 202)


async def _page(
    tx: Transaction, project_id: str, limit: int, after: str | None
) -> tuple[Found[SinkRecord], dict[str, int]]:
    found = await tx.sinks.page(project_id, limit=limit, after=after)
    return found, dict(await tx.outbox.waiting([sink.id for sink in found.items]))


async def _one(tx: Transaction, project_id: str, ref: str) -> tuple[SinkRecord, int]:
    sink = await sinks.find_sink(tx, project_id, ref)
    return sink, (await tx.outbox.waiting([sink.id])).get(sink.id, 0)


def _change(body: SinkBody, new_key: str | None = None) -> SinkChange:
    given = {name: getattr(body, name) for name in (*SinkRules.model_fields, "target")}
    return SinkChange(body.name, body.enabled, validate(SinkSpec, given), new_key)


def _given(sink: SinkRecord) -> dict[str, Any]:
    """A sink as it would have been sent, without what is secret."""
    known: dict[str, Any] = {"name": sink.name, "enabled": sink.enabled}
    if sink.spec is None:
        return known
    rules = sink.spec.model_dump(mode="json", include=set(SinkRules.model_fields))
    return {**known, **rules, "target": sink.spec.target.public()}


def sink_json(sink: SinkRecord, waiting: int) -> dict[str, Any]:
    spec = sink.spec
    rules = (spec or SinkRules()).model_dump(mode="json", include=set(SinkRules.model_fields))
    return shown(
        SinkView,
        sink,
        **rules,
        project_id=None if sink.project_id == NIL else sink.project_id,
        address=spec.address if spec else "",
        target=spec.target.public() if spec else None,
        unreadable=sink.fault,
        waiting=waiting,
    )
