"""Which target kinds a worker carries out, each with the executor that its settings make."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import horae
from horae import __version__
from horae.config import Settings, private_places, process_environment, secret_variables, user_cache
from horae.domain.errors import ConfigurationError
from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.kinds import TARGET_KINDS
from horae.domain.targets.fields import Limits
from horae.ports import Executor
from horae.processes.host import this_host, told, told_dead
from horae.processes.loop import log
from horae.wiring.shared import CLOCK, run
from horae.wiring.stores import store_for

if TYPE_CHECKING:
    from horae.executors.commands import CommandRunner
    from horae.executors.containers.runner import ContainerRunner


def executors_for(
    settings: Settings, slots: int, imports: Sequence[str], commands: CommandRunner
) -> dict[str, Executor]:
    executors: dict[str, Executor] = {}
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
            raise ConfigurationError(f"HORAE_EXECUTORS names {kind!r}; this Horae has {', '.join(TARGET_KINDS)}")
    return executors


def _http(settings: Settings, slots: int) -> Executor:
    from horae.domain.runs.callback import Callbacks
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
    from horae.executors.containers.credentials import RegistryCredentials, find_file
    from horae.executors.containers.ownership import Owner, Ownership
    from horae.executors.containers.runner import ContainerRunner
    from horae.executors.containers.service import Service, find_socket

    host = this_host()
    owner = Owner(f"{host.hostname}-{host.pid}", told(host), lambda text: told_dead(text, host))
    service = Service(find_socket(settings.container_host, process_environment()))
    credentials = RegistryCredentials(find_file(process_environment()))
    return ContainerRunner(service, Ownership(service, owner, CLOCK), credentials, network=settings.container_network)


def _artifact(settings: Settings, commands: CommandRunner, containers: ContainerRunner | None) -> Executor:
    from horae.executors.artifact import ArtifactExecutor
    from horae.executors.artifacts.fetcher import CacheOptions, Fetcher

    environment = {name: value for name, value in process_environment().items() if name not in secret_variables()}
    store = CacheOptions(
        cache=settings.artifact_cache or user_cache() / "artifacts",
        environment=environment,
        cache_limit=settings.artifact_cache_limit,
        limit=settings.artifact_limit,
        schemes=settings.artifact_schemes,
        folders=settings.artifact_folders or (),
        may_install=settings.artifact_install,
    )
    return ArtifactExecutor(Fetcher(store), commands, containers)


def commands_for(settings: Settings) -> CommandRunner:
    """One for all executors: it keeps a process of its own, from the first command on."""
    from horae.executors.commands import CommandRunner
    from horae.executors.identity import find
    from horae.executors.sandbox import Hidden

    folders, files = private_places(settings)
    hidden = Hidden(
        folders=folders,
        files=files,
        code=[Path(horae.__file__).parent, *([Path(sys.prefix)] if sys.prefix != sys.base_prefix else ())],
        kept=[Path(sys.base_prefix)],
        shown=[Path(path) for path in settings.script_visible or ()],
    )
    return CommandRunner(
        process_environment(),
        limits=Limits(memory=settings.script_memory, processes=settings.script_processes),
        sandbox=settings.script_sandbox,
        hidden=hidden,
        user=None if settings.script_user is None else find(settings.script_user),
    )


def _python(imports: Sequence[str], slots: int) -> Executor:
    from horae.executors.functions.link import FunctionOrigin
    from horae.executors.functions.output import route
    from horae.executors.python import PythonExecutor
    from horae.sdk.system import add_system_functions
    from horae.sdk.task import load_tasks

    environment = {name: value for name, value in process_environment().items() if name not in secret_variables()}
    executor = PythonExecutor(
        add_system_functions(load_tasks(imports)),
        FunctionOrigin("horae.sdk.task:load_tasks", tuple(imports), environment),
        slots=slots,
    )
    route()
    executor.warm()
    return executor


def registered() -> tuple[FunctionSign, ...]:
    """The functions of this process, as the database is to know them."""
    from horae.sdk.task import registry

    return tuple(FunctionSign.of(function) for function in registry)


def register_functions(settings: Settings, imports: Sequence[str]) -> list[str]:
    """Registers functions straight on the database, before any worker has started; their names."""
    from horae.sdk.task import load_tasks

    signs = [FunctionSign.of(function) for function in load_tasks(imports)]
    run(_register_functions(settings, signs))
    return sorted(sign.name for sign in signs)


async def _register_functions(settings: Settings, signs: Sequence[FunctionSign]) -> None:
    from horae.lifecycle import functions

    store = await store_for(settings, connections=1)
    try:
        await store.transact(functions.register_functions, signs)
    finally:
        await store.close()
