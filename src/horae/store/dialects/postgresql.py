"""PostgreSQL through asyncpg: batches travel as arrays, statements are prepared once per connection."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import asyncpg
from sqlalchemy import Table
from sqlalchemy.dialects import postgresql

from horae.store.dialects.base import Connection, Dialect, Params, Row, Rows, listed, positional
from horae.store.dialects.months import months, partition_ddl, smallest_id
from horae.store.failures import ConnectionLost, DuplicateKey, StoreUnavailable, TryAgain

_SQLALCHEMY = postgresql.dialect()  # type: ignore[no-untyped-call]


class PostgresqlDialect(Dialect):
    name = "postgresql"
    with_may_change = True
    insert_returns = True
    # The weaker pair of each kind: whoever fires a job and whoever triggers it are not in each other's way.
    lock_skip = "FOR NO KEY UPDATE SKIP LOCKED"
    lock_shared = "FOR KEY SHARE"

    @property
    def now(self) -> str:
        # statement_timestamp, not clock_timestamp: a volatile function cannot bound an index scan, and now() stands
        # still for the whole transaction.
        if self.shift:
            return f"(statement_timestamp() + interval '{self.shift} seconds')"
        return "statement_timestamp()"

    def later(self, seconds: str) -> str:
        return f"({self.now} + make_interval(secs => {seconds}))"

    def earlier(self, seconds: str) -> str:
        return f"({self.now} - make_interval(secs => {seconds}))"

    def lock_of(self, alias: str) -> str:
        return f"FOR UPDATE OF {alias}"

    def millis(self, start: str, end: str) -> str:
        return f"CAST(extract(epoch FROM {end} - {start}) * 1000 AS bigint)"

    def among(self, column: str, param: str) -> str:
        return f"{column} = ANY(:{param})"

    def holds(self, column: str, param: str) -> str:
        return f"strpos(CAST({column} AS text), :{param}) > 0"

    def same(self, left: str, right: str) -> str:
        return f"{left} IS NOT DISTINCT FROM {right}"

    def rows(self, alias: str, table: Table, columns: Sequence[str]) -> Rows:
        arrays = ", ".join(
            f"CAST(:{alias}_{column} AS {table.c[column].type.compile(dialect=_SQLALCHEMY)}[])" for column in columns
        )
        return Rows(f"unnest({arrays}) AS {alias}({listed(columns)})", alias, tuple(columns))

    def rows_params(self, rows: Rows, values: Sequence[Sequence[Any]]) -> dict[str, Any]:
        names = [f"{rows.alias}_{column}" for column in rows.columns]
        return dict(zip(names, map(list, zip(*values, strict=True)), strict=True))

    def update_from(self, table: str, rows: Rows, sets: Mapping[str, str], where: str) -> str:
        changes = ", ".join(f"{column} = {value}" for column, value in sets.items())
        return f"UPDATE {table} SET {changes} FROM {rows.sql} WHERE {where}"

    def ignore_duplicates(self, insert: str) -> str:
        return f"{insert} ON CONFLICT DO NOTHING"

    def upsert(self, insert: str, keys: Sequence[str], sets: Mapping[str, str]) -> str:
        table = insert.split()[2]
        changes = ", ".join(
            f"{column} = {value.format(new=f'excluded.{column}', old=f'{table}.{column}')}"
            for column, value in sets.items()
        )
        return f"{insert} ON CONFLICT ({listed(keys)}) DO UPDATE SET {changes}"

    async def prepare_partitions(self, db: Connection) -> None:
        now = await self.read_now(db)
        for table, column in (("run_history", "id"), ("run_logs", "run_id")):
            for (first, after), ddl in zip(months(now), partition_ddl(table, now), strict=True):
                (row,) = await db.fetch(
                    f"SELECT to_regclass('{table}_{first:%Y_%m}') IS NULL AS missing, "
                    f"EXISTS (SELECT 1 FROM {table}_rest WHERE {column} >= '{smallest_id(first)}' "
                    f"AND {column} < '{smallest_id(after)}') AS late"
                )
                # Rows of that month that came before its partition stay in the default one, and so does the month.
                if row["missing"] and not row["late"]:
                    await db.execute(ddl)


class PostgresqlConnection:
    """One asyncpg connection."""

    def __init__(self, raw: asyncpg.Connection[Any]) -> None:
        self._raw = raw
        self.broken = False

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        text, names = positional(sql, "$")
        with self._mapped():
            rows: Sequence[Row] = await self._raw.fetch(text, *[params[name] for name in names] if params else ())
            return rows

    async def execute(self, sql: str, params: Params | None = None) -> int:
        text, names = positional(sql, "$")
        with self._mapped():
            status = await self._raw.execute(text, *[params[name] for name in names] if params else ())
        return _matched(status)

    async def begin(self) -> None:
        with self._mapped():
            await self._raw.execute("BEGIN")

    async def commit(self) -> None:
        with self._mapped():
            await self._raw.execute("COMMIT")

    async def rollback(self) -> None:
        with self._mapped():
            await self._raw.execute("ROLLBACK")

    async def close(self) -> None:
        self.broken = True
        try:
            await self._raw.close(timeout=2)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
            self._raw.terminate()

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            translated = _translated(error)
            if self._raw.is_closed() or isinstance(translated, asyncio.CancelledError | StoreUnavailable):
                # A cancelled statement may still be under way on the server.
                self.broken = True
            raise translated from error


@lru_cache(maxsize=256)
def _matched(status: str) -> int:
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0


def _translated(error: BaseException) -> BaseException:
    match error:
        case asyncpg.UniqueViolationError():
            return DuplicateKey(error.constraint_name)
        case (
            asyncpg.DeadlockDetectedError()
            | asyncpg.SerializationError()
            | asyncpg.LockNotAvailableError()
            | asyncpg.QueryCanceledError()
        ):
            return TryAgain(str(error))
        case asyncpg.TooManyConnectionsError():
            return StoreUnavailable(f"PostgreSQL refuses further connections: {error}")
        case (
            asyncpg.PostgresConnectionError()
            | asyncpg.InterfaceError()
            | asyncpg.InternalClientError()  # the server's goodbye came while nobody was listening
            | asyncpg.OperatorInterventionError()
            | OSError()
            | TimeoutError()
        ):
            return ConnectionLost(f"PostgreSQL does not answer: {_reason(error)}")
        case _:
            return error


def _reason(error: BaseException) -> str:
    """A timeout has no message of its own."""
    return str(error) or ("no answer in time" if isinstance(error, TimeoutError) else type(error).__name__)


async def connect(url: str) -> PostgresqlConnection:
    try:
        raw = await asyncpg.connect(
            url,
            timeout=5,
            command_timeout=60,
            server_settings={
                "application_name": "horae",
                "idle_in_transaction_session_timeout": "60000",
                # Batches join by key: a plan that reads the whole table to join five hundred rows is never right here.
                "enable_hashjoin": "off",
                "enable_mergejoin": "off",
                "jit": "off",
            },
        )
        # Ids are text in Horae; the server converts them faster than Python could.
        await raw.set_type_codec("uuid", encoder=str, decoder=str, schema="pg_catalog", format="text")
    except (asyncpg.InvalidCatalogNameError, asyncpg.InvalidAuthorizationSpecificationError) as error:
        raise StoreUnavailable(f"PostgreSQL refuses the connection: {error}") from error
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
        raise StoreUnavailable(f"PostgreSQL cannot be reached: {_reason(error)}") from error
    return PostgresqlConnection(raw)
