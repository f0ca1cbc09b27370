"""Enqueues runs of a task by its name: `send_report.enqueue(customer_id=7)`.

A manual job named after the function is created on first use. This is implemented once, for the API and for the
database, for sync and async callers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.jobs.task import Function
from horae.sdk.calls import Json, Request, given, instant, keyed, listed, part
from horae.sdk.engine import ClientCore
from horae.sdk.runs import Run
from horae.sdk.trace_context import current_traceparent

MOST = 1_000  # runs in one request

_known: set[tuple[str, str]] = set()  # addresses and names of jobs that are known to be the functions' own


class Submitter(Protocol):
    """Where runs are submitted: the API, or the database itself."""

    @property
    def address(self) -> str: ...

    async def job(self, name: str) -> Json:
        """Raises NotFound."""
        ...

    async def create(self, definition: Json) -> Json:
        """Raises Conflict if the name is taken."""
        ...

    async def submit(self, name: str, runs: Sequence[Json], key: str | None, traceparent: str | None) -> list[Json]:
        """All or none, and only once per key. Raises NotFound."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """Options for the runs; None leaves a field to the job."""

    run_at: datetime | str | None = None
    priority: int | None = None
    idempotency_key: str | None = None  # requests with the same key take effect once
    traceparent: str | None = None  # of the trace that the runs join; None: that of the current span, if any

    def run(self, arguments: Json) -> Json:
        return given({"input": arguments, "run_at": instant(self.run_at), "priority": self.priority})


async def enqueue(to: Submitter, function: Function, batch: Sequence[Mapping[str, Any]], options: Options) -> list[Run]:
    """One run per set of arguments, all or none."""
    if not 1 <= len(batch) <= MOST:
        raise InvalidInput("arguments", f"{len(batch)} runs at once; must be between 1 and {MOST:,}")
    runs = [options.run(_json(function, arguments)) for arguments in batch]
    trace = options.traceparent or current_traceparent()
    known = (to.address, function.name)
    if known not in _known:
        await _ensure_job(to, function)
        _known.add(known)
    try:
        made = await to.submit(function.name, runs, options.idempotency_key, trace)
    except NotFound:  # it was deleted
        await _ensure_job(to, function)
        made = await to.submit(function.name, runs, options.idempotency_key, trace)
    return [Run(run) for run in made]


async def _ensure_job(to: Submitter, function: Function) -> None:
    try:
        job = await to.job(function.name)
    except NotFound:
        try:
            job = await to.create(_definition(function))
        except Conflict:  # another process came first
            job = await to.job(function.name)
    target = job["target"]  # null if it cannot be read: triggering it is refused with the reason
    if target is not None and target.get("function") != function.name:
        raise Conflict(f"the job {function.name!r} is not for this function: give the task another name")


class ThroughApi:
    def __init__(self, engine: ClientCore) -> None:
        self._engine = engine

    @property
    def address(self) -> str:
        return self._engine.url

    async def job(self, name: str) -> Json:
        return await self._engine.send(Request("GET", f"jobs/{part(name)}"))

    async def create(self, definition: Json) -> Json:
        return await self._engine.send(Request("POST", "jobs", definition))

    async def submit(self, name: str, runs: Sequence[Json], key: str | None, traceparent: str | None) -> list[Json]:
        headers = keyed(key, traceparent)
        if len(runs) == 1:
            return [await self._engine.send(Request("POST", f"jobs/{part(name)}/run", runs[0], headers=headers))]
        path, body = f"jobs/{part(name)}/runs:batch", {"runs": list(runs)}
        return await self._engine.send(Request("POST", path, body, headers=headers, read=listed(dict)))


def _definition(function: Function) -> Json:
    retry = function.retry.model_dump(mode="json", exclude_unset=True) if function.retry is not None else None
    return {
        "name": function.name,
        "description": function.description,
        "target": {"kind": "python", "function": function.name},
        "schedule": {"manual": True},
        **given({"queue": function.queue, "timeout": function.timeout, "retry": retry}),
    }


def _json(function: Function, arguments: Mapping[str, Any]) -> Json:
    """The arguments as JSON; dates, models and the like in the form that the function's annotations accept."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    if misfit := function.misfit(arguments):
        raise InvalidInput("arguments", misfit)
    try:
        made: Json = to_jsonable_python(dict(arguments))
    except (PydanticSerializationError, ValueError) as error:
        raise InvalidInput("arguments", f"{function.name}: cannot be written as JSON: {error}") from None
    return made
