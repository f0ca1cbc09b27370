"""Pings: monitors of jobs that Horae does not run. What reports to them comes by `routes/signals.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from horae.api.auth import Principal, allow
from horae.api.body import read_model, read_patch, takes, validate
from horae.api.context import Ctx
from horae.api.params import Expected, Page, name_of
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.pings import PingBody, PingCountsView, PingEventDetailView, PingEventView, PingPatch, PingView
from horae.api.schemas.schedules import PauseBody
from horae.api.signing_in.authenticator import Auth
from horae.api.signing_in.url_tokens import base_url, mint, opened
from horae.api.views import listing, reply, shown, whole
from horae.domain import pages
from horae.domain.errors import NotFound
from horae.domain.jobs.merge_patch import patch_definition
from horae.domain.jobs.stored import unknown_fields
from horae.domain.pings.ping import NewPing, PingEvent, PingFilter, PingRecord, PingState
from horae.domain.pings.rules import deadline, state_of
from horae.domain.pings.spec import PingSpec, read_stored, stored_text
from horae.domain.time.schedule_words import in_words
from horae.lifecycle.watching import pings
from horae.lifecycle.watching.pings import find_ping
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["pings"])

Reader = Annotated[Principal, Depends(allow("pings:read"))]
Pauser = Annotated[Principal, Depends(allow("pings:pause"))]
Writer = Annotated[Principal, Depends(allow("pings:write"))]
READ_ONLY = frozenset(PingView.model_fields) - frozenset(PingSpec.model_fields)


Ref = Annotated[str, Path(alias="id", description="a ping's id or its name"), name_of("ping")]


class Shower:
    """Pings as the caller may see them."""

    def __init__(self, request: Request, context: Ctx, authenticator: Auth, now: datetime) -> None:
        self._context, self._now = context, now
        self._base = base_url(request, context, authenticator)

    def json(self, ping: PingRecord, principal: Principal) -> dict[str, Any]:
        spec, standing, now = ping.spec, ping.standing, self._now
        token = opened(self._context.seals, ping.sealed) if principal.may("pings:write") else None
        definition: dict[str, Any] = whole(spec.to_json())
        given = {
            **{name: definition[name] for name in PingSpec.model_fields},
            "unreadable": spec.fault,
            "words": None if spec.fault else in_words(spec.schedule),
            "state": state_of(spec, standing, now).value,
            "started_at": min((start.at for start in standing.starts), default=None),
            "deadline_at": None if standing.paused else deadline(spec, standing),
            "url": None if token is None else f"{self._base}/ping/{token}",
        }
        if spec.fault:
            given["schedule"] = None
        return shown(PingView, ping, standing, **given)

    def reply(self, ping: PingRecord, principal: Principal, status: int = 200) -> Response:
        headers = {"etag": f'"{ping.version}"'}
        if status == 201:
            headers["location"] = f"{PREFIX}/pings/{ping.id}"
        return reply(self.json(ping, principal), status, headers)


async def shower(request: Request, context: Ctx, authenticator: Auth) -> Shower:
    now = await context.store.read(lambda tx: tx.now())  # by the clock that alerts and filters use
    return Shower(request, context, authenticator, now)


Show = Annotated[Shower, Depends(shower)]


@router.get("/pings", response_model=Listing[PingView])
async def list_pings(
    context: Ctx,
    principal: Reader,
    show: Show,
    page: Page,
    q: Annotated[str | None, Query(min_length=1, max_length=200, description="part of the name")] = None,
    state: Annotated[PingState | None, Query(description="only pings in this state")] = None,
    tag: Annotated[str | None, Query(min_length=1, max_length=100, description="one of the tags")] = None,
) -> Response:
    """Pings, by name."""
    where = PingFilter(q, state, tag)
    scope = "\0".join(["pings", *("" if value is None else str(value) for value in astuple(where))])
    after = page.after(context, principal, scope)
    found = await context.store.read(
        lambda tx: tx.pings.page(principal.project_id, where, limit=page.limit, after=after)
    )
    next_cursor = page.next(context, principal, scope, found.next)
    return reply(listing((show.json(ping, principal) for ping in found.items), next_cursor))


@router.post("/pings", status_code=201, response_model=PingView, openapi_extra=takes(PingBody))
async def create_ping(request: Request, context: Ctx, principal: Writer, show: Show) -> Response:
    """Creates a ping. Its name must be unique among the project's pings; its `url` is what the job calls."""
    spec = (await read_model(request, PingBody)).spec()
    ping_id = context.ids.new()
    token = mint(context.seals, principal.project_id, "ping", ping_id)
    new = NewPing(ping_id, principal.project_id, spec, token, principal.actor)
    return show.reply(await context.store.transact(pings.create_ping, ping=new), principal, 201)


@router.get("/pings/{id}", response_model=PingView)
async def show_ping(context: Ctx, principal: Reader, show: Show, ref: Ref) -> Response:
    """One ping, by id or name."""
    return show.reply(await context.store.read(find_ping, principal.project_id, ref), principal)


