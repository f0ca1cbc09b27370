"""`horae serve`: the API and the server around it."""

from __future__ import annotations

import asyncio
import os
from contextlib import nullcontext
from typing import Any

from horae.config import Settings
from horae.domain.errors import ConfigurationError
from horae.processes.loop import log
from horae.processes.signals import ignore_signals, stop_signals
from horae.store.store import SqlStore
from horae.wiring.shared import CLOCK, IDS, configured, run
from horae.wiring.stores import store_for, wakeups_for


def serve(settings: Settings) -> None:
    configured(settings, "serve")
    run(_serve(settings))


async def _serve(settings: Settings) -> None:
    import uvicorn

    from horae.api.app import build
    from horae.api.context import ApiSettings
    from horae.wiring.patience import Patient

    stop, stop_now = stop_signals()
    wakeups = wakeups_for(settings)
    store = await store_for(settings, wakeups, connections=8)
    await wakeups.start((), lambda _: None)
    try:
        api = ApiSettings(
            settings.need_secret_key(),
            offline_after=settings.offline_after,
            default_timeout=settings.default_timeout,
            metrics_token=settings.metrics_token,
            secret_key_previous=settings.secret_key_previous,
            allow_signup=settings.allow_signup,
            api_rate=settings.api_rate,
            trusted_proxies=settings.trusted_proxies or (),
            cors_origins=settings.cors_origins or (),
            public_url=settings.public_url,
        )
        app = build(store, api, IDS, CLOCK)
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                http=Patient,
                host=settings.host,
                port=settings.port,
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,  # the API reads them itself, of proxies that a setting names
                timeout_graceful_shutdown=3,
                lifespan="off",
                ws="none",
            )
        )
        # Its own way with signals ends in raising them again: the process would die before it has closed anything.
        server.capture_signals = nullcontext  # type: ignore[method-assign, assignment]
        ending = asyncio.create_task(_end(server, app.state.context.stopping, stop, stop_now))
        listener = _listen(settings)
        log.info("serving", url=f"http://{settings.host}:{settings.port}")
        await _welcome(store)
        await server.serve(sockets=[listener])
        ending.cancel()
    finally:
        await wakeups.close()
        await store.close()
        ignore_signals()


async def _welcome(store: SqlStore) -> None:
    from horae.api.welcome import first_token

    token = await first_token(store, IDS)
    if token is not None:
        log.info("nobody has signed up yet; `horae signup` makes the first admin, once and within a day", token=token)


async def _end(server: Any, stopping: asyncio.Event, stop: asyncio.Event, stop_now: asyncio.Event) -> None:
    await stop.wait()
    stopping.set()
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
