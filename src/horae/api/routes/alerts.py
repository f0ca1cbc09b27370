"""Alerts: what is wrong now, and was."""

from __future__ import annotations

from dataclasses import astuple
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from horae.api.auth import Principal, allow
from horae.api.body import read_model, read_object, takes, validate
from horae.api.context import Ctx
from horae.api.errors import refuses
from horae.api.params import AlertId, Page, find_job
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.alerts import (
    AckBody,
    AlertSettingsPatch,
    AlertSettingsView,
    AlertView,
    MonitoredAlertsView,
    SilenceBody,
    alert_json,
)
from horae.api.views import listing, reply, whole
from horae.domain import pages
from horae.domain.alerts.alert import AlertCounts, AlertFilter, AlertRecord, Severity, State
from horae.domain.errors import NotAllowed, NotFound
from horae.domain.text.ids import is_id
from horae.lifecycle.watching import alerts
from horae.lifecycle.watching.alerts import Reach
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["alerts"])

Reader = Annotated[Principal, Depends(allow("alerts:read"))]
Caring = Annotated[Principal, Depends(allow("alerts:ack"))]
Configuring = Annotated[Principal, Depends(allow("alerts:write"))]
EVERYTHING = "*"
_SHOWN = 50


async def alert_filter(
    state: Annotated[State | None, Query(description="open or cleared")] = None,
    severity: Annotated[Severity | None, Query(description="exactly this severity")] = None,
    rule: Annotated[str | None, Query(min_length=1, max_length=50, description="as in failing")] = None,
    job: Annotated[str | None, Query(min_length=1, max_length=200, description="its name or id")] = None,
) -> AlertFilter:
    return AlertFilter(state, severity, rule, job)


@router.get("/alerts", response_model=Listing[AlertView], responses=refuses(404))
async def list_alerts(
    context: Ctx,
    principal: Reader,
    page: Page,
    where: Annotated[AlertFilter, Depends(alert_filter)],
    project: Annotated[
        str | None, Query(min_length=1, max_length=200, description="its slug: only its alerts; `*` (admins): all")
    ] = None,
) -> Response:
    """Alerts of this project and of the installation, newest first."""
    scope = "\0".join(["alerts", *("" if value is None else str(value) for value in (*astuple(where), project))])
    after = page.after(context, principal, scope)
    found = await context.store.read(_page, principal, where, project, page.limit, after)
    return reply(listing(map(alert_json, found.items), page.next(context, principal, scope, found.next)))


@router.get("/alerts/settings", response_model=AlertSettingsView)
async def show_alert_settings(context: Ctx, principal: Reader) -> Response:
    """The thresholds that this project sets itself."""
    found = await context.store.read(lambda tx: tx.alerts.settings(principal.project_id))
    return reply(whole(found.model_dump()))


@router.patch("/alerts/settings", response_model=AlertSettingsView, openapi_extra=takes(AlertSettingsPatch, merge=True))
async def set_alert_settings(request: Request, context: Ctx, principal: Configuring) -> Response:
    """Sets the given thresholds of this project; null restores the installation's, 0 turns a rule off."""
    body = validate(AlertSettingsPatch, await read_object(request, merge=True))
    given = {name: getattr(body, name) for name in body.model_fields_set}
    done = await context.store.transact(
        alerts.configure,
        project_id=principal.project_id,
        change=lambda before: before.model_copy(update=given),
        actor=principal.actor,
    )
    return reply(whole(done.model_dump()))


@router.get("/alerts/{id}", response_model=AlertView, responses=refuses(404))
async def show_alert(context: Ctx, principal: Reader, alert_id: AlertId) -> Response:
    """One alert."""
    return reply(alert_json(await context.store.read(alerts.find_alert, _reach(principal), alert_id)))


@router.post(
    "/alerts/{id}/ack",
    response_model=AlertView,
    responses=refuses(404, 409),
    openapi_extra=takes(AckBody, required=False),
)
async def acknowledge_alert(request: Request, context: Ctx, principal: Caring, alert_id: AlertId) -> Response:
    """Acknowledges an open alert: others see who takes care of it."""
    body = await read_model(request, AckBody)
    done = await context.store.transact(
        alerts.acknowledge, reach=_reach(principal), alert_id=alert_id, actor=principal.actor, note=body.note
    )
    return reply(alert_json(done))


@router.post(
    "/alerts/{id}/silence", response_model=AlertView, responses=refuses(404, 409), openapi_extra=takes(SilenceBody)
)
async def silence_alert(request: Request, context: Ctx, principal: Caring, alert_id: AlertId) -> Response:
    """Sends no notices about an open alert for some time, even if it clears and reopens meanwhile."""
    body = await read_model(request, SilenceBody)
    done = await context.store.transact(
        alerts.silence,
        reach=_reach(principal),
        alert_id=alert_id,
        until=body.until,
        lasting=body.lasting,
        actor=principal.actor,
        note=body.note,
    )
    return reply(alert_json(done))


@router.get("/monitoring/alerts", response_model=MonitoredAlertsView)
async def monitor_alerts(context: Ctx, principal: Reader) -> Response:
    """How many alerts of this project and of the installation are open, and the worst of them."""
    now, counts, worst = await context.store.read(_worst, principal.project_id)
    numbers = {
        "open": counts.open,
        **counts.by_severity,
        "acknowledged": counts.acknowledged,
        "silenced": counts.silenced,
    }
    return reply({"timestamp": now, "alerts": numbers, "items": [alert_json(one) for one in worst]})


def _reach(principal: Principal) -> Reach:
    return Reach(principal.project_id, everything=principal.role == "admin")


async def _page(
    tx: Transaction, principal: Principal, where: AlertFilter, project: str | None, limit: int, after: str | None
) -> pages.Page[AlertRecord]:
    projects = await _projects(tx, principal, project)
    if where.subject is not None and not is_id(where.subject):  # a deleted job's alerts are found by its id alone
        job = await find_job(tx, principal.project_id, where.subject)
        where = AlertFilter(where.state, where.severity, where.rule, job.id)
    return await tx.alerts.page(projects, where, limit=limit, after=after)


async def _projects(tx: Transaction, principal: Principal, project: str | None) -> tuple[str | None, ...] | None:
    if project is None:
        return (principal.project_id, None)
    is_admin = principal.role == "admin"
    if project == EVERYTHING:
        if not is_admin:
            raise NotAllowed("project=* is for admins: leave it out to see your own project's alerts")
        return None
    found = await tx.access.project(project) if "\x00" not in project else None
    if found is None or not (is_admin or found.id == principal.project_id):
        raise NotFound("there is no such project, or it is not the one of this request")
    return (found.id,)


async def _worst(tx: Transaction, project_id: str) -> tuple[datetime, AlertCounts, list[AlertRecord]]:
    mine = (project_id, None)
    return await tx.now(), await tx.alerts.counts(mine), await tx.alerts.worst(mine, _SHOWN)