@router.patch("/pings/{id}", response_model=PingView, openapi_extra=takes(PingPatch, merge=True))
async def change_ping(
    request: Request, context: Ctx, principal: Writer, show: Show, ref: Ref, expected: Expected
) -> Response:
    """Changes some fields (JSON merge patch): null restores the default. A schedule of another kind replaces the old
    one entirely."""
    patch = await read_patch(request, READ_ONLY)
    ping = await context.store.transact(
        pings.edit_ping,
        project_id=principal.project_id,
        ref=ref,
        change=lambda spec: _patched(spec, patch),
        expected_version=expected,
        actor=principal.actor,
    )
    return show.reply(ping, principal)


@router.delete("/pings/{id}", status_code=204)
async def delete_ping(context: Ctx, principal: Writer, ref: Ref, expected: Expected) -> Response:
    """Deletes a ping, its events and its badges. Its URL stops working."""
    await context.store.transact(
        pings.delete_ping,
        project_id=principal.project_id,
        ref=ref,
        actor=principal.actor,
        expected_version=expected,
    )
    return Response(status_code=204)


@router.post("/pings/{id}/pause", response_model=PingView, openapi_extra=takes(PauseBody, required=False))
async def pause_ping(request: Request, context: Ctx, principal: Pauser, show: Show, ref: Ref) -> Response:
    """Expects no signal and opens no alert until `until`, or until it is resumed. Signals are still recorded."""
    body = await read_model(request, PauseBody)
    ping = await context.store.transact(
        pings.pause_ping, project_id=principal.project_id, ref=ref, until=body.until, actor=principal.actor
    )
    return show.reply(ping, principal)


@router.post("/pings/{id}/resume", response_model=PingView)
async def resume_ping(context: Ctx, principal: Pauser, show: Show, ref: Ref) -> Response:
    """Ends a pause. What was missed meanwhile does not count."""
    ping = await context.store.transact(
        pings.resume_ping, project_id=principal.project_id, ref=ref, actor=principal.actor
    )
    return show.reply(ping, principal)


@router.post("/pings/{id}/rotate", response_model=PingView)
async def rotate_ping(context: Ctx, principal: Writer, show: Show, ref: Ref) -> Response:
    """Replaces the URL. The old one stops working at once."""
    ping = await context.store.read(find_ping, principal.project_id, ref)
    token = mint(context.seals, principal.project_id, "ping", ping.id)
    ping = await context.store.transact(
        pings.rotate_token, project_id=principal.project_id, ref=ping.id, token=token, actor=principal.actor
    )
    return show.reply(ping, principal)


@router.get("/pings/{id}/events", response_model=Listing[PingEventView])
async def list_ping_events(context: Ctx, principal: Reader, ref: Ref, page: Page) -> Response:
    """Its signals, newest first; the newest 100 are kept."""
    scope = f"ping-events\0{ref}"
    after = page.after(context, principal, scope)
    found = await context.store.read(
        _events, principal.project_id, ref, page.limit, None if after is None else int(after)
    )
    next_cursor = page.next(context, principal, scope, found.next)
    return reply(listing((shown(PingEventView, event, event.message) for event in found.items), next_cursor))


@router.get("/pings/{id}/events/{n}", response_model=PingEventDetailView)
async def show_ping_event(
    context: Ctx,
    principal: Reader,
    ref: Ref,
    number: Annotated[int, Path(alias="n", ge=1, lt=1 << 62, description="the event's number")],
) -> Response:
    """One event, with the body that was sent."""
    event = await context.store.read(_event, principal.project_id, ref, number)
    body = event.message.body
    truncated = len((body or "").encode()) < (event.message.body_bytes or 0)
    return reply(shown(PingEventDetailView, event, event.message, truncated=truncated))


@router.get("/monitoring/pings", response_model=PingCountsView)
async def count_pings(context: Ctx, principal: Reader) -> Response:
    """How many pings of the project are in each state."""
    found = await context.store.read(lambda tx: tx.pings.states(principal.project_id))
    return reply({state.value: count for state, count in found.items()})


async def _events(tx: Transaction, project_id: str, ref: str, limit: int, after: int | None) -> pages.Page[PingEvent]:
    ping = await find_ping(tx, project_id, ref)
    return await tx.ping_events.page(ping.id, limit=limit, after=after)


async def _event(tx: Transaction, project_id: str, ref: str, number: int) -> PingEvent:
    ping = await find_ping(tx, project_id, ref)
    found = await tx.ping_events.find(ping.id, number)
    if found is None:
        raise NotFound("there is no such event: it may be too old")
    return found


def _patched(spec: PingSpec, patch: Mapping[str, Any]) -> PingSpec:
    """What is stored and unknown to this version stays; what is given must be known."""
    new = validate(PingSpec, patch_definition(spec.to_json(), patch))
    if any(unknown_fields(spec)):
        stored = {**json.loads(stored_text(spec)), "name": spec.name}
        merged = patch_definition(stored, patch)
        return read_stored(new.name, json.dumps({name: value for name, value in merged.items() if name != "name"}))
    return new
