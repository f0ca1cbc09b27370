"""Runs verbs in transactions: begins, commits, notifies the engine, sends the hints, and retries what can be
retried."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from datetime import datetime
from typing import Generic, ParamSpec, TypeVar

from horae.domain.cluster.meters import Meters
from horae.domain.errors import NeedsTransaction
from horae.domain.people.audit import Origin
from horae.domain.runs.events import Event
from horae.domain.sinks.listeners import Listeners
from horae.domain.targets.celery_limits import CeleryLimits
from horae.ports import Engine, Hint, History, Ids, Observer, Verb
from horae.store.aftermath import Aftermath
from horae.store.counts.counters import CounterTables
from horae.store.counts.series import SeriesTable
from horae.store.counts.stats import StatTable
from horae.store.dialects.base import Connection, Dialect
from horae.store.emitting import Emitter
from horae.store.facts import FactTables
from horae.store.failures import ConnectionLost, TryAgain
from horae.store.jobs.deletions import DeletionTable
from horae.store.jobs.dependencies import DependencyTable
from horae.store.jobs.functions import FunctionTable
from horae.store.jobs.heads import HeadMemo
from horae.store.jobs.jobs import JobTable
from horae.store.jobs.leftovers import LeftoverTables
from horae.store.jobs.queues import QueueTable
from horae.store.jobs.reservations import ReservationTable
from horae.store.jobs.unreadable import UnreadableTable
from horae.store.people.access import AccessTable
from horae.store.people.accounts import AccountTables
from horae.store.people.audit import AuditTable
from horae.store.people.devices import DeviceTable
from horae.store.people.idempotency import IdempotencyTable
from horae.store.people.identities import IdentityTables
from horae.store.people.invitations import InvitationTable
from horae.store.people.limits import LimitTable
from horae.store.people.quotas import QuotaTable
from horae.store.people.second_factors import SecondFactorTables
from horae.store.people.secrets import SecretTable
from horae.store.people.sessions import SessionTable
from horae.store.people.worker_keys import WorkerKeyTable
from horae.store.pool import ConnectionPool, PatientSemaphore
from horae.store.processes import ProcessTable
from horae.store.runs.dead_letters import DeadLetterTable
from horae.store.runs.gates import GateTable
from horae.store.runs.history import HistoryTable
from horae.store.runs.logs import LogTable
from horae.store.runs.operations import OperationTable
from horae.store.runs.publications import PublicationTable
from horae.store.runs.remote_tasks import RemoteTaskTable
from horae.store.runs.runs import RunTable
from horae.store.upkeep import UpkeepTables
from horae.store.watching.alert_facts import AlertFactTables
from horae.store.watching.alerts import AlertTable
from horae.store.watching.badges import BadgeTable
from horae.store.watching.channels import ChannelTable
from horae.store.watching.deliveries import DeliveryTable
from horae.store.watching.notices import NoticeTable
from horae.store.watching.outbox import OutboxTable
from horae.store.watching.ping_events import PingEventTable
from horae.store.watching.pings import PingTable
from horae.store.watching.sinks import SinkTable

P = ParamSpec("P")
T = TypeVar("T")
G = TypeVar("G")

# After a conflict a transaction is retried soon; after a lost connection once, on a new one.
_PAUSES_IN_THE_WAY = (0.005, 0.02, 0.05, 0.1, 0.2, 0.4)
_PAUSES_LOST = (0.05,)
_LONGEST = 5.0  # seconds after which nothing is retried: the caller decides
_NOWHERE = Origin()
_UNLIMITED = CeleryLimits()


class _Lazy(Generic[G]):
    """A group of tables, created on first use: a transaction needs two or three of them."""

    def __init__(self, make: Callable[[SqlTransaction], G]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, tx: SqlTransaction, owner: type) -> G:
        made = self._make(tx)
        tx.__dict__[self._name] = made  # from now on found there, without this descriptor
        return made


def _group(kind: Callable[[Connection, Dialect], G]) -> _Lazy[G]:
    return _Lazy(lambda tx: kind(tx._db, tx._dialect))


def _telling(kind: Callable[[Connection, Dialect, Aftermath], G]) -> _Lazy[G]:
    return _Lazy(lambda tx: kind(tx._db, tx._dialect, tx.after))


def _reading(kind: Callable[[Connection, Dialect, History], G]) -> _Lazy[G]:
    return _Lazy(lambda tx: kind(tx._db, tx._dialect, tx.history))


class SqlTransaction:
    """The tables as verbs see them, all on one connection."""

    jobs = _Lazy(lambda tx: JobTable(tx._db, tx._dialect, tx._shard_count, tx._heads))
    unreadable = _group(UnreadableTable)
    gates = _telling(GateTable)
    history = _telling(HistoryTable)
    runs = _Lazy(lambda tx: RunTable(tx._db, tx._dialect, tx.after, tx.history))
    publications = _group(PublicationTable)
    remote_tasks = _group(RemoteTaskTable)
    logs = _group(LogTable)
    processes = _group(ProcessTable)
    stats = _Lazy(lambda tx: StatTable(tx._db, tx._dialect, tx.history, tx._ids))
    facts = _reading(FactTables)
    access = _group(AccessTable)
    worker_keys = _group(WorkerKeyTable)
    accounts = _group(AccountTables)
    invitations = _group(InvitationTable)
    sessions = _group(SessionTable)
    second_factors = _group(SecondFactorTables)
    identities = _group(IdentityTables)
    devices = _group(DeviceTable)
    limits = _group(LimitTable)
    upkeep = _group(UpkeepTables)
    counters = _group(CounterTables)
    leftovers = _reading(LeftoverTables)
    deletions = _group(DeletionTable)
    dependencies = _group(DependencyTable)
    operations = _reading(OperationTable)
    secrets = _group(SecretTable)
    functions = _group(FunctionTable)
    audit = _Lazy(lambda tx: AuditTable(tx._db, tx._dialect, tx.after, tx._ids, tx._origin))
    dead_letters = _reading(DeadLetterTable)
    idempotency = _group(IdempotencyTable)
    queues = _telling(QueueTable)
    reservations = _group(ReservationTable)
    quotas = _group(QuotaTable)
    notices = _group(NoticeTable)
    alerts = _group(AlertTable)
    alert_facts = _group(AlertFactTables)
    channels = _group(ChannelTable)
    deliveries = _group(DeliveryTable)
    series = _group(SeriesTable)
    pings = _group(PingTable)
    ping_events = _group(PingEventTable)
    badges = _group(BadgeTable)
    sinks = _group(SinkTable)
    outbox = _group(OutboxTable)

    def __init__(
        self,
        db: Connection,
        dialect: Dialect,
        ids: Ids,
        shard_count: int,
        heads: HeadMemo,
        *,
        repeated: bool = False,
        alone: bool = False,
        origin: Origin = _NOWHERE,
    ) -> None:
        self._db: Connection = db
        self._dialect: Dialect = dialect
        self._ids: Ids = ids
        self._shard_count: int = shard_count
        self._heads: HeadMemo = heads
        self._origin: Origin = origin
        self.repeated, self.alone, self.celery_limits = repeated, alone, _UNLIMITED
        self.after: Aftermath = Aftermath()
        self.new_id = ids.new

    async def now(self) -> datetime:
        return await self._dialect.read_now(self._db)

    def hint(self, hint: Hint) -> None:
        self.after.hints.add(hint)

    def tell(self, event: Event) -> None:
        self.after.tell(event)


class SqlStore:
    """A store on any of the three databases. `patience`: see `Places`."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[Connection]],
        dialect: Dialect,
        ids: Ids,
        *,
        shard_count: int,
        connections: int,
        patience: float | None = None,
    ) -> None:
        self.dialect = dialect
        self.shard_count = shard_count
        self.installation = ""  # its name, set by the code that opened it
        self._ids, self._connect = ids, connect
        self._pool = ConnectionPool(connect, connections, patience)
        self.engine: Engine | None = None
        self.observers: Sequence[Observer] = ()
        self.celery_limits = _UNLIMITED
        self.send: Callable[[Collection[Hint]], Awaitable[None]] | None = None  # hints, after the commit
        self.on_lost: Callable[[], object] = lambda: None  # called when a connection turns out to be dead
        self._origin = _NOWHERE
        self._heads = HeadMemo()
        self._emitter = Emitter(ids)
        # SQLite has one writer: processes queue in its busy handler, tasks of one process queue here, in order.
        self._writer: AbstractAsyncContextManager[object] = nullcontext()
        if dialect.one_writer:
            self._writer = PatientSemaphore(1, patience, "too many wait for their turn to write to the database")

    async def transact(self, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._repeated(self._write, verb, *args, **kwargs)

    async def autocommit(self, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        listeners = self._emitter.listeners
        single = self.dialect.hot.single and (listeners is None or not listeners.of_claims)
        once = self._alone if single else self._write
        return await self._repeated(once, verb, *args, **kwargs)

    async def read(self, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._repeated(self._read, verb, *args, **kwargs)

    async def learn(self) -> bool:
        found = await self.read(lambda tx: tx.sinks.listening())
        self._emitter.listeners = Listeners(found) if found else None
        return bool(found)

    def measure(self, meters: Meters) -> None:
        """Measures its connections from now on."""
        self._pool.measure(meters)

    async def doubt(self) -> None:
        """Another connection to the same place was dead: idle ones may be dead too."""
        await self._pool.discard_idle()

    def on_behalf_of(self, origin: Origin) -> SqlStore:
        bound = copy.copy(self)
        bound._origin = origin
        return bound

    def beside(self, connections: int) -> SqlStore:
        """A store with its own connections, for another event loop. It sends no hints."""
        made = SqlStore(self._connect, self.dialect, self._ids, shard_count=self.shard_count, connections=connections)
        made._emitter = self._emitter
        return made

    async def close(self) -> None:
        await self._pool.close()

    async def _repeated(
        self,
        once: Callable[..., Awaitable[T]],
        verb: Verb[P, T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        in_the_way, lost = iter(_PAUSES_IN_THE_WAY), iter(_PAUSES_LOST)
        unheard = self._origin.repeated  # whether an earlier commit may have succeeded although its reply was lost
        time = asyncio.get_running_loop().time
        enough = time() + _LONGEST
        while True:
            try:
                return await once(unheard, verb, *args, **kwargs)
            except NeedsTransaction:
                once = self._write
                continue
            except TryAgain:
                pause = next(in_the_way, None)
                if pause is None or time() > enough:
                    raise
            except ConnectionLost:
                unheard = True
                await self._pool.discard_idle()
                self.on_lost()
                pause = next(lost, None)
                if pause is None:
                    raise
            await asyncio.sleep(pause * (0.5 + self._ids.chance()))

    async def _write(self, repeated: bool, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        async with self._writer, self._pool.connection() as db, _transaction(db):
            tx = self._transaction(db, repeated)
            result = await verb(tx, *args, **kwargs)
            if self._emitter.listeners is not None:
                await self._emitter.write(db, self.dialect, tx.after)
        await self._tell(tx.after)
        return result

    async def _tell(self, after: Aftermath) -> None:
        if after.offer and self.engine is not None:
            await self.engine.offer(after.offer)
        if after.hints and self.send is not None:
            await self.send(after.hints)
        for event in after.events:
            self.tell(event)

    def tell(self, event: Event) -> None:
        for observe in self.observers:
            observe(event)

    async def _alone(self, repeated: bool, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        async with self._pool.connection() as db:
            tx = self._transaction(db, repeated, alone=True)
            result = await verb(tx, *args, **kwargs)
        await self._tell(tx.after)
        return result

    async def _read(self, repeated: bool, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        async with self._pool.connection() as db:
            return await verb(self._transaction(db, repeated), *args, **kwargs)

    def _transaction(self, db: Connection, repeated: bool, *, alone: bool = False) -> SqlTransaction:
        how = {"repeated": repeated, "alone": alone}
        tx = SqlTransaction(db, self.dialect, self._ids, self.shard_count, self._heads, **how, origin=self._origin)
        tx.celery_limits = self.celery_limits
        return tx


@asynccontextmanager
async def _transaction(db: Connection) -> AsyncIterator[None]:
    await db.begin()
    try:
        yield
        await db.commit()
    except BaseException:
        if not db.broken:
            try:
                await db.rollback()
            except Exception:
                db.broken = True
        raise
