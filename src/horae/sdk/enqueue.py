"""Runs of a task, asked for by its own name: `send_report.enqueue(customer_id=7)`.

A manual job named after the function is made on first use. The steps are said once, as a generator of requests, for
callers who wait and for those who await.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.task import Function
from horae.sdk.calls import Json, Request, given, instant, items, part
from horae.sdk.connection import address, async_client, client

MOST = 1_000  # runs in one request

Steps = Generator[Request[Any], Any, Any]
_known: set[tuple[str, str]] = set()  # addresses and names of jobs that were seen to be the functions' own


@dataclass(frozen=True, slots=True)
class Options:
    """How runs are to be queued; what is None is up to the job."""

    run_at: datetime | str | None = None
    priority: int | None = None
    idempotency_key: str | None = None  # the same key, the same request: it is carried out once

    def run(self, arguments: Json) -> Json:
        return given({"input": arguments, "run_at": instant(self.run_at), "priority": self.priority})

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.idempotency_key is None else {"idempotency-key": self.idempotency_key}


def one(function: Function, arguments: Mapping[str, Any], options: Options) -> Steps:
    """The run."""
    body = options.run(_json(function, arguments))
    return _on_job(function, Request("POST", f"jobs/{part(function.name)}/run", body, headers=options.headers))


def many(function: Function, batch: Sequence[Mapping[str, Any]], options: Options) -> Steps:
    """The runs, all of them or none."""
    if not 1 <= len(batch) <= MOST:
        raise InvalidInput("arguments", f"{len(batch)} runs at once; between 1 and {MOST:,} is possible")
    body = {"runs": [options.run(_json(function, arguments)) for arguments in batch]}
    path = f"jobs/{part(function.name)}/runs:batch"
    return _on_job(function, Request("POST", path, body, headers=options.headers, read=items))


def wait(steps: Steps) -> Any:
    """Carries steps out, one after the other."""
    sender = client()
    try:
        request = next(steps)
        while True:
            try:
                answer = sender.send(request)
            except (NotFound, Conflict) as error:
                request = steps.throw(error)
            else:
                request = steps.send(answer)
    except StopIteration as end:
        return end.value


async def wait_async(steps: Steps) -> Any:
    """The same for those who await."""
    sender = async_client()
    try:
        request = next(steps)
        while True:
            try:
                answer = await sender.send(request)
            except (NotFound, Conflict) as error:
                request = steps.throw(error)
            else:
                request = steps.send(answer)
    except StopIteration as end:
        return end.value


def _on_job(function: Function, request: Request[Any]) -> Steps:
    """A request about the function's job, which is made if it is not there."""
    key = (address()[0], function.name)
    if key not in _known:
        yield from _job(function)
        _known.add(key)
    try:
        return (yield request)
    except NotFound:  # somebody has deleted it
        yield from _job(function)
        return (yield request)


def _job(function: Function) -> Steps:
    find: Request[Json] = Request("GET", f"jobs/{part(function.name)}")
    try:
        job = yield find
    except NotFound:
        try:
            job = yield Request("POST", "jobs", _definition(function))
        except Conflict:  # somebody else was first
            job = yield find
    if job["target"].get("function") != function.name:
        raise Conflict(f"the job {function.name!r} is not for this function: give the task another name")


def _definition(function: Function) -> Json:
    retry = function.retry.model_dump(mode="json") if function.retry is not None else None
    return {
        "name": function.name,
        "description": function.description,
        "target": {"kind": "python", "function": function.name},
        "schedule": {"manual": True},
        **given({"queue": function.queue, "timeout": function.timeout, "retry": retry}),
    }


def _json(function: Function, arguments: Mapping[str, Any]) -> Json:
    """The arguments as JSON; dates, models and the like as the function's own annotations read them."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    if misfit := function.misfit(arguments):
        raise InvalidInput("arguments", misfit)
    try:
        made: Json = to_jsonable_python(dict(arguments))
    except (PydanticSerializationError, ValueError) as error:
        raise InvalidInput("arguments", f"{function.name}: cannot be told as JSON: {error}") from None
    return made
