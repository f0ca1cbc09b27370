"""Chooses the adapters and puts the processes together: the one place that knows all of Horae.

The functions here block until their process ends; the command line calls them.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Coroutine, Sequence
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import uvloop

from horae import __version__
from horae.clock import SystemClock, SystemIds
from horae.config import Settings, process_environment, secret_variables, user_cache
from horae.domain.errors import ConfigurationError
from horae.domain.function import FunctionSign
from horae.domain.records import ApiKey, SchedulerSign, WorkerSign
from horae.domain.targets.fields import Limits
from horae.ports import Executor, Starting, Transaction, Wakeups
from horae.processes.host import this_host, told, told_dead
from horae.processes.loop import log
from horae.processes.settings import SchedulerSettings, WorkerSettings
from horae.processes.signals import ignore_signals, stop_signals
from horae.sealing import Keyring
from horae.store import open_store, schema
from horae.store.open import sqlite_path
from horae.store.store import SqlStore
from horae.watch import health
from horae.watch.health import Cluster
from horae.watch.logging import configure

if TYPE_CHECKING:
    from horae.executors.commands import CommandRunner
    from horae.executors.containers.runner import ContainerRunner

T = TypeVar("T")
CLOCK, IDS = SystemClock(), SystemIds()
LOCAL_KEY = "local"  # the key of `horae up`, and who made it
COMMAND_LINE = "command line"  # who makes things straight on the database


# ---- the store


def wakeups_for(settings: Settings) -> Wakeups:
    scheme = settings.database_url.partition(":")[0]
    if scheme.startswith("postgres"):
        from horae.wakeups.postgresql import PostgresqlWakeups

        return PostgresqlWakeups(settings.database_url)
    if scheme == "sqlite":
        from horae.wakeups.local import LocalWakeups

        # Beside the database file: whoever shares the file shares the hints.
        return LocalWakeups(Path(sqlite_path(settings.database_url)).absolute().parent / "wake")
    from horae.wakeups.polling import PollingWakeups

    return PollingWakeups()


async def store_for(settings: Settings, wakeups: Wakeups | None = None, *, connections: int = 4) -> SqlStore:
    store = await open_store(
        settings.database_url,
        clock=CLOCK,
        ids=IDS,
        connections=connections,
        on_commit=wakeups.send if wakeups else None,
    )
    if settings.shard_count != store.shard_count and settings.sources.get("shard_count") != "default":
        log.warning(
            "the number of shards was settled when the database was made; the setting is ignored",
            stored=store.shard_count,
            configured=settings.shard_count,
        )
    return store


def migrate(settings: Settings) -> None:
    _run(schema.migrate(settings.database_url, shard_count=settings.shard_count))


# ---- keys and users


def create_key(settings: Settings, *, name: str, role: str, expires_at: datetime | None = None) -> dict[str, str]:
    """Makes an API key straight on the database: `{"id": …, "token": …}`."""
    return _run(_create_key(settings, name, role, expires_at))


async def _create_key(settings: Settings, name: str, role: str, expires_at: datetime | None) -> dict[str, str]:
    from horae.api.tokens import mint
    from horae.lifecycle import keys

    token, key_id = mint(), IDS.new()

    async def create(tx: Transaction) -> None:
        project = await tx.access.default_project()
        key = ApiKey(key_id, project.id, name, role, token.prefix, token.digest, COMMAND_LINE, expires_at)
        await keys.create_key(tx, key=key, maker="admin")

    store = await store_for(settings, connections=1)
    try:
        await store.transact(create)
    finally:
        await store.close()
    return {"id": key_id, "token": token.text}


def create_user(settings: Settings, *, username: str, password: str, admin: bool) -> dict[str, Any]:
    """Makes a user straight on the database; an admin also owns the default project, as the first one does."""
    return _run(_create_user(settings, username, password, admin))


async def _create_user(settings: Settings, username: str, password: str, admin: bool) -> dict[str, Any]:
    from horae.api.passwords import hash_password
    from horae.domain.account import NewUser
    from horae.lifecycle import projects, users

    user = NewUser(IDS.new(), username, hash_password(password), admin, COMMAND_LINE)

    async def create(tx: Transaction) -> None:
        await users.create_user(tx, user=user)
        if admin:
            project = await tx.access.default_project()
            await projects.set_member(tx, project_id=project.id, ref=user.id, role="owner", actor=COMMAND_LINE)

    store = await store_for(settings, connections=1)
    try:
        await store.transact(create)
    finally:
        await store.close()
    return {"id": user.id, "username": user.username, "is_admin": admin}


def ensure_local_key(settings: Settings, token: str | None) -> str:
    """The admin key of this machine: `token` if it is still good, or a new one in its place."""
    return _run(_ensure_local_key(settings, token))


async def _ensure_local_key(settings: Settings, token: str | None) -> str:
    from horae.api.tokens import matches, mint, prefix_of

    store = await store_for(settings, connections=1)
    try:
        prefix = prefix_of(token) if token else None
        if token and prefix:
            known = await store.read(_key, prefix)
            if known is not None and matches(token, known.digest):
                return token
        made = mint()
        await store.transact(_put_key, IDS.new(), made.prefix, made.digest)
        return made.text
    finally:
        await store.close()


async def _key(tx: Transaction, prefix: str) -> Any:
    return await tx.access.key(prefix)


async def _put_key(tx: Transaction, key_id: str, prefix: str, digest: str) -> None:
    project = await tx.access.default_project()
    await tx.access.replace_key(ApiKey(key_id, project.id, LOCAL_KEY, "admin", prefix, digest, LOCAL_KEY))


# ---- secrets


def rotate_secrets(settings: Settings) -> tuple[int, list[str]]:
    """Seals all secrets with the present key: how many there were to seal, and those that no key opens."""
    return _run(_rotate_secrets(settings))


async def _rotate_secrets(settings: Settings) -> tuple[int, list[str]]:
    from horae.lifecycle.secrets import reseal

    seals = Keyring(settings.need_secret_key(), settings.secret_key_previous)
    store = await store_for(settings, connections=1)
    try:
        step = await store.transact(reseal, seals=seals)
        done, cannot = step.done, step.cannot
        while step.after is not None:
            step = await store.transact(reseal, seals=seals, after=step.after)
            done, cannot = done + step.done, cannot + step.cannot
        return done, cannot
    finally:
        await store.close()


# ---- health


def look(settings: Settings) -> Cluster:
    """Who is alive, straight from the database."""
    return _run(_look(settings))


async def _look(settings: Settings) -> Cluster:
    store = await store_for(settings, connections=1)
    try:
        found: Cluster = await store.read(health.look, settings.offline_after)
        return found
    finally:
        await store.close()


# ---- processes


def serve(settings: Settings) -> None:
    _configure(settings, "serve")
    _run(_serve(settings))


async def _serve(settings: Settings) -> None:
    import uvicorn

    from horae.api.app import build
    from horae.api.context import ApiSettings

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
            public_url=settings.public_url,
        )
        app = build(store, api, IDS, CLOCK)
        server = uvicorn.Server(
            uvicorn.Config(
                app,
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


def scheduler(settings: Settings) -> None:
    _configure(settings, "scheduler")
    _run(_scheduler(settings))


async def _scheduler(settings: Settings) -> None:
    from horae.processes.scheduler import Scheduler

    stop, _ = stop_signals()
    wakeups = wakeups_for(settings)
    store = await store_for(settings, wakeups, connections=2)
    process = Scheduler(
        SchedulerSign(IDS.new(), this_host(), __version__),
        store,
        SchedulerSettings(
            poll=settings.scheduler_poll,
            batch=settings.scheduler_batch,
            shard_lease=settings.shard_lease,
            retention=settings.retention,
            log_retention=settings.log_retention,
        ),
        shard_count=store.shard_count,
        clock=CLOCK,
        ids=IDS,
        hints_arrive=lambda: wakeups.reliable,
    )
    await wakeups.start(("jobs", "shards"), process.on_hint)
    try:
        _settle_down()
        await process.run(stop)
    finally:
        await wakeups.close()
        await store.close()
        ignore_signals()


def worker(settings: Settings, *, queues: Sequence[str], slots: int, imports: Sequence[str]) -> None:
    _configure(settings, "worker")
    executors = executors_for(settings, slots, imports)
    _run(_worker(settings, tuple(queues), slots, executors))


def executors_for(settings: Settings, slots: int, imports: Sequence[str]) -> dict[str, Executor]:
    executors: dict[str, Executor] = {}
    commands = _commands(settings)
    containers = _containers(settings) if "container" in settings.executors else None
    for kind in settings.executors:
        if kind == "http":
            executors[kind] = _http(settings, slots)
        elif kind == "script":
            from horae.executors.script import ScriptExecutor

            executors[kind] = ScriptExecutor(commands)
        elif kind == "python":
            executors[kind] = _python(imports, slots)
        elif kind == "container" and containers is not None:
            from horae.executors.container import ContainerExecutor

            executors[kind] = ContainerExecutor(containers, mounts=settings.container_mounts or ())
        elif kind == "artifact":
            executors[kind] = _artifact(settings, commands, containers)
        else:
            raise ConfigurationError(
                f"HORAE_EXECUTORS names {kind!r}; this Horae has http, python, script, container and artifact"
            )
    return executors


def _http(settings: Settings, slots: int) -> Executor:
    from horae.domain.callback import Callbacks
    from horae.executors.http import HttpExecutor
    from horae.executors.http_files import allow_sockets

    room = allow_sockets(slots)
    if room < slots:
        log.warning("fewer open files than slots: calls beyond that fail; see `ulimit -n`", slots=slots, room=room)
    known = settings.public_url and settings.secret_key
    callbacks = Callbacks(settings.public_url or "", settings.secret_key or "") if known else None
    return HttpExecutor(CLOCK, version=__version__, allow_private=settings.http_allow_private, callbacks=callbacks)


def _containers(settings: Settings) -> ContainerRunner:
    """One for all executors that use containers."""
    from horae.executors.containers.credentials import Credentials, find_file
    from horae.executors.containers.ownership import Owner, Ownership
    from horae.executors.containers.runner import ContainerRunner
    from horae.executors.containers.service import Service, find_socket

    host = this_host()
    owner = Owner(f"{host.hostname}-{host.pid}", told(host), lambda text: told_dead(text, host))
    service = Service(find_socket(settings.container_host, process_environment()))
    credentials = Credentials(find_file(process_environment()))
    return ContainerRunner(service, Ownership(service, owner, CLOCK), credentials)


def _artifact(settings: Settings, commands: CommandRunner, containers: ContainerRunner | None) -> Executor:
    from horae.executors.artifact import ArtifactExecutor
    from horae.executors.artifacts.fetcher import Fetcher, Store

    environment = {name: value for name, value in process_environment().items() if name not in secret_variables()}
    store = Store(
        cache=settings.artifact_cache or user_cache() / "artifacts",
        environment=environment,
        cache_limit=settings.artifact_cache_limit,
        limit=settings.artifact_limit,
        schemes=settings.artifact_schemes,
        may_install=settings.artifact_install,
    )
    return ArtifactExecutor(Fetcher(store), commands, containers)


def _commands(settings: Settings) -> CommandRunner:
    """One for all executors: it keeps a process of its own, from the first command on."""
    from horae.executors.commands import CommandRunner

    limits = Limits(memory=settings.script_memory, processes=settings.script_processes)
    return CommandRunner(process_environment(), limits=limits, sandbox=settings.script_sandbox)


def _python(imports: Sequence[str], slots: int) -> Executor:
    from horae.executors.functions.link import Origin
    from horae.executors.functions.output import route
    from horae.executors.python import PythonExecutor
    from horae.sdk.system import add_system_functions
    from horae.sdk.task import load_tasks

    environment = {name: value for name, value in process_environment().items() if name not in secret_variables()}
    executor = PythonExecutor(
        add_system_functions(load_tasks(imports)),
        Origin("horae.sdk.task:load_tasks", tuple(imports), environment),
        slots=slots,
    )
    route()
    executor.warm()
    return executor


def _registered() -> tuple[FunctionSign, ...]:
    """The functions of this process, as the database is to know them."""
    from horae.sdk.task import registry

    return tuple(FunctionSign.of(function) for function in registry)


def register_functions(settings: Settings, imports: Sequence[str]) -> list[str]:
    """Registers functions straight on the database, before any worker has started; their names."""
    from horae.sdk.task import load_tasks

    signs = [FunctionSign.of(function) for function in load_tasks(imports)]
    _run(_register_functions(settings, signs))
    return sorted(sign.name for sign in signs)


async def _register_functions(settings: Settings, signs: Sequence[FunctionSign]) -> None:
    from horae.lifecycle import functions

    store = await store_for(settings, connections=1)
    try:
        await store.transact(functions.register_functions, signs)
    finally:
        await store.close()


async def _worker(settings: Settings, queues: tuple[str, ...], slots: int, executors: dict[str, Executor]) -> None:
    from horae.processes.worker import Worker

    stop, stop_now = stop_signals()
    wakeups = wakeups_for(settings)
    store = await store_for(settings, wakeups, connections=2)
    host, worker_id = this_host(), IDS.new()
    offers = tuple(sorted(offer for executor in executors.values() for offer in executor.offers()))
    process = Worker(
        WorkerSign(worker_id, f"{host.hostname}-{host.pid}", host, __version__, queues, offers, slots),
        store,
        executors,
        WorkerSettings(
            slots=slots,
            queues=queues,
            poll=settings.worker_poll,
            poll_max=settings.poll_max(wakeups=True),
            lease=settings.lease,
            heartbeat=settings.heartbeat,
            drain_timeout=settings.drain_timeout,
            log_limit=settings.log_limit,
            functions=_registered() if "python" in executors else (),
            seals=Keyring(settings.secret_key, settings.secret_key_previous) if settings.secret_key else None,
        ),
        clock=CLOCK,
        ids=IDS,
        open_store=lambda: store_for(settings, connections=1),
        hints_arrive=lambda: wakeups.reliable,
    )
    await wakeups.start(("runs", "cancel"), process.on_hint)
    try:
        for executor in executors.values():
            if isinstance(executor, Starting):
                await executor.start()
        _settle_down()
        await process.run(stop, stop_now)
    finally:
        await wakeups.close()
        await store.close()
        ignore_signals()


# ---- shared


def _configure(settings: Settings, role: str) -> None:
    configure(form=settings.log_format, level=settings.log_level, role=role)


def _settle_down() -> None:
    """Leaves alone what was loaded at the start: looking for garbage in it cost a tenth of a busy worker's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
