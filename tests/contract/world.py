"""A migrated database of its own, and short words for what tests do to it: `world.job(…)`, `world.trigger(job)`,
`world.claim()`, `world.finish(run)`. Time moves by looking at the same database later: `world.later(hours=3)`."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ParamSpec, Self, TypeVar

from horae.clock import SystemClock, SystemIds
from horae.domain.job import JobSpec
from horae.domain.outcome import SUCCEEDED, Outcome
from horae.domain.records import (
    Beat,
    Host,
    JobRecord,
    Operation,
    RunFilter,
    SchedulerSign,
    VersionRecord,
    WorkerSign,
)
from horae.domain.run import Claimed, Finished, LogLines, LogPosition, Progress, RunRecord
from horae.domain.states import AttemptOutcome, RunStatus, Trigger
from horae.domain.task import describe
from horae.lifecycle import backfill, cancel, claim, edit, finish, fire, prune, recover, state, submit
from horae.ports import Clock, Ids, Transaction, Verb
from horae.store import open_store
from horae.store.dialects.base import Connection
from horae.store.failures import ConnectionLost
from horae.store.open import choose
from horae.store.store import SqlStore, SqlTransaction

P = ParamSpec("P")
T = TypeVar("T")

IDS = SystemIds()
OFFERS = ("python:work",)
WORK = describe(lambda **arguments: None, name="work")  # what jobs run, unless they say otherwise
ALL_SHARDS = range(64)
LEASE = 15.0
START = LogPosition()
FAILED = Outcome(AttemptOutcome.FAILED, error="it broke")
PERMANENT = Outcome(AttemptOutcome.FAILED, error="no such thing", permanent=True)
TIMED_OUT = Outcome(AttemptOutcome.TIMED_OUT, error="took too long")
INTERRUPTED = Outcome(AttemptOutcome.INTERRUPTED, error="the worker shut down")
CANCELLED = Outcome(AttemptOutcome.CANCELLED, error="cancelled")

Row = dict[str, Any]
_numbers = itertools.count(1)
_SCHEDULE = [
    "every",
    "cron",
    "at",
    "manual",
    "after",
    "start_at",
    "end_at",
    "max_runs",
    "jitter",
    "timezone",
    "blackouts",
]
_SCHEDULE += ["dst_gap", "dst_fold"]


def spec(**fields: Any) -> JobSpec:
    """A definition; whatever is not said does not matter to the test."""
    schedule = {part: fields.pop(part) for part in _SCHEDULE if part in fields}
    if schedule:
        fields["schedule"] = schedule
    fields.setdefault("name", f"job {next(_numbers)}")
    fields.setdefault("target", {"kind": "python", "function": "work"})
    return JobSpec.model_validate(fields)


def lost_reply(verb: Verb[P, T]) -> Verb[P, T]:
    """The same verb, but the answer to its first commit is lost on the way: nobody knows whether it took effect."""

    async def work(tx: Transaction, *args: P.args, **kwargs: P.kwargs) -> T:
        result = await verb(tx, *args, **kwargs)
        if not tx.repeated:
            assert isinstance(tx, SqlTransaction)
            await tx._db.commit()
            raise ConnectionLost()
        return result

    return work


def middle() -> float:
    """Chance at its middle: backoffs are then what the policy says, without jitter."""
    return 0.5


def ids(runs: Collection[Any]) -> set[str]:
    return {_id(run) for run in runs}


def _id(thing: Any) -> str:
    if isinstance(thing, str):
        return thing
    found: str = thing["id"] if isinstance(thing, dict) else thing.id
    return found


@dataclass
class World:
    """One process's view of a database: a store with connections of its own and a clock that may be ahead."""

    kind: str
    url: str
    store: SqlStore
    project: str
    shift: float
    clock: Clock
    ids: Ids
    stack: AsyncExitStack
    plain: Connection  # for what no verb shows
    inline: bool = False

    @classmethod
    async def open(
        cls,
        url: str,
        stack: AsyncExitStack,
        *,
        shift: float = 0,
        clock: Clock | None = None,
        ids: Ids = IDS,
        inline: bool = False,
        connections: int = 4,
        plain: Connection | None = None,
    ) -> Self:
        clock = clock or SystemClock()
        store = await open_store(url, clock=clock, ids=ids, shift=shift, inline=inline, connections=connections)
        stack.push_async_callback(store.close)
        if plain is None:
            plain = await choose(url, clock.now, inline=inline)[1]()
            stack.push_async_callback(plain.close)
        project = await store.read(_default_project)
        return cls(url.partition(":")[0], url, store, project, shift, clock, ids, stack, plain, inline)

    async def later(self, **time: float) -> Self:
        """The same database, that much later; `later()` is another process at the same time."""
        return await type(self).open(
            self.url,
            self.stack,
            shift=self.shift + timedelta(**time).total_seconds(),
            clock=self.clock,
            ids=self.ids,
            inline=self.inline,
            plain=self.plain,
        )

    async def after(self, seconds: float) -> World:
        """The same process, so much later."""
        await self.store.close()
        return await self.later(seconds=seconds)

    async def crowd(self, size: int) -> list[Self]:
        """So many processes at the same time."""
        return [await self.later() for _ in range(size)]

    async def now(self) -> datetime:
        return await self.store.read(_now)

    # What people do

    async def job(self, *, id: str | None = None, enabled: bool = True, **fields: Any) -> JobRecord:
        return await self.store.transact(
            submit.create_job,
            job_id=id or self.ids.new(),
            project_id=self.project,
            spec=spec(**fields),
            enabled=enabled,
            actor="tester",
        )

    async def jobs(self, count: int, **fields: Any) -> list[JobRecord]:
        """Many at once, in one transaction: each costs a disk's sync otherwise."""

        async def create(tx: Transaction) -> list[JobRecord]:
            return [
                await submit.create_job(
                    tx,
                    job_id=self.ids.new(),
                    project_id=self.project,
                    spec=spec(**fields),
                    enabled=True,
                    actor="tester",
                )
                for _ in range(count)
            ]

        return await self.store.transact(create)

    async def edit(
        self, job: JobRecord | str, *, expect: int | None = None, reply_lost: bool = False, **fields: Any
    ) -> JobRecord:
        def change(old: JobSpec) -> JobSpec:
            given = {name: getattr(old, name) for name in type(old).model_fields}
            return spec(**{**given, **fields})

        return await self.store.transact(
            lost_reply(edit.edit_job) if reply_lost else edit.edit_job,
            project_id=self.project,
            ref=_id(job),
            change=change,
            expected_version=expect,
            actor="editor",
        )

    async def rollback(self, job: JobRecord | str, version: int, *, expect: int | None = None) -> JobRecord:
        return await self.store.transact(
            edit.rollback,
            project_id=self.project,
            ref=_id(job),
            version=version,
            expected_version=expect,
            actor="editor",
        )

    async def pause(self, job: JobRecord | str, *, until: datetime | None = None) -> JobRecord:
        return await self._switch(state.pause, job, until=until)

    async def resume(self, job: JobRecord | str) -> JobRecord:
        return await self._switch(state.resume, job)

    async def disable(self, job: JobRecord | str) -> JobRecord:
        return await self._switch(state.disable, job)

    async def enable(self, job: JobRecord | str) -> JobRecord:
        return await self._switch(state.enable, job)

    async def _switch(self, verb: Any, job: JobRecord | str, **how: Any) -> JobRecord:
        switched: JobRecord = await self.store.transact(
            verb, project_id=self.project, ref=_id(job), actor="operator", **how
        )
        return switched

    async def plan_backfill(self, job: JobRecord | str, start: datetime, end: datetime) -> backfill.BackfillPlan:
        return await self.store.read(
            backfill.plan_backfill, project_id=self.project, ref=_id(job), start=start, end=end
        )

    async def backfill(
        self, job: JobRecord | str, start: datetime, end: datetime, *, parallelism: int = 1, id: str | None = None
    ) -> Operation:
        return await self.store.transact(
            backfill.start_backfill,
            operation_id=id or self.ids.new(),
            project_id=self.project,
            ref=_id(job),
            start=start,
            end=end,
            parallelism=parallelism,
            actor="tester",
        )

    async def cancel_operation(self, operation: Operation) -> Operation:
        return await self.store.transact(
            cancel.cancel_operation, project_id=self.project, operation_id=operation.id, actor="tester"
        )

    async def delete(self, job: JobRecord | str) -> None:
        await self.store.transact(submit.delete_job, project_id=self.project, ref=_id(job), actor="tester")

    async def trigger(
        self, job: JobRecord | str, count: int = 1, *, id: str | None = None, reply_lost: bool = False, **request: Any
    ) -> list[RunRecord]:
        runs = [submit.TriggerRequest(id or self.ids.new(), **request) for _ in range(count)]
        return await self.store.transact(
            lost_reply(submit.trigger) if reply_lost else submit.trigger,
            project_id=self.project,
            ref=_id(job),
            runs=runs,
            trigger=Trigger.API,
            actor="tester",
        )

    async def cancel(self, *runs: Any) -> list[RunRecord]:
        return await self.store.transact(
            cancel.cancel_runs, project_id=self.project, run_ids=[_id(run) for run in runs], actor="tester"
        )

    # What schedulers do

    async def fire(self, *, shards: Collection[int] = ALL_SHARDS, limit: int = 1000) -> fire.Fired:
        return await self.store.transact(fire.fire, shards=shards, limit=limit, scheduler_id=_SCHEDULER)

    async def recover(self, *, dead: Collection[str] = (), limit: int = 500) -> int:
        return await self.store.transact(recover.recover, chance=middle, dead_workers=dead, limit=limit)

    async def expire(self) -> int:
        return await self.store.transact(recover.expire)

    async def roll_up(self, *, limit: int = 1000) -> int:
        return await self.store.transact(prune.roll_up, limit=limit)

    async def prune(self, *, days: float, log_days: float | None = None, limit: int = 500) -> int:
        log_days = days if log_days is None else log_days
        return await self.store.transact(
            prune.prune, retention=days * 86_400, log_retention=log_days * 86_400, limit=limit
        )

    # What workers do

    async def claims(
        self,
        limit: int = 100,
        *,
        reply_lost: bool = False,
        queues: Sequence[str] = ("default",),
        offers: Collection[str] = OFFERS,
        worker: str | None = None,
        token: str | None = None,
        lease: float = LEASE,
    ) -> claim.Claims:
        return await self.store.single(
            lost_reply(claim.claim) if reply_lost else claim.claim,
            worker_id=worker or self.ids.new(),
            token=token or self.ids.new(),
            queues=queues,
            offers=offers,
            limit=limit,
            lease=lease,
        )

    async def claim(self, limit: int = 100, **how: Any) -> list[Claimed]:
        return (await self.claims(limit, **how)).runs

    async def finish(
        self,
        *runs: Claimed,
        outcome: Outcome = SUCCEEDED,
        outcomes: Mapping[Claimed, Outcome] | None = None,
        logs: Sequence[LogLines] = (),
        reply_lost: bool = False,
    ) -> finish.FinishReport:
        """All with the same `outcome`, or each with its own of `outcomes`."""
        ended = outcomes or dict.fromkeys(runs, outcome)
        return await self.store.transact(
            lost_reply(finish.finish) if reply_lost else finish.finish,
            finished=[Finished(run, how) for run, how in ended.items()],
            specs=await self.store.read(_definitions, {(run.job_id, run.version) for run in ended}),
            chance=middle,
            logs=logs,
        )

    async def renew(self, worker: str, *runs: Claimed, lease: float = LEASE) -> list[tuple[str, str, bool]]:
        return await self.store.transact(_renew, worker, [run.id for run in runs], lease)

    async def log(self, *lines: LogLines) -> None:
        await self.store.transact(_append, lines)

    async def line(self, run: Claimed, text: str, *, seq: int = 1, token: str | None = None) -> LogLines:
        return LogLines(run.id, token or run.token, run.attempt, seq, await self.now(), "stdout", text)

    async def log_of(self, run: Any, *, after: LogPosition = START, limit: int = 1000) -> list[Row]:
        return await self.store.read(_log, _id(run), after, limit)

    async def progress(self, run: Claimed, value: str, *, token: str | None = None) -> None:
        await self.store.transact(_progress, [Progress(run.id, token or run.token, value)])

    # Short ways into states

    async def running(self, job: JobRecord | None = None, **how: Any) -> Claimed:
        """A run that a worker has just claimed."""
        job = job or await self.job()
        (triggered,) = await self.trigger(job)
        claimed = await self.claim(**how)
        (run,) = [one for one in claimed if one.id == triggered["id"]]
        return run

    async def ended(self, job: JobRecord | None = None, outcome: Outcome = SUCCEEDED) -> RunRecord:
        run = await self.running(job)
        await self.finish(run, outcome=outcome)
        return await self.find(run)

    # What is there

    async def find(self, run: Any) -> RunRecord:
        found = await self.store.read(_find, self.project, _id(run))
        assert found is not None
        return found

    async def look(self, job: JobRecord | str) -> JobRecord:
        found = await self.store.read(_job, self.project, _id(job))
        assert found is not None
        return found

    async def versions(self, job: JobRecord | str) -> list[VersionRecord]:
        return await self.store.read(_versions, _id(job))

    async def operation(self, operation: Operation) -> Operation:
        found = await self.store.read(_operation, operation.id)
        assert found is not None
        return found

    async def page(self, *, limit: int = 50, after: str | None = None, oldest_first: bool = False, **where: Any) -> Any:
        return await self.store.read(_page, self.project, RunFilter(**where), limit, after, oldest_first)

    async def totals(self) -> dict[str, int]:
        return await self.store.read(_totals, self.project)

    async def live(self, job: JobRecord | str | None = None) -> list[Row]:
        return await self._of("runs", job)

    async def history(self, job: JobRecord | str | None = None, *, status: str | None = None) -> list[Row]:
        return [row for row in await self._of("run_history", job) if status in (None, row["status"])]

    async def _of(self, table: str, job: JobRecord | str | None) -> list[Row]:
        rows = await self.rows(f"SELECT * FROM {table} ORDER BY id")
        return rows if job is None else [row for row in rows if row["job_id"] == _id(job)]

    async def rows(self, sql: str, **params: Any) -> list[Row]:
        """Straight from the database, for what no verb shows."""
        found: Any = await self.plain.fetch(sql, params)
        return [dict(row) for row in found]

    async def snapshot(self, tables: Collection[str]) -> dict[str, list[Row]]:
        return {table: await self.rows(f"SELECT * FROM {table}") for table in tables}

    async def execute(self, sql: str, **params: Any) -> int:
        return await self.plain.execute(sql, params)

    @asynccontextmanager
    async def holding(self, sql: str, **params: Any) -> AsyncIterator[None]:
        """Executes a statement in a transaction that stays open meanwhile, and is rolled back."""
        connection = await choose(self.url, self.clock.now)[1]()
        try:
            await connection.begin()
            await connection.fetch(sql, params)
            yield
            await connection.rollback()
        finally:
            await connection.close()


