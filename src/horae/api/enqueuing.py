"""Enqueueing without HTTP: `task.enqueue(…)` in a program that has HORAE_DATABASE_URL.

The same bodies, checks, verbs and answers as the routes, but without accounts: a program that can write to the database
can do anything."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

import orjson
from pydantic import BaseModel

from horae.accounts import idempotency
from horae.accounts.quotas import note_refusal
from horae.api.body import MAX_BYTES, parse, validate
from horae.api.errors import InvalidBody
from horae.api.schemas import BatchBody, JobBody, TriggerBody
from horae.api.views import job_json, render, run_json
from horae.domain.errors import Conflict, InvalidInput, NotFound, QuotaReached
from horae.domain.jobs.idempotency import DerivedIds, Once
from horae.domain.jobs.policy import Defaults
from horae.domain.people.audit import Origin
from horae.domain.people.quota import Quota
from horae.domain.runs.states import Trigger
from horae.domain.runs.trace import TraceContext, parse_traceparent
from horae.lifecycle import find, submit
from horae.lifecycle.rerun import NewInput
from horae.ports import Clock, Ids, Store, Transaction

M = TypeVar("M", bound=BaseModel)
Json = dict[str, Any]
ACTOR = "python program"


class NewIds(Protocol):
    def new(self) -> str: ...


def input_text(value: Any) -> str | None:
    return None if value is None else orjson.dumps(value).decode()


class WithInput(Protocol):
    @property
    def input(self) -> Any: ...
    @property
    def model_fields_set(self) -> set[str]: ...


def new_input(body: WithInput) -> NewInput | None:
    """None if runs keep their own; null is an input, too."""
    return NewInput(input_text(body.input)) if "input" in body.model_fields_set else None


def requested(
    bodies: Iterable[TriggerBody], ids: NewIds, trace: TraceContext | None = None
) -> list[submit.TriggerRequest]:
    return [
        submit.TriggerRequest(
            run_id=ids.new(),
            input=input_text(body.input),
            run_at=body.run_at,
            priority=body.priority,
            traceparent=None if trace is None else trace.header,
        )
        for body in bodies
    ]


class Enqueuing:
    """In the default project."""

    def __init__(self, store: Store, ids: Ids, clock: Clock, defaults: Defaults) -> None:
        self._store, self._ids, self._clock, self._defaults = store, ids, clock, defaults

    async def job(self, name: str) -> Json:
        project_id = await self._store.read(_default_project)
        return _plain(job_json(await self._store.read(find.found, project_id, name), self._clock.now()))

    async def create(self, definition: Json) -> Json:
        spec = _checked(JobBody, render(definition)).spec(self._defaults)
        project_id = await self._store.read(_default_project)
        job = await self._store.transact(
            submit.create_job, job_id=self._ids.new(), project_id=project_id, spec=spec, enabled=True, actor=ACTOR
        )
        return _plain(job_json(job, self._clock.now()))

    async def submit(self, name: str, runs: Sequence[Json], key: str | None, traceparent: str | None) -> list[Json]:
        raw = render({"runs": runs})
        bodies = [_checked(TriggerBody, render(runs[0]))] if len(runs) == 1 else _checked(BatchBody, raw).runs
        project_id = await self._store.read(_default_project)
        once = None if key is None else self._once(project_id, key, name, raw)
        ids, origin = await self._claimed(once)
        asked = requested(bodies, ids, None if traceparent is None else parse_traceparent(traceparent))
        verb = partial(submit.trigger, project_id=project_id, ref=name, runs=asked, trigger=Trigger.API, actor=ACTOR)
        try:
            made = await self._store.on_behalf_of(origin).autocommit(verb)
        except (InvalidInput, NotFound, QuotaReached) as error:
            if once is not None:  # it has had no effect: the key can be reused
                await self._store.autocommit(idempotency.release, once, refused=True)
            if isinstance(error, QuotaReached):
                await self._store.transact(note_refusal, project_id=project_id, quota=Quota(error.quota))
            raise
        except Conflict:
            if once is None:
                raise
            made = await self._store.on_behalf_of(Origin(repeated=True)).transact(verb)  # another try came first
        return [_plain(run_json(run)) for run in made]

    def _once(self, project_id: str, key: str, name: str, raw: bytes) -> Once:
        # Distinct from the keys of API callers, which belong to the caller.
        digest = hashlib.sha256(f"{ACTOR}\0{key}".encode()).hexdigest()
        return Once(project_id, digest, hashlib.sha256(name.encode() + b"\0" + raw).hexdigest(), self._ids.new())

    async def _claimed(self, once: Once | None) -> tuple[NewIds, Origin]:
        """The ids to use: with a key, the same for every try."""
        if once is None:
            return self._ids, Origin()
        kept = await self._store.autocommit(idempotency.claim, once, [once.request])
        return DerivedIds.under(once, kept), Origin(repeated=kept.taken_over or kept.holder != once.holder)


def _checked(model: type[M], raw: bytes) -> M:
    """Validated as the API does."""
    if len(raw) > MAX_BYTES:
        raise InvalidInput("", "this is more than 1 MiB")
    try:
        return validate(model, parse(raw))
    except InvalidBody as refused:
        raise InvalidInput(*refused.problems[0]) from None


async def _default_project(tx: Transaction) -> str:
    return (await tx.access.default_project()).id


def _plain(value: Json) -> Json:
    """As it would arrive over the network."""
    parsed: Json = orjson.loads(render(value))
    return parsed
