"""Functions: registered by workers, enabled and disabled by users, and the rules for jobs and runs that call them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from horae.domain.errors import Conflict, DuplicateKey, InvalidInput, NotFound
from horae.domain.jobs.difference import Change
from horae.domain.jobs.function import (
    NEEDS,
    TASKS,
    FunctionChange,
    FunctionRecord,
    FunctionSign,
    check_arguments,
    switched_off,
    unknown,
)
from horae.domain.jobs.function_path import PATHS_CHANGED, FoundPaths, FunctionPath, check_registration
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobHead
from horae.domain.targets import ArtifactTarget, CeleryTarget, PythonTarget
from horae.domain.targets.locked import overridden
from horae.domain.text.checks import storable
from horae.domain.time.schedule import ManualSchedule
from horae.ports import Transaction

_COMPARED = 10_000  # names to compare with a wrong one
_RECENTLY = 1_500.0  # seconds: a worker that can import a path says so every ten minutes


async def register_functions(tx: Transaction, signs: Sequence[FunctionSign]) -> None:
    """What users decided about a function stays; the rest is updated by its newest worker."""
    await tx.functions.register(signs)


async def with_defaults(tx: Transaction, spec: JobSpec, given: Collection[str]) -> JobSpec:
    """A new job, with its function's queue and time limit unless it sets its own."""
    if not isinstance(spec.target, PythonTarget):
        return spec
    function = await tx.functions.find(spec.target.function)
    if function is None:
        return spec
    defaults = {"queue": function.queue, "timeout": function.default_timeout}
    changes = {part: value for part, value in defaults.items() if value is not None and part not in given}
    return spec.model_copy(update=changes) if changes else spec


async def check_function(tx: Transaction, project_id: str, spec: JobSpec) -> None:
    """Refuses a job whose function is not registered or is disabled, or whose arguments are invalid. Arguments that
    come from the input of runs may be missing, if the job is only triggered manually."""
    target = spec.target
    if isinstance(target, CeleryTarget):
        await _check_limits(tx, project_id, target)
        await _check_task(tx, target, target.kwargs, "target.kwargs")
    if not isinstance(target, PythonTarget):
        return
    function = await tx.functions.find(target.function)
    if function is None:
        raise unknown(target.function, await tx.functions.names(_COMPARED))
    if not function.is_active:
        raise InvalidInput("target.function", switched_off(function.name))
    by_hand = isinstance(spec.schedule, ManualSchedule)
    parameters = _optional(function.parameters) if by_hand else function.parameters
    check_arguments(parameters, target.arguments, "target.arguments")


async def called_function(tx: Transaction, spec: JobSpec) -> FunctionRecord | None:
    """The registered function that a job calls, if it calls one."""
    return await tx.functions.find(spec.target.function) if isinstance(spec.target, PythonTarget) else None


async def function_is_off(tx: Transaction, spec: JobSpec) -> bool:
    function = await called_function(tx, spec)
    return function is not None and not function.is_active


async def check_inputs(tx: Transaction, job: JobHead, needs: str, inputs: Mapping[str, str | None]) -> None:
    """The same for triggered runs, whose inputs override the job's arguments; errors name the field. A function that is
    not registered (yet, or any longer) is not a reason to refuse: the run waits for a worker."""
    if not needs.startswith(NEEDS):
        if needs.startswith("artifact"):
            await _check_locked(tx, job.id, job.version, inputs)
        elif needs == "celery":
            await _check_task_inputs(tx, job, inputs)
        return
    name = needs.removeprefix(NEEDS)
    # Looked up again: the plan in which the head found none may be damaged.
    function = job.function or await tx.functions.find(name)
    if function is None:
        return
    if not function.is_active:
        raise Conflict(switched_off(name))
    given = {field: json.loads(text) for field, text in inputs.items() if text is not None}
    required = '"required"' in function.parameters
    if not given and not required:
        return
    spec = (await tx.jobs.definitions([(job.id, job.version)])).get((job.id, job.version))
    target = spec.target if spec is not None and isinstance(spec.target, PythonTarget) else None
    arguments = {} if target is None else target.arguments
    for field in inputs if required else given:
        value = given.get(field)
        if value is not None and not isinstance(value, dict):
            raise InvalidInput(field, "must be an object: its members are the arguments of the function")
        if target is not None and (reason := overridden(target.locked, value)):
            raise InvalidInput(field, reason)
        check_arguments(function.parameters, {**arguments, **(value or {})}, field)


