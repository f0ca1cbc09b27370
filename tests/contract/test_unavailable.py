"""A database that is up but unusable: read-only, locked, crowded, or silent. Callers get an error in time, and another
connection is used where that helps."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from horae.clock import SystemClock
from horae.domain.errors import StoreUnavailable
from horae.ports import Transaction
from horae.store import open_store
from horae.store import watchdog as vigil
from horae.store.store import SqlStore, SqlTransaction
from tests.contract.kinds import on_postgresql, on_servers
from tests.contract.test_errors import connection_of, queue, queues, say
from tests.contract.world import IDS, World
from tests.faults.proxy import Proxy

READ_ONLY = {
    "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
}
SHORT_LOCKS = {"postgresql": "SET LOCAL lock_timeout = '50ms'", "mysql": "SET innodb_lock_wait_timeout = 1"}
SLEEP = {"postgresql": "SELECT pg_sleep(1)", "mysql": "SELECT SLEEP(1)"}


@pytest.fixture
async def proxy(world: World) -> AsyncIterator[Proxy]:
    async with Proxy.before(world.url) as made:
        yield made


@pytest.fixture
async def far(world: World, proxy: Proxy) -> AsyncIterator[SqlStore]:
    """A store on the same database, behind the proxy."""
    store = await open_store(proxy.url, clock=SystemClock(), ids=IDS)
    yield store
    await store.close()


@pytest.fixture
def watchful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements are looked after soon, as the test does not have the time."""
    monkeypatch.setattr(vigil, "_LATE", 0.2)
    monkeypatch.setattr(vigil, "_TICK", 0.05)


async def fetch(tx: Transaction, sql: str) -> None:
    assert isinstance(tx, SqlTransaction)
    await tx._db.fetch(sql)


@on_servers
async def test_a_server_that_has_become_read_only_is_left_for_a_new_connection(world: World) -> None:
    """As after a failover: the old connections lead to what is a standby by now."""
    used: list[int] = []

    async def change(tx: Transaction) -> None:
        used.append(await connection_of(tx, world.kind))
        await queue(tx, "a")

    await world.store.read(fetch, READ_ONLY[world.kind])
    await world.store.transact(change)
    assert len(set(used)) == 2
    assert await queues(world) == ["a"]


@on_postgresql
async def test_a_server_that_takes_no_changes_is_not_connected_to(world: World) -> None:
    name = world.url.rpartition("/")[2]
    await world.store.read(fetch, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    with pytest.raises(StoreUnavailable, match="takes no changes"):
        await open_store(world.url, clock=SystemClock(), ids=IDS)


@on_postgresql
async def test_a_read_only_database_fails_the_write_check(world: World) -> None:
    await world.store.read(lambda tx: tx.upkeep.check_writable())
    name = world.url.rpartition("/")[2]
    await world.store.read(fetch, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    await world.store.read(fetch, READ_ONLY["postgresql"])  # the connection there is, as a reload would do it
    with pytest.raises(StoreUnavailable, match="takes no changes"):
        await world.store.read(lambda tx: tx.upkeep.check_writable())


@on_servers
async def test_a_lock_that_another_holds_costs_no_connection(world: World) -> None:
    await world.store.transact(queue, "a")
    held, over = asyncio.Event(), asyncio.Event()
    used: list[int] = []

    async def hold(tx: Transaction) -> None:
        await say(tx, "SELECT name FROM queues WHERE name = :name FOR UPDATE", name="a")
        held.set()
        await over.wait()

    async def want(tx: Transaction) -> None:
        used.append(await connection_of(tx, world.kind))
        await say(tx, SHORT_LOCKS[world.kind])
        if len(used) > 1:
            over.set()
        await say(tx, "SELECT name FROM queues WHERE name = :name FOR UPDATE", name="a")

    other = await world.crowd(1)
    holding = asyncio.create_task(other[0].store.transact(hold))
    await held.wait()
    await world.store.transact(want)
    await holding
    assert len(used) > 1
    assert len(set(used)) == 1


async def test_all_connections_in_use_is_said_in_time(world: World) -> None:
    store = await open_store(world.url, clock=SystemClock(), ids=IDS, connections=1, patience=0.1)
    taken, over = asyncio.Event(), asyncio.Event()

    async def keep(tx: Transaction) -> None:
        taken.set()
        await over.wait()

    keeping = asyncio.create_task(store.read(keep))
    await taken.wait()
    with pytest.raises(StoreUnavailable, match="in use"):
        await store.read(lambda tx: tx.now())
    over.set()
    await keeping
    assert await store.read(lambda tx: tx.now())
    await store.close()


@on_servers
async def test_a_statement_on_a_dead_connection_is_abandoned_and_retried(
    world: World, proxy: Proxy, far: SqlStore, watchful: None
) -> None:
    """The old connection is silently dead, while a new one would work."""
    tries: list[bool] = []

    async def work(tx: Transaction) -> None:
        tries.append(tx.repeated)
        await queue(tx, "a")
        if not tx.repeated:
            proxy.strand()
        await queue(tx, "b")

    await far.transact(work)
    assert tries == [False, True]
    assert await queues(world) == ["a", "b"]


@on_servers
async def test_doubtful_connections_are_replaced_before_they_are_used(
    world: World, proxy: Proxy, far: SqlStore
) -> None:
    tries: list[bool] = []

    async def work(tx: Transaction) -> None:
        tries.append(tx.repeated)
        await queue(tx, "a")

    await far.read(lambda tx: tx.now())
    proxy.strand()
    await far.doubt()
    await far.transact(work)
    assert tries == [False]
    assert await queues(world) == ["a"]


@on_servers
async def test_a_statement_that_takes_long_is_waited_for(world: World, far: SqlStore, watchful: None) -> None:
    tries: list[bool] = []

    async def work(tx: Transaction) -> None:
        tries.append(tx.repeated)
        await fetch(tx, SLEEP[world.kind])

    await far.transact(work)
    assert tries == [False]


@on_postgresql
async def test_during_an_outage_one_connection_attempt_serves_all(
    world: World, proxy: Proxy, far: SqlStore, watchful: None
) -> None:
    await far.read(lambda tx: tx.now())
    before = proxy.came
    proxy.silence()
    answers = await asyncio.gather(*(far.read(lambda tx: tx.now()) for _ in range(20)), return_exceptions=True)
    assert all(isinstance(answer, StoreUnavailable) for answer in answers)
    assert proxy.came - before < 20
    proxy.speak()
    assert await far.read(lambda tx: tx.now())
