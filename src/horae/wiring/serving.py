"""`horae serve`: the API and the server around it."""

from __future__ import annotations

import asyncio
import os
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from horae.config import Settings, service_manager
from horae.domain.cluster.readiness import STARTING, Readiness
from horae.domain.errors import ConfigurationError
from horae.domain.loopback import local_url
from horae.executors.http_files import allow_sockets
from horae.processes.loop import Loop, log, measure, patiently
from horae.processes.signals import ignore_signals, stop_signals
from horae.store.store import SqlStore
from horae.watch.systemd import SystemdNotifier
from horae.wiring.alerts import scheduler_watch
from horae.wiring.engines import broker_state, celery_of, choice_of, close_engine
from horae.wiring.shared import CLOCK, IDS, configured, defaults_of, run, settle_down
from horae.wiring.sign_in import provider_of, rules_of
from horae.wiring.sinks import SinkWatch
from horae.wiring.stores import store_for, wakeups_for
from horae.wiring.tracing import Tracing
from horae.wiring.watching import introduced, measured

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from horae.api.startup import StartupApp
    from horae.domain.people.second_factor import Policy

_LOOK = 5.0  # seconds between two checks whether the database is up
_CONNECTIONS = 10_000  # that it requests file descriptors for, if the machine allows as many
_PATIENCE = 5.0  # seconds that a request waits for a connection to the database


def serve(settings: Settings) -> None:
    configured(settings, "serve")
    run(_serve(settings))


async def _serve(settings: Settings) -> None:
    """Listens immediately: requests get a 503 until the database is up."""
    from horae.api.startup import StartupApp

    stop, stop_now = stop_signals()
    settings.need_secret_key()
    provider_of(settings)  # a missing setting is reported before anything is started
    door = StartupApp(IDS, CLOCK)
    server, listener = _server(settings, door), _listen(settings)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    ending = asyncio.create_task(_end(server, door, stop, stop_now))
    wakeups = wakeups_for(settings)
    looking: Loop | None = None

    def readiness() -> Readiness:
        if stop.is_set():
            return Readiness(("it is stopping",), leaving=True)
        if looking is None:
            return STARTING
        return Readiness(("the database does not answer",) if looking.trouble else ())

    systemd = SystemdNotifier(*service_manager(), readiness)
    systemd.start()
    store: SqlStore | None = None
    sinks: SinkWatch | None = None
    tracing = Tracing(settings, "serve")
    try:
        store = await patiently(
            lambda: store_for(settings, wakeups, connections=8, patience=_PATIENCE, watched=True), stop
        )
        if store is not None:
            sinks = SinkWatch(store)
            await sinks.start()
            if (engine := celery_of(store)) is not None:
                await engine.watch()
            app = _app(settings, store)
            await wakeups.start(("runs", "cancel"), app.state.waiting_room.on_hint)
            introduced(app.state.meters, "serve", readiness)
            measured(app.state.meters, "serve", store, wakeups)
            app.state.hints_trouble = lambda: wakeups.trouble
            tracing.watch(store)
            door.open(app)
            log.info("serving", url=f"http://{settings.host}:{settings.port}")
            await patiently(partial(_welcome, settings, store), stop)
            looking, watching = Loop("database", partial(_look, store)), scheduler_watch(store, settings)
            measure((looking, watching), app.state.meters)
            for loop in (looking, watching):
                serving.add_done_callback(partial(_stop, loop))
            settle_down()
            await asyncio.gather(looking.run(), watching.run())
        await serving
    finally:
        server.should_exit = True
        await serving
        await systemd.close()
        ending.cancel()
        if sinks is not None:
            await sinks.close()
        if store is not None:
            await close_engine(store)
        await wakeups.close()
        if store is not None:
            await store.close()
        tracing.close()
        ignore_signals()


def _app(settings: Settings, store: SqlStore) -> FastAPI:
    from horae.api.app import build
    from horae.api.context import ApiSettings

    api = ApiSettings(
        settings.need_secret_key(),
        offline_after=settings.offline_after,
        shard_lease=settings.shard_lease,
        defaults=defaults_of(settings),
        metrics_token=settings.metrics_token,
        metrics_jobs=frozenset(
            (project, name) for project, _, name in (job.partition("/") for job in settings.metrics_jobs or ())
        ),
        secret_key_previous=settings.secret_key_previous,
        allow_signup=settings.allow_signup,
        second_factor=cast("Policy", settings.second_factor),
        project_quotas=settings.project_quotas,
        api_rate=settings.api_rate,
        trusted_proxies=settings.trusted_proxies or (),
        cors_origins=settings.cors_origins or (),
        public_url=settings.public_url,
        trace_url=settings.trace_url,
        password_sign_in=settings.password_sign_in,
        sso=rules_of(settings),
        sso_session=settings.oidc_session,
        broker=partial(broker_state, store),
        engines=choice_of(settings),
        lease=settings.lease,
        heartbeat=settings.heartbeat,
        log_limit=settings.log_limit,
        grace=settings.grace,
    )
    return build(store, api, IDS, CLOCK, provider_of(settings))


def _server(settings: Settings, door: StartupApp) -> uvicorn.Server:
    import uvicorn

    from horae.api.address import Proxies
    from horae.wiring.crowd import Crowd
    from horae.wiring.slow_clients import SlowClientProtocol

    SlowClientProtocol.crowd = Crowd(allow_sockets(_CONNECTIONS), Proxies(settings.trusted_proxies or ()).trusts)
    server = uvicorn.Server(
        uvicorn.Config(
            door,
            http=SlowClientProtocol,
            host=settings.host,
            port=settings.port,
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,  # the API reads them itself, from proxies that a setting names
            timeout_graceful_shutdown=3,
            lifespan="off",
            ws="none",
        )
    )
    # Its own signal handling ends in raising them again: the process would die before it has closed anything.
    server.capture_signals = nullcontext  # type: ignore[method-assign, assignment]
    return server


def _stop(loop: Loop, _: asyncio.Task[None]) -> None:
    loop.stop()


async def _look(store: SqlStore) -> float:
    """Requests are refused while the database is down; this logs it, in case there are no requests."""
    await store.read(lambda tx: tx.upkeep.check_writable())
    if (engine := celery_of(store)) is not None:
        await engine.watch()
    return _LOOK


async def _welcome(settings: Settings, store: SqlStore) -> None:
    from horae.api import portal_files
    from horae.api.signing_in.welcome import first_token

    if not settings.password_sign_in:
        return  # the first admin comes from a group of the identity provider
    token = await first_token(store, IDS)
    if token is not None:
        here = settings.public_url or local_url(settings.host, settings.port)
        # After the #, so that no server and no log on the way sees it.
        link = {"link": f"{here.rstrip('/')}/setup#{token}"} if portal_files.built() else {}
        words = "no users yet: `horae signup` creates the first admin, once and within a day"
        log.info(words, token=token, **link)


async def _end(server: uvicorn.Server, door: StartupApp, stop: asyncio.Event, stop_now: asyncio.Event) -> None:
    await stop.wait()
    door.stop()
    server.should_exit = True
    await stop_now.wait()
    server.force_exit = True


def _listen(settings: Settings) -> Any:
    import socket

    try:
        return socket.create_server(
            (settings.host, settings.port),
            family=socket.AF_INET6 if ":" in settings.host else socket.AF_INET,
            backlog=1024,
        )
    except OSError as error:
        raise ConfigurationError(
            f"cannot listen on {settings.host}:{settings.port} ({os.strerror(error.errno or 0)}): "
            "choose another port with HORAE_PORT=…"
        ) from None
