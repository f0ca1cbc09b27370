"""PostgreSQL: batches travel as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql

from horae.store.dialects.base import Connection, Dialect, Rows, listed
from horae.store.dialects.months import months, partition_ddl, smallest_id

_SQLALCHEMY = postgresql.dialect()  # type: ignore[no-untyped-call]


class PostgresqlDialect(Dialect):
    name = "postgresql"
    with_may_change = True
    insert_returns = True
    read_only = "SELECT current_setting('transaction_read_only') = 'on' AS read_only"
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

    def hour(self, time: str) -> str:
        return f"date_trunc('hour', {time})"

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
