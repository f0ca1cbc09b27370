"""Runs of tasks, asked for straight on the database: `task.enqueue(…)` in a program that has HORAE_DATABASE_URL.

The same verbs and the same checks as behind the API, without its accounts: whoever may write to the database may do
anything. The store lives on an event loop of its own, in a thread, so that it serves who waits and who awaits."""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import threading
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeVar

import orjson
from pydantic import BaseModel

from horae import config
from horae.accounts import idempotency
from horae.accounts.quotas import note_refusal
from horae.api.body import MAX_BYTES, parse, validate
from horae.api.errors import InvalidBody
from horae.api.schemas import BatchBody, JobBody, TriggerBody
from horae.api.views import job_json, render, run_json
from horae.domain.errors import Conflict, InvalidInput, NotFound, QuotaReached
from horae.domain.jobs.idempotency import DerivedIds, Once
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobRecord
from horae.domain.people.audit import Origin
from horae.domain.people.quota import Quota
from horae.domain.runs.states import Trigger
from horae.lifecycle import find, submit
from horae.ports import Transaction, Wakeups
from horae.store.store import SqlStore
from horae.wiring.shared import CLOCK, IDS, defaults_of
from horae.wiring.stores import store_for, wakeups_for

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
Json = dict[str, Any]
ACTOR = "python program"
_GOODBYE = 5.0  # seconds


class NewIds(Protocol):
    def new(self) -> str: ...


class Database:
    """One database, for all threads and loops of a process."""

    def __init__(self, url: str) -> None:
        self.address = url
        self._settings = config.load()
        self._loop = asyncio.new_event_loop()
        self._opened: asyncio.Task[tuple[SqlStore, Wakeups]] | None = None
        threading.Thread(target=self._loop.run_forever, name="horae enqueue", daemon=True).start()
        atexit.register(self._end)

    def waiting(self) -> Straight:
        return Straight(self, waits=True)

    def awaited(self) -> Straight:
        return Straight(self, waits=False)

    async def do(self, work: Coroutine[Any, Any, T], *, waits: bool) -> T:
        """Carries out work on the loop of the store."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result() if waits else await asyncio.wrap_future(future)

    async def store(self) -> SqlStore:
        if self._opened is None or (self._opened.done() and self._opened.exception() is not None):
            self._opened = self._loop.create_task(self._open())
        return (await asyncio.shield(self._opened))[0]

    async def _open(self) -> tuple[SqlStore, Wakeups]:
        wakeups = wakeups_for(self._settings)
        store = await store_for(self._settings, wakeups, connections=2)
        await wakeups.start((), lambda _: None)
        return store, wakeups

    def spec(self, definition: Json) -> JobSpec:
        return _checked(JobBody, render(definition)).spec(defaults_of(self._settings))

    def _end(self) -> None:
        """Says goodbye to the database, if it is still there."""
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(_GOODBYE)

    async def _close(self) -> None:
        if self._opened is not None:
            store, wakeups = await self._opened
            await wakeups.close()
            await store.close()


class Straight:
    """A `Submitter` (sdk/enqueue.py), for who waits or for who awaits."""

    def __init__(self, database: Database, *, waits: bool) -> None:
        self._database, self._waits = database, waits
        self.address = database.address

    async def job(self, name: str) -> Json:
        return await self._do(self._job(name))

    async def create(self, definition: Json) -> Json:
        return await self._do(self._create(definition))

    async def submit(self, name: str, runs: Sequence[Json], key: str | None) -> list[Json]:
        return await self._do(self._submit(name, runs, key))

    def _do(self, work: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]:
        return self._database.do(work, waits=self._waits)

    async def _job(self, name: str) -> Json:
        async def read(tx: Transaction) -> JobRecord:
            return await find.found(tx, (await tx.access.default_project()).id, name)

        job = await (await self._database.store()).read(read)
        return _plain(job_json(job, CLOCK.now()))

    async def _create(self, definition: Json) -> Json:
        spec, job_id = self._database.spec(definition), IDS.new()

        async def create(tx: Transaction) -> JobRecord:
            project = await tx.access.default_project()
            return await submit.create_job(
                tx, job_id=job_id, project_id=project.id, spec=spec, enabled=True, actor=ACTOR
            )

        job = await (await self._database.store()).transact(create)
        return _plain(job_json(job, CLOCK.now()))

    async def _submit(self, name: str, runs: Sequence[Json], key: str | None) -> list[Json]:
        store = await self._database.store()
        raw = render({"runs": runs})
        bodies = [_checked(TriggerBody, render(runs[0]))] if len(runs) == 1 else _checked(BatchBody, raw).runs
        project_id = await store.read(_default_project)
        once = None if key is None else _once(project_id, key, name, raw)
        ids, origin = await _claimed(store, once)
        asked = [
            submit.TriggerRequest(
                ids.new(), None if body.input is None else orjson.dumps(body.input).decode(), body.run_at, body.priority
            )
            for body in bodies
        ]
        verb = partial(submit.trigger, project_id=project_id, ref=name, runs=asked, trigger=Trigger.API, actor=ACTOR)
        try:
            made = await store.on_behalf_of(origin).transact(verb)
        except (InvalidInput, NotFound, QuotaReached) as error:
            if once is not None:  # it has had no effect: the key is as good as new
                await store.autocommit(idempotency.release, once, refused=True)
            if isinstance(error, QuotaReached):
                await store.transact(note_refusal, project_id=project_id, quota=Quota(error.quota))
            raise
        except Conflict:
            if once is None:
                raise
            made = await store.on_behalf_of(Origin(repeated=True)).transact(verb)  # another try was first
        return [_plain(run_json(run)) for run in made]


def _checked(model: type[M], raw: bytes) -> M:
    """As the API reads it."""
    if len(raw) > MAX_BYTES:
        raise InvalidInput("", "this is more than 1 MiB")
    try:
        return validate(model, parse(raw))
    except InvalidBody as refused:
        raise InvalidInput(*refused.problems[0]) from None


def _once(project_id: str, key: str, name: str, raw: bytes) -> Once:
    # Whoever enqueues through the API has other keys: there, they belong to who asks.
    digest = hashlib.sha256(f"{ACTOR}\0{key}".encode()).hexdigest()
    return Once(project_id, digest, hashlib.sha256(name.encode() + b"\0" + raw).hexdigest(), IDS.new())


async def _claimed(store: SqlStore, once: Once | None) -> tuple[NewIds, Origin]:
    """The ids to use: under a key the same at every try."""
    if once is None:
        return IDS, Origin()
    kept = await store.autocommit(idempotency.claim, once, [once.request])
    ids = DerivedIds(kept.created_at, f"{once.project_id}\0{once.digest}")
    return ids, Origin(repeated=kept.taken_over or kept.holder != once.holder)


async def _default_project(tx: Transaction) -> str:
    return (await tx.access.default_project()).id


def _plain(value: Json) -> Json:
    """As it would come over the network."""
    told: Json = orjson.loads(render(value))
    return told