_SCHEDULER = IDS.new()


def worker_sign(**fields: Any) -> WorkerSign:
    values: dict[str, Any] = {
        "id": IDS.new(),
        "name": "worker",
        "host": Host("host", "linux", "host:boot", 1, 2),
        "version": "1",
        "queues": ("default",),
        "offers": OFFERS,
        "slots": 4,
    }
    return WorkerSign(**(values | fields))


def scheduler_sign() -> SchedulerSign:
    return SchedulerSign(IDS.new(), Host("host", "linux", "host:boot", 1, 2), "1")


def counts(rows: Collection[Row]) -> dict[str, int]:
    """How many occurrences the rows stand for, by status."""
    found: dict[str, int] = {}
    for row in rows:
        found[row["status"]] = found.get(row["status"], 0) + row["occurrences"]
    return found


# Verbs that only read, or hardly more.


async def _default_project(tx: Transaction) -> str:
    return (await tx.access.default_project()).id


async def _now(tx: Transaction) -> datetime:
    return await tx.now()


async def _definitions(tx: Transaction, pairs: set[tuple[str, int]]) -> dict[tuple[str, int], JobSpec]:
    return await tx.jobs.definitions(pairs)


async def _renew(tx: Transaction, worker: str, runs: list[str], lease: float) -> list[tuple[str, str, bool]]:
    return await tx.runs.renew(worker, runs, lease)


