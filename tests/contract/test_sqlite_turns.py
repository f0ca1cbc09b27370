"""SQLite has one writer at a time, and no queue for the others: in one process they take turns."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from horae.store.dialects import sqlite
from horae.store.dialects.sqlite import SqliteConnection
from horae.store.dialects.turn import Turn
from horae.store.failures import TryAgain
from tests.waiting import until

pytestmark = pytest.mark.sqlite


@pytest.fixture
async def connections(tmp_path: Path) -> AsyncIterator[list[SqliteConnection]]:
    path = tmp_path / "turns.db"
    path.touch()
    made = [await SqliteConnection(str(path), lambda: datetime.now(UTC)).open() for _ in range(4)]
    await made[0].execute("CREATE TABLE turns (n INTEGER PRIMARY KEY, who TEXT)")
    yield made
    for connection in made:
        if not connection.broken:
            await connection.close()


async def begun(connection: SqliteConnection) -> None:
    """It has written, and goes on."""
    await connection.begin()
    await connection.execute("INSERT INTO turns (who) VALUES ('a')")


async def write(connection: SqliteConnection, who: str) -> None:
    await connection.begin()
    await connection.execute("INSERT INTO turns (who) VALUES (:who)", {"who": who})
    await connection.commit()


def turn_of(connection: SqliteConnection) -> Turn:
    assert connection._turn is not None
    return connection._turn


async def who(connection: SqliteConnection) -> str:
    return "".join(row["who"] for row in await connection.fetch("SELECT who FROM turns ORDER BY n"))


async def test_in_the_order_of_asking(connections: list[SqliteConnection]) -> None:
    """However soon the one that has it wants it again."""
    a, *others = connections
    await begun(a)
    waiting = []
    for n, (name, connection) in enumerate(zip("bcd", others, strict=True), 1):
        waiting.append(asyncio.create_task(write(connection, name)))
        await until(lambda n=n: len(turn_of(a)._waiting) == n)  # type: ignore[misc]
    await a.commit()
    await write(a, "a")
    await asyncio.gather(*waiting)
    assert await who(a) == "abcda"


async def test_a_waiter_that_gives_up_does_not_block_the_queue(
    connections: list[SqliteConnection], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, c, _ = connections
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT", 0.05)
    await begun(a)
    with pytest.raises(TryAgain, match="busy"):
        await write(b, "b")
    await b.rollback()
    await a.rollback()
    await write(c, "c")
    await write(b, "b")
    assert await who(a) == "cb"


async def test_a_connection_that_is_closed_gives_its_turn(connections: list[SqliteConnection]) -> None:
    a, b, *_ = connections
    await begun(a)
    waiting = asyncio.create_task(write(b, "b"))
    await until(lambda: len(turn_of(a)._waiting) == 1)
    await a.close()
    await waiting
    assert await who(b) == "b"


async def test_a_statement_that_fails_keeps_it(connections: list[SqliteConnection]) -> None:
    """Until the transaction is over: others would find the file locked."""
    a, b, *_ = connections
    await begun(a)
    with pytest.raises(Exception, match="no such table"):
        await a.execute("INSERT INTO elsewhere VALUES (1)")
    waiting = asyncio.create_task(write(b, "b"))
    await until(lambda: len(turn_of(a)._waiting) == 1)
    await a.commit()
    await waiting
    assert await who(b) == "ab"
