"""The ground that all other tests stand on: each test has its own database."""

from collections.abc import Callable

import asyncmy
import asyncpg
import pytest
from sqlalchemy.engine import make_url

from tests.databases import KINDS


async def ask(url: str, *statements: str) -> list[tuple[object, ...]]:
    place = make_url(url)
    if place.drivername == "postgresql":
        connection = await asyncpg.connect(url)
        rows = [tuple(row) for statement in statements for row in await connection.fetch(statement)]
        await connection.close()
        return rows
    connection = await asyncmy.connect(
        host=place.host, port=place.port, user=place.username, password=place.password, db=place.database,
        autocommit=True,
    )  # fmt: skip
    rows = []
    async with connection.cursor() as cursor:
        for statement in statements:
            await cursor.execute(statement)
            rows += await cursor.fetchall()
    await connection.ensure_closed()
    return rows


SERVERS = [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in KINDS if kind != "sqlite"]


@pytest.mark.parametrize("kind", SERVERS)
async def test_a_database_is_fresh_and_private(kind: str, make_database: Callable[..., str]) -> None:
    one, two = make_database(kind), make_database(kind)
    await ask(one, "CREATE TABLE things (id INT PRIMARY KEY)", "INSERT INTO things VALUES (1)")
    assert await ask(one, "SELECT id FROM things") == [(1,)]
    await ask(two, "CREATE TABLE things (id INT PRIMARY KEY)")
    assert await ask(two, "SELECT id FROM things") == []


@pytest.mark.parametrize("kind", SERVERS)
async def test_a_copy_has_tables_keys_and_rows(kind: str, make_database: Callable[..., str]) -> None:
    original = make_database(kind)
    await ask(
        original,
        "CREATE TABLE a (id INT PRIMARY KEY)",
        "CREATE TABLE b (id INT PRIMARY KEY, a_id INT, FOREIGN KEY (a_id) REFERENCES a (id))",
        "INSERT INTO a VALUES (1)",
        "INSERT INTO b VALUES (2, 1)",
    )
    copy = make_database(kind, like=original)
    assert await ask(copy, "SELECT id, a_id FROM b") == [(2, 1)]
    with pytest.raises(Exception, match="foreign key"):
        await ask(copy, "INSERT INTO b VALUES (3, 9)")


async def test_every_kind_gives_a_url(database_url: str) -> None:
    assert make_url(database_url).drivername in KINDS