async def _append(tx: Transaction, lines: Sequence[LogLines]) -> None:
    await tx.logs.append(lines)


async def _progress(tx: Transaction, told: Sequence[Progress]) -> None:
    await tx.logs.progress(told)


async def _log(tx: Transaction, run_id: str, after: LogPosition, limit: int) -> list[Row]:
    return await tx.logs.read(run_id, after=after, limit=limit)


async def _find(tx: Transaction, project: str, run_id: str) -> RunRecord | None:
    return await tx.runs.find(project, run_id)


async def _job(tx: Transaction, project: str, ref: str) -> JobRecord | None:
    return await tx.jobs.find(project, ref)


async def _versions(tx: Transaction, job_id: str) -> list[VersionRecord]:
    return await tx.jobs.versions(job_id)


async def _operation(tx: Transaction, operation_id: str) -> Operation | None:
    return await tx.operations.find(None, operation_id)


async def _page(
    tx: Transaction, project: str, where: RunFilter, limit: int, after: str | None, oldest_first: bool
) -> Any:
    return await tx.runs.page(project, where, limit=limit, after=after, oldest_first=oldest_first)


async def _totals(tx: Transaction, project: str) -> dict[str, int]:
    return await tx.stats.totals(project)


__all__ = [
    "CANCELLED",
    "FAILED",
    "IDS",
    "INTERRUPTED",
    "LEASE",
    "OFFERS",
    "PERMANENT",
    "SUCCEEDED",
    "TIMED_OUT",
    "Beat",
    "RunStatus",
    "World",
    "counts",
    "ids",
    "middle",
    "scheduler_sign",
    "spec",
    "worker_sign",
]
