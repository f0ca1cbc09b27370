"""Builds the API from the ports."""

from __future__ import annotations

from typing import Any

from fastapi import Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import Response

from horae import __version__
from horae.api import cors, errors, idempotency, request_meter
from horae.api.auth import public
from horae.api.body import described_models
from horae.api.context import ApiSettings, RequestContext
from horae.api.description import openapi
from horae.api.description.examples import illustrate
from horae.api.late_answers import Notes
from horae.api.portal import Portal
from horae.api.queue_use import QueueUses
from horae.api.quota_refusals import QuotaRefusals
from horae.api.routes import (
    alerts,
    audit,
    auth,
    badges,
    calendar,
    callbacks,
    channels,
    dead_letters,
    devices,
    documentation,
    events,
    explain,
    functions,
    health,
    invitations,
    jobs,
    keys,
    logs,
    members,
    metrics,
    monitoring,
    operations,
    pings,
    projects,
    queues,
    quotas,
    retries,
    runs,
    schedulers,
    schedules,
    second_factor,
    secrets,
    series,
    signals,
    single_sign_on,
    sinks,
    states,
    statistics,
    triggers,
    users,
    versions,
    worker,
    worker_keys,
    workers,
)
from horae.api.schemas import Problem
from horae.api.shell import Head, Rescue, Shell
from horae.api.signing_in.authenticator import Authenticator
from horae.api.signing_in.url_tokens import UrlTokens
from horae.api.stranded import Lookout
from horae.api.streams.watching import Watches
from horae.api.views import reply
from horae.api.working.waiting import WaitingRoom
from horae.ports import Clock, Ids, Provider, Store
from horae.sealing import Keyring


def build(store: Store, settings: ApiSettings, ids: Ids, clock: Clock, provider: Provider | None = None) -> FastAPI:
    """The API as an ASGI application. It does not close the store: its opener does."""
    app = FastAPI(
        title="Horae",
        version=__version__,
        summary="A distributed job scheduler",
        openapi_url=None,  # served below: like every route, it declares who may see it
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # it would look for a provider at every request
    )
    lookout = Lookout(store, clock, settings.offline_after, settings.engines)
    uses = QueueUses(store, clock)
    app.state.context = RequestContext(store, settings, ids, clock, Keyring(*settings.keys), lookout, uses, provider)
    app.state.authenticator = Authenticator(app.state.context)
    app.state.url_tokens = UrlTokens(app.state.context, app.state.authenticator)
    app.state.notes = Notes(app.state.context)
    app.state.quota_refusals = QuotaRefusals(store, clock)
    app.state.watches = Watches(app.state.context)
    app.state.waiting_room = WaitingRoom(clock)
    app.state.hints_trouble = lambda: None  # why this process cannot send wake-ups
    errors.install(app)
    idempotency.install(app)
    about_jobs = (triggers, jobs, states, versions, operations, statistics, schedules, calendar)
    about_people = (auth, second_factor, single_sign_on, devices, users, projects, quotas, members, invitations, keys)
    about_runs = (audit, runs, logs, callbacks, explain, retries, dead_letters)
    about_all = (secrets, channels, sinks, functions, workers, schedulers, queues, monitoring, series, alerts, events)
    about_foreign_jobs = (signals, pings, badges)
    about_itself = (health, metrics, documentation)
    about_agents = (worker, worker_keys)
    for module in (
        *about_jobs,
        *about_people,
        *about_runs,
        *about_all,
        *about_foreign_jobs,
        *about_agents,
        *about_itself,
    ):
        app.router.routes.extend(module.router.routes)  # `include_router` would create each route a second time
    app.add_api_route("/openapi.json", _openapi, dependencies=[Depends(public)], include_in_schema=False)
    app.openapi = lambda: _describe(app)  # type: ignore[method-assign]
    app.add_middleware(idempotency.IdempotencyMiddleware, context=app.state.context, notes=app.state.notes)
    app.add_middleware(Head)
    app.add_middleware(Portal, folder=settings.portal)
    app.add_middleware(Rescue)
    cors.install(app, settings.cors_origins)
    app.add_middleware(Shell, ids=ids, clock=clock, meters=request_meter.install(app))
    return app


async def _openapi(request: Request) -> Response:
    return reply(request.app.openapi())


def _describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the bodies that routes read themselves."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        models: list[type[BaseModel]] = [Problem, *described_models()]
        _, found = models_json_schema(
            [(model, "validation") for model in models],
            ref_template="#/components/schemas/{model}",
        )
        components = schema.setdefault("components", {})
        answers = components.get("schemas", {})
        components["schemas"] = {**openapi.beside(found.get("$defs", {}), answers), **answers}
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"key": []}]
        illustrate(schema)
        openapi.complete(app, schema)
        app.openapi_schema = schema
    return app.openapi_schema
