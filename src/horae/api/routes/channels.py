"""Notification channels, and the delivery log."""

from __future__ import annotations

import base64
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from horae.accounts import channels
from horae.accounts.channels import ChannelChange
from horae.api.auth import Principal, allow
from horae.api.body import read_model, read_patch, takes, validate
from horae.api.context import Ctx
from horae.api.params import Page, name_of
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.channels import ChannelBody, ChannelPatch, ChannelView, DeliveryView, NewChannelView
from horae.api.scopes import scope_of
from horae.api.views import listing, reply, shown
from horae.domain.jobs.merge_patch import patch_definition
from horae.domain.notify.channel import ChannelRecord, ChannelRules, ChannelSpec
from horae.domain.notify.delivery import DeliveryRecord
from horae.domain.pages import Page as Found
from horae.domain.text.ids import NIL
from horae.domain.webhook_signature import PREFIX as KEY_PREFIX
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["channels"])

Reader = Annotated[Principal, Depends(allow("channels:read"))]
Writer = Annotated[Principal, Depends(allow("channels:write"))]
Installation = Annotated[
    bool, Query(description="the channels of the installation, which get its own alerts; admins only")
]
_READ_ONLY = frozenset(NewChannelView.model_fields) - frozenset(ChannelBody.model_fields)


def new_signing_key() -> str:
    return KEY_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


Ref = Annotated[str, Path(alias="id", description="a channel's id or its name"), name_of("channel", longest=100)]


def _scope(principal: Principal, installation: bool) -> str:
    return scope_of(principal, installation, "channels")


@router.get("/channels", response_model=Listing[ChannelView])
async def list_channels(context: Ctx, principal: Reader, page: Page, installation: Installation = False) -> Response:
    """All channels, by name, each with how its last delivery went."""
    project_id = _scope(principal, installation)
    cursor = f"channels\0{project_id}"
    after = page.after(context, principal, cursor)
    found = await context.store.read(lambda tx: tx.channels.page(project_id, limit=page.limit, after=after))
    items = (channel_json(channel) for channel in found.items)
    return reply(listing(items, page.next(context, principal, cursor, found.next)))


@router.post("/channels", status_code=201, response_model=NewChannelView, openapi_extra=takes(ChannelBody))
async def create_channel(
    request: Request, context: Ctx, principal: Writer, installation: Installation = False
) -> Response:
    """Creates a channel. The signing key of a webhook is generated unless you give one, and shown only here."""
    project_id = _scope(principal, installation)
    body = await read_model(request, ChannelBody)
    channel, made = await context.store.transact(
        channels.create_channel,
        channel_id=context.ids.new(),
        project_id=project_id,
        change=_change(body, new_signing_key()),
        seals=context.seals,
        actor=principal.actor,
    )
    shown_once = {**channel_json(channel), "signing_key": made}
    return reply(shown_once, 201, {"location": f"/api/v1/channels/{channel.id}"})


@router.get("/channels/{id}", response_model=ChannelView)
async def show_channel(context: Ctx, principal: Reader, ref: Ref, installation: Installation = False) -> Response:
    """One channel, by id or name; secrets are never returned."""
    project_id = _scope(principal, installation)
    return reply(channel_json(await context.store.read(channels.find_channel, project_id, ref)))


@router.patch("/channels/{id}", response_model=ChannelView, openapi_extra=takes(ChannelPatch, merge=True))
async def change_channel(
    request: Request, context: Ctx, principal: Writer, ref: Ref, installation: Installation = False
) -> Response:
    """Changes some fields (JSON merge patch). Secret fields that are not given stay as they are; they must be given
    again if the server that they are sent to changes."""
    project_id = _scope(principal, installation)
    patch = await read_patch(request, _READ_ONLY)

    def change(channel: ChannelRecord) -> ChannelChange:
        return _change(validate(ChannelBody, patch_definition(_given(channel), patch)))

    channel = await context.store.transact(
        channels.edit_channel,
        project_id=project_id,
        ref=ref,
        change=change,
        seals=context.seals,
        actor=principal.actor,
    )
    return reply(channel_json(channel))


@router.delete("/channels/{id}", status_code=204)
async def delete_channel(
    context: Ctx,
    principal: Writer,
    ref: Ref,
    force: Annotated[bool, Query(description="delete it even if jobs name it in `notify`")] = False,
    installation: Installation = False,
) -> Response:
    """Rejected with 409 while the current definition of a job names it. Pending messages are dropped."""
    project_id = _scope(principal, installation)
    await context.store.transact(
        channels.delete_channel, project_id=project_id, ref=ref, force=force, actor=principal.actor
    )
    return Response(status_code=204)


@router.post("/channels/{id}/test", status_code=202, response_model=DeliveryView)
async def send_test(context: Ctx, principal: Writer, ref: Ref, installation: Installation = False) -> Response:
    """Sends a test message, regardless of the channel's rules. A scheduler sends it: look at the deliveries."""
    project_id = _scope(principal, installation)
    made = await context.store.transact(
        channels.send_test,
        delivery_id=context.ids.new(),
        project_id=project_id,
        ref=ref,
        actor=principal.actor,
    )
    return reply(shown(DeliveryView, made), 202)


@router.get("/channels/{id}/deliveries", response_model=Listing[DeliveryView])
async def list_deliveries(
    context: Ctx, principal: Reader, page: Page, ref: Ref, installation: Installation = False
) -> Response:
    """The delivery log, newest first."""
    project_id = _scope(principal, installation)
    cursor = f"deliveries\0{project_id}\0{ref}"
    after = page.after(context, principal, cursor)
    found = await context.store.read(_deliveries, project_id, ref, page.limit, after)
    items = (shown(DeliveryView, delivery) for delivery in found.items)
    return reply(listing(items, page.next(context, principal, cursor, found.next)))


async def _deliveries(
    tx: Transaction, project_id: str, ref: str, limit: int, after: str | None
) -> Found[DeliveryRecord]:
    channel = await channels.find_channel(tx, project_id, ref)
    return await tx.deliveries.page(channel.id, limit=limit, after=after)


def _change(body: ChannelBody, new_key: str | None = None) -> ChannelChange:
    given = {name: getattr(body, name) for name in (*ChannelRules.model_fields, "target")}
    return ChannelChange(body.name, body.enabled, validate(ChannelSpec, given), new_key)


def _given(channel: ChannelRecord) -> dict[str, Any]:
    """A channel as it would have been sent, without what is secret."""
    known: dict[str, Any] = {"name": channel.name, "enabled": channel.enabled}
    if channel.spec is None:
        return known
    rules = channel.spec.model_dump(mode="json", include=set(ChannelRules.model_fields))
    return {**known, **rules, "target": channel.spec.target.public()}


def channel_json(channel: ChannelRecord) -> dict[str, Any]:
    spec = channel.spec
    rules = (spec or ChannelRules()).model_dump(mode="json", include=set(ChannelRules.model_fields))
    last = None
    if channel.last_state is not None:
        last = {"state": channel.last_state, "at": channel.last_at, "error": channel.last_error}
    return shown(
        ChannelView,
        channel,
        **rules,
        project_id=None if channel.project_id == NIL else channel.project_id,
        address=spec.address if spec else "",
        target=spec.target.public() if spec else None,
        has_secret=channel.sealed is not None or bool(spec and spec.target.references()),
        unreadable=channel.fault,
        last_delivery=last,
    )
