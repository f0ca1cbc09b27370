"""The target kinds that a worker executes, each with the executor built from its settings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import horae
from horae import __version__
from horae.config import Settings, private_places, process_environment, secret_variables, user_cache
from horae.domain.errors import ConfigurationError
from horae.domain.jobs.function import FunctionSign
from horae.domain.targets import TARGET_KINDS
from horae.domain.targets.fields import Limits
from horae.ports import Executor, PathLearner
from horae.processes.host import is_dead, text_of, this_host
from horae.processes.loop import log
from horae.wiring.shared import CLOCK, run
from horae.wiring.stores import store_for

if TYPE_CHECKING:
    from horae.executors.celery_app import CeleryApp
    from horae.executors.commands import CommandRunner
    from horae.executors.containers.runner import ContainerRunner


@dataclass(frozen=True)
class Making:
    """What executors are built from."""

    settings: Settings
    slots: int
    imports: Sequence[str]
    commands: CommandRunner

    @cached_property
    def containers(self) -> ContainerRunner | None:
        """One for all executors that use containers; None on a worker that does not run them."""
        return _containers(self.settings) if "container" in self.settings.executors else None


def executors_for(
    settings: Settings, slots: int, imports: Sequence[str], commands: CommandRunner
) -> dict[str, Executor]:
    for kind in settings.executors:
        if kind not in BUILDERS:
            raise ConfigurationError(f"HORAE_EXECUTORS names {kind!r}; this Horae has {', '.join(TARGET_KINDS)}")
    making = Making(settings, slots, imports, commands)
    return {kind: BUILDERS[kind](making) for kind in settings.executors}


def _http(making: Making) -> Executor:
    from horae.domain.runs.callback import Callbacks
    from horae.executors.http import HttpExecutor
    from horae.executors.http_files import allow_sockets

    settings, slots = making.settings, making.slots
    room = allow_sockets(slots)
    if room < slots:
        log.warning("fewer open files than slots: calls beyond that fail; see `ulimit -n`", slots=slots, room=room)
    known = settings.public_url and settings.secret_key
    callbacks = Callbacks(settings.public_url or "", settings.secret_key or "") if known else None
    return HttpExecutor(CLOCK, version=__version__, allow_private=settings.http_allow_private, callbacks=callbacks)


def _script(making: Making) -> Executor:
    from horae.executors.script import ScriptExecutor

    return ScriptExecutor(making.commands)


def _container(making: Making) -> Executor:
    from horae.executors.container import ContainerExecutor

    assert making.containers is not None
    return ContainerExecutor(making.containers, mounts=making.settings.container_mounts or ())


def _containers(settings: Settings) -> ContainerRunner:
    from horae.executors.containers.credentials import RegistryCredentials, find_file
    from horae.executors.containers.ownership import Owner, Ownership
    from horae.executors.containers.runner import ContainerRunner
    from horae.executors.containers.service import Service, find_socket

    host = this_host()
    owner = Owner(f"{host.hostname}-{host.pid}", text_of(host), lambda text: is_dead(text, host))
    service = Service(find_socket(settings.container_host, process_environment()))
    credentials = RegistryCredentials(find_file(process_environment()))
    return ContainerRunner(service, Ownership(service, owner, CLOCK), credentials, network=settings.container_network)


def _artifact(making: Making) -> Executor:
    from horae.executors.artifact import ArtifactExecutor
    from horae.executors.artifacts.fetcher import CacheOptions, Fetcher

    settings = making.settings
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
    return ArtifactExecutor(Fetcher(store), making.commands, making.containers)


def _celery(making: Making) -> Executor:
    from horae.executors.celery import CeleryExecutor
    from horae.executors.celery_app import load_celery

    settings = making.settings
    app = load_celery(settings.celery_app, settings.celery_broker_url, settings.celery_result_backend)
    if app.untrackable is not None:
        log.warning("tasks of Celery can be sent, but not followed", reason=app.untrackable)
    return CeleryExecutor(app)


def limit_celery(executors: Mapping[str, Executor], settings: Settings, ids: Mapping[str, str]) -> None:
    """What projects may call, as the settings say; `ids` of projects by slug."""
    if "celery" not in executors:
        return
    from horae.domain.targets.celery_limits import CeleryLimits
    from horae.executors.celery import CeleryExecutor

    def by_id(given: Mapping[str, tuple[str, ...]] | None) -> dict[str, tuple[str, ...]] | None:
        return None if given is None else {ids.get(slug, slug): names for slug, names in given.items()}

    celery = executors["celery"]
    if isinstance(celery, CeleryExecutor):
        celery.limits = CeleryLimits(by_id(settings.celery_tasks), by_id(settings.celery_queues))


def remote_app(executors: Mapping[str, Executor]) -> CeleryApp | None:
    """The Celery app of a worker that calls tasks."""
    if "celery" not in executors:
        return None
    from horae.executors.celery import CeleryExecutor

    celery = executors["celery"]
    return celery.app if isinstance(celery, CeleryExecutor) else None


def commands_for(settings: Settings) -> CommandRunner:
    """One for all executors: it keeps a process, from the first command on."""
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


def _python(making: Making) -> Executor:
    from horae.executors.functions.by_path import PathFunctions
    from horae.executors.functions.link import FunctionOrigin
    from horae.executors.functions.output import route
    from horae.executors.python import PythonExecutor
    from horae.sdk.function_paths import load_paths
    from horae.sdk.system import add_system_functions
    from horae.sdk.task import load_tasks

    environment = {name: value for name, value in process_environment().items() if name not in secret_variables()}
    by_path = FunctionOrigin(f"{load_paths.__module__}:{load_paths.__qualname__}", (), environment)
    executor = PythonExecutor(
        add_system_functions(load_tasks(making.imports)),
        FunctionOrigin(f"{load_tasks.__module__}:{load_tasks.__qualname__}", tuple(making.imports), environment),
        slots=making.slots,
        by_path=PathFunctions(by_path, slots=making.slots, modules=path_modules(making.settings)),
    )
    route()
    executor.warm()
    return executor


def path_modules(settings: Settings) -> tuple[str, ...] | None:
    """The modules whose functions admins may register; None if the operator sets no limit."""
    return () if settings.function_paths == ("none",) else settings.function_paths


BUILDERS: Mapping[str, Callable[[Making], Executor]] = {
    "http": _http,
    "script": _script,
    "python": _python,
    "container": _container,
    "artifact": _artifact,
    "celery": _celery,
}


def by_path(executors: Mapping[str, Executor]) -> PathLearner | None:
    """What learns the functions that admins registered, on a worker that calls functions."""
    if "python" not in executors:
        return None
    from horae.executors.python import PythonExecutor

    python = executors["python"]
    return python.by_path if isinstance(python, PythonExecutor) else None


def registered() -> tuple[FunctionSign, ...]:
    """The functions of this process, to be registered."""
    from horae.sdk.task import registry

    return tuple(FunctionSign.of(function) for function in registry)


def register_functions(settings: Settings, imports: Sequence[str]) -> list[str]:
    """Registers functions directly on the database, before any worker has started; returns their names."""
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