async def _check_locked(tx: Transaction, job_id: str, version: int, inputs: Mapping[str, str | None]) -> None:
    given = {field: json.loads(text) for field, text in inputs.items() if text is not None}
    spec = (await tx.jobs.definitions([(job_id, version)])).get((job_id, version)) if given else None
    if spec is not None and isinstance(spec.target, ArtifactTarget):
        for field, value in given.items():
            if reason := overridden(spec.target.locked, value):
                raise InvalidInput(field, reason)


async def _check_task_inputs(tx: Transaction, job: JobHead, inputs: Mapping[str, str | None]) -> None:
    spec = (await tx.jobs.definitions([(job.id, job.version)])).get((job.id, job.version))
    if spec is None or not isinstance(spec.target, CeleryTarget):
        return
    for field, text in inputs.items():
        value = {} if text is None else json.loads(text)
        if not isinstance(value, dict):
            raise InvalidInput(field, "must be an object: its members are keyword arguments of the task")
        if reason := overridden(spec.target.locked, value):
            raise InvalidInput(field, reason)
        await _check_task(tx, spec.target, {**spec.target.kwargs, **value}, field)


async def _check_limits(tx: Transaction, project_id: str, target: CeleryTarget) -> None:
    """Workers refuse the same: other processes may save jobs without these settings."""
    project = await tx.access.project(project_id) if tx.celery_limits else None
    refusal = tx.celery_limits.refusal(project_id if project is None else project.slug, target)
    if refusal is not None:
        raise InvalidInput(*refusal)


async def _check_task(tx: Transaction, target: CeleryTarget, kwargs: Mapping[str, Any], field: str) -> None:
    """A task that no worker has registered is accepted: foreign Celery workers may have it. Whether arguments are
    missing is not checked: positional ones may fill in for them."""
    task = await tx.functions.find(TASKS + target.task)
    if task is None:
        return
    if not task.is_active:
        raise InvalidInput("target.task", switched_off(task.name))
    check_arguments(_optional(task.parameters), kwargs, field)


async def change_function(tx: Transaction, *, name: str, change: FunctionChange, actor: str) -> FunctionRecord:
    before = await _found(tx, name, lock=True)
    await tx.functions.change(name, change)
    after = await _found(tx, name)
    changes = [
        Change(part, getattr(before, part), getattr(after, part))
        for part in change.__slots__
        if getattr(before, part) != getattr(after, part)
    ]
    if changes:
        await tx.audit.add("function.edit", actor=actor, project_id=None, name=name, changes=changes)
    return after


async def delete_function(tx: Transaction, *, name: str, actor: str) -> None:
    """Deletes a function; a worker that still has it registers it again."""
    function = await _found(tx, name, lock=True)
    if function.is_system:
        raise Conflict(f"the function {name} is built in and cannot be deleted; it can be disabled")
    await tx.functions.delete(name)
    if function.handler_path is not None:
        tx.hint(PATHS_CHANGED)
    await tx.audit.add("function.delete", actor=actor, project_id=None, name=name)


async def add_path(tx: Transaction, *, new: FunctionPath, actor: str) -> FunctionRecord:
    """Registers a function by its path. Workers import it soon, and say what it takes, or why they cannot."""
    check_registration(new)
    taken = Conflict(f"a function named {new.name!r} is registered already; give this one another name", field="name")
    if await tx.functions.find(new.name, lock=True) is not None:
        raise taken
    try:
        await tx.functions.add_path(new)
    except DuplicateKey:
        raise taken from None
    changes = [Change("handler_path", None, new.path)]
    await tx.audit.add("function.create", actor=actor, project_id=None, name=new.name, changes=changes)
    tx.hint(PATHS_CHANGED)
    return await _found(tx, new.name)


async def function_paths(tx: Transaction) -> dict[str, str]:
    return await tx.functions.paths(_COMPARED)


async def report_paths(tx: Transaction, paths: Mapping[str, str], found: FoundPaths, worker: str) -> None:
    """What a worker found out. It does not overwrite that another one, with other code, could import a path."""
    for name, path in sorted(paths.items()):  # in one order: workers that start together do not deadlock
        if (sign := found.signs.get(name)) is not None:
            await tx.functions.imported(sign, path)
        elif (error := found.errors.get(name)) is not None:
            await tx.functions.not_imported(name, path, (storable(f"{worker}: {error}") or "")[:700], _RECENTLY)


async def _found(tx: Transaction, name: str, *, lock: bool = False) -> FunctionRecord:
    function = await tx.functions.find(name, lock=lock)
    if function is None:
        raise NotFound(f"there is no function {name!r}")
    return function


def _optional(parameters: str) -> str:
    """The same parameters, none of them required."""
    schema: dict[str, Any] = json.loads(parameters)
    return json.dumps({key: value for key, value in schema.items() if key != "required"})
