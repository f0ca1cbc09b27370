"""Database errors are translated to Horae's own exceptions, and transient ones are retried."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from horae.clock import SystemClock
from horae.domain.errors import Conflict, DuplicateKey, HoraeError, StoreUnavailable
from horae.ports import Transaction
from horae.store import open_store
from horae.store.failures import ConnectionLost, TryAgain
from horae.store.store import SqlTransaction
from tests.contract.kinds import on_servers
from tests.contract.world import IDS, World
from tests.databases import server_url


async def say(tx: Transaction, sql: str, **params: Any) -> None:
    assert isinstance(tx, SqlTransaction)
    await tx._db.fetch(sql, params)


async def queue(tx: Transaction, name: str) -> None:
    assert isinstance(tx, SqlTransaction)
    await tx._db.execute(
        "INSERT INTO queues (name, created_at) VALUES (:name, :now)", {"name": name, "now": await tx.now()}
    )


async def turn() -> None:
    """Lets the others do one step."""
    turned = asyncio.Event()
    asyncio.get_running_loop().call_soon(turned.set)
    await turned.wait()


async def queues(world: World) -> list[str]:
    return await world.store.read(lambda tx: tx.jobs.queues())


async def test_a_duplicate_key_is_called_so_and_leaves_nothing(world: World) -> None:
    async def twice(tx: Transaction) -> None:
        await queue(tx, "a")
        await queue(tx, "a")

    with pytest.raises(DuplicateKey):
        await world.store.transact(twice)
    assert await queues(world) == []


async def test_a_verb_that_fails_leaves_nothing_and_sends_no_hint(world: World) -> None:
    heard: list[Any] = []

    async def hear(hints: Any) -> None:
        heard.append(set(hints))

    async def fail(tx: Transaction) -> None:
        await queue(tx, "a")
        tx.hint("jobs")
        raise Conflict("no")

    async def work(tx: Transaction) -> None:
        await queue(tx, "b")
        tx.hint("jobs")
        tx.hint("jobs")

    world.store.send = hear
    with pytest.raises(Conflict, match="no"):
        await world.store.transact(fail)
    assert (await queues(world), heard) == ([], [])
    await world.store.transact(work)
    assert (await queues(world), heard) == (["b"], [{"jobs"}])


async def test_a_bug_in_a_statement_is_not_hidden(world: World) -> None:
    with pytest.raises(Exception, match="nowhere"):
        await world.store.read(say, "SELECT * FROM nowhere")
    assert await queues(world) == []


async def test_a_transient_conflict_is_retried(world: World) -> None:
    tries = []

    async def second_time(tx: Transaction) -> str:
        tries.append(tx.repeated)
        await queue(tx, "a")
        if len(tries) < 3:
            raise TryAgain
        return "done"

    assert await world.store.transact(second_time) == "done"
    assert tries == [False, False, False], "nothing took effect before"
    assert await queues(world) == ["a"]


async def test_after_a_lost_connection_the_verb_knows_that_it_may_have_been_carried_out(world: World) -> None:
    tries = []

    async def work(tx: Transaction) -> None:
        tries.append(tx.repeated)
        if not tx.repeated:
            raise ConnectionLost

    await world.store.transact(work)
    assert tries == [False, True]


async def test_a_persistent_outage_raises_store_unavailable(world: World) -> None:
    async def never(tx: Transaction) -> None:
        raise ConnectionLost

    with pytest.raises(StoreUnavailable):
        await world.store.transact(never)


async def test_a_cancelled_transaction_is_rolled_back_and_blocks_no_other(world: World) -> None:
    started = asyncio.Event()

    async def hang(tx: Transaction) -> None:
        await queue(tx, "a")
        started.set()
        await asyncio.Event().wait()

    for _ in range(6):  # more than there are connections
        started.clear()
        task = asyncio.create_task(world.store.transact(hang))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await queues(world) == []
    await world.store.transact(queue, "a")
    assert await queues(await world.later()) == ["a"]


async def test_cancelling_during_a_statement_blocks_no_other_transaction(world: World) -> None:
    for pauses in range(12):
        task = asyncio.create_task(world.store.transact(queue, f"q{pauses}"))
        for _ in range(pauses):
            await turn()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await world.store.transact(queue, "last")
    assert "last" in await queues(await world.later())


# ---- servers


@on_servers
async def test_a_deadlock_is_untangled_and_tried_again(world: World) -> None:
    await world.store.transact(queue, "a")
    await world.store.transact(queue, "b")
    both = asyncio.Barrier(2)
    tries: list[str] = []

    async def lock(tx: Transaction, first: str, second: str) -> None:
        tries.append(first)
        await say(tx, "SELECT name FROM queues WHERE name = :name FOR UPDATE", name=first)
        if tries.count(first) == 1:
            await both.wait()
        await say(tx, "SELECT name FROM queues WHERE name = :name FOR UPDATE", name=second)
        await queue(tx, first + second)

    one, two = await world.crowd(2)
    await asyncio.gather(one.store.transact(lock, "a", "b"), two.store.transact(lock, "b", "a"))
    # More than once on a busy machine: what begins again may be the quicker one at the lock that both want.
    assert len(tries) >= 3, "one of them had to begin again"
    assert await queues(world) == ["a", "ab", "b", "ba"]


KILL = {"postgresql": "SELECT pg_terminate_backend(:id)", "mysql": "KILL :id"}
WHO = {"postgresql": "SELECT pg_backend_pid() AS id", "mysql": "SELECT CONNECTION_ID() AS id"}


async def connection_of(tx: Transaction, kind: str) -> int:
    assert isinstance(tx, SqlTransaction)
    (row,) = await tx._db.fetch(WHO[kind])
    return int(row["id"])


@on_servers
async def test_a_connection_that_breaks_amid_a_verb_is_replaced(world: World) -> None:
    tries = []

    async def work(tx: Transaction) -> None:
        tries.append(tx.repeated)
        await queue(tx, "a")
        if not tx.repeated:
            await world.rows(KILL[world.kind], id=await connection_of(tx, world.kind))
        await queue(tx, "b")

    await world.store.transact(work)
    assert tries == [False, True]
    assert await queues(world) == ["a", "b"]


@on_servers
async def test_connections_that_broke_while_idle_are_replaced(world: World) -> None:
    """All of the pool at once, as when the server restarts."""
    gate = asyncio.Barrier(4)

    async def meet(tx: Transaction) -> int:
        await gate.wait()
        return await connection_of(tx, world.kind)

    idle = await asyncio.gather(*(world.store.read(meet) for _ in range(4)))
    assert len(set(idle)) == 4
    for connection in idle:
        await world.rows(KILL[world.kind], id=connection)
    await world.store.transact(queue, "a")
    assert await queues(world) == ["a"]


@on_servers
async def test_a_server_that_does_not_answer_is_said_in_a_sentence(world: World) -> None:
    port = world.url.rpartition(":")[2].partition("/")[0]
    with pytest.raises(StoreUnavailable, match=r"cannot be reached"):
        await open_store(world.url.replace(f":{port}/", ":1/"), clock=SystemClock(), ids=IDS)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in ("postgresql", "mysql")]
)
async def test_a_wrong_database_or_user_is_said_in_a_sentence(kind: str) -> None:
    base, _, _ = server_url(kind).rpartition("/")
    scheme, _, rest = base.partition("://")
    for url in (f"{base}/no_such_database", f"{scheme}://nobody:wrong@{rest.rpartition('@')[2]}/horae"):
        with pytest.raises(StoreUnavailable):
            await open_store(url, clock=SystemClock(), ids=IDS)


# ---- SQLite


@pytest.mark.sqlite
async def test_a_file_that_cannot_be_used_is_said_in_a_sentence(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"this is no database, " * 100)
    for path in (tmp_path / "missing" / "horae.db", garbage, tmp_path):
        with pytest.raises(HoraeError) as raised:
            await open_store(f"sqlite:///{path}", clock=SystemClock(), ids=IDS)
        assert "\n" not in str(raised.value)


@pytest.mark.sqlite
async def test_writers_in_several_processes_wait_for_each_other(
    make_database: Callable[..., str], template: Callable[[str], str]
) -> None:
    """Each store has its own connections, as another process would."""
    url = make_database("sqlite", like=template("sqlite"))
    stores = [await open_store(url, clock=SystemClock(), ids=IDS) for _ in range(4)]

    async def write(n: int) -> None:
        for m in range(10):
            await stores[n].transact(queue, f"{n} {m}")

    await asyncio.gather(*map(write, range(4)))
    assert len(await stores[0].read(lambda tx: tx.jobs.queues())) == 40
    for store in stores:
        await store.close()
