"""Copies of a database to borrow: given back, one is emptied and lent again. Copying one costs a server more than most
tests do with it. A copy is lent again only if it is as it was made: one with other tables, or with many rows (and
statistics of them), is dropped."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import asyncmy
import asyncpg
from sqlalchemy.engine import make_url

from tests.databases import Databases, mysql, postgresql, run

MANY_ROWS = 200
MANY_BYTES = 256 * 1024
PATIENCE = 30  # seconds; the time that a leftover lock on a copy costs


@dataclass(frozen=True)
class Contents:
    """What a copy of a MariaDB database had when it was made; PostgreSQL knows by itself."""

    database: str = ""
    tables: frozenset[str] = frozenset()
    filled: tuple[str, ...] = ()


class Copies:
    """Of databases that nothing else touches, called originals."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases
        self._idle: dict[str, list[str]] = defaultdict(list)
        self._contents: dict[str, Contents] = {}

    def borrow(self, kind: str, original: str) -> str:
        if original not in self._contents:
            self._contents[original] = run(contents(original))
        if self._idle[original]:
            return self._idle[original].pop()
        return self._databases.create(kind, like=original)

    def give_back(self, url: str, original: str) -> None:
        if run(emptied(url, self._contents[original])):
            self._idle[original].append(url)
        else:
            self._databases.drop(url)


async def contents(original: str) -> Contents:
    kind = make_url(original).drivername
    if kind == "postgresql":
        async with postgresql(make_url(original)) as connection:
            await connection.execute(_PREPARE)
    elif kind == "mysql":
        async with mysql(make_url(original)) as cursor:
            return await contents_mysql(cursor, original)
    return Contents()


async def emptied(url: str, contents: Contents) -> bool:
    """False if it had better not be lent again."""
    kind = make_url(url).drivername
    if kind == "sqlite":
        return False  # a file is copied in no time
    try:
        async with asyncio.timeout(PATIENCE):
            return await (empty_postgresql(url) if kind == "postgresql" else empty_mysql(url, contents))
    except (asyncpg.PostgresError, asyncmy.errors.Error, OSError, TimeoutError):
        return False


# ---- PostgreSQL: the original brings along what empties its copies

_SHAPE = """
    SELECT string_agg(part, ' ') FROM (
        SELECT count(*) || ':' || max(xmin::text::bigint) AS part FROM pg_class
            WHERE relnamespace <> 'kept'::regnamespace AND relnamespace <> 'pg_toast'::regnamespace
        UNION ALL SELECT count(*) || ':' || max(a.xmin::text::bigint) FROM pg_attribute a
            JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace
        UNION ALL SELECT count(*) || ':' || max(xmin::text::bigint) FROM pg_constraint
        UNION ALL SELECT count(*) || ':' || max(xmin::text::bigint) FROM pg_trigger
    ) parts
"""
_PREPARE = f"""
CREATE SCHEMA kept;
DO $$
DECLARE one name; filled boolean;
BEGIN
    FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', one) INTO filled;
        IF filled THEN EXECUTE format('CREATE TABLE kept.%I AS TABLE public.%I', one, one); END IF;
    END LOOP;
END $$;
CREATE TABLE kept."the shape" (shape text);
CREATE FUNCTION kept.empty() RETURNS boolean LANGUAGE plpgsql SET session_replication_role = replica AS $$
DECLARE one name;
BEGIN
    IF ({_SHAPE}) <> (SELECT shape FROM kept."the shape") OR EXISTS (
        SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > {MANY_BYTES}
    ) THEN RETURN false; END IF;
    FOR one IN
        SELECT relname FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
    LOOP EXECUTE format('DELETE FROM public.%I', one); END LOOP;
    FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'kept' AND tablename <> 'the shape'
    LOOP EXECUTE format('INSERT INTO public.%I SELECT * FROM kept.%I', one, one); END LOOP;
    RETURN true;
END $$;
INSERT INTO kept."the shape" {_SHAPE};
"""
_ALONE = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


async def empty_postgresql(url: str) -> bool:
    async with postgresql(make_url(url)) as connection:
        await connection.execute(_ALONE)
        return bool(await connection.fetchval("SELECT kept.empty()"))


# ---- MariaDB and MySQL: the rows come from the original


async def contents_mysql(cursor: Any, url: str) -> Contents:
    database = make_url(url).database
    assert database
    await cursor.execute(f"USE `{database}`")
    tables = await tables_mysql(cursor)
    return Contents(database, tables, tuple(await rows_mysql(cursor, tables)))


async def empty_mysql(url: str, original: Contents) -> bool:
    async with mysql(make_url(url)) as cursor:
        await cursor.execute(f"USE `{make_url(url).database}`")
        await cursor.execute("SET foreign_key_checks = 0, innodb_lock_wait_timeout = 5, lock_wait_timeout = 5")
        if await tables_mysql(cursor) != original.tables:
            return False
        rows = await rows_mysql(cursor, original.tables)
        if max(rows.values(), default=0) >= MANY_ROWS:
            return False
        for table in rows:
            await cursor.execute(f"DELETE FROM `{table}`")
        for table in original.filled:
            await cursor.execute(f"INSERT INTO `{table}` SELECT * FROM `{original.database}`.`{table}`")
    return True


async def tables_mysql(cursor: Any) -> frozenset[str]:
    await cursor.execute("SHOW TABLES")
    return frozenset(table for (table,) in await cursor.fetchall())


async def rows_mysql(cursor: Any, tables: frozenset[str]) -> dict[str, int]:
    """How many each holds, at most MANY_ROWS, without those that are empty."""
    counts = (
        f"SELECT '{table}', COUNT(*) FROM (SELECT 1 FROM `{table}` LIMIT {MANY_ROWS}) AS found" for table in tables
    )
    await cursor.execute(" UNION ALL ".join(counts))
    return {table: rows for table, rows in await cursor.fetchall() if rows}
