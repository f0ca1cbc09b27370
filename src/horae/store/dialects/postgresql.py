"""PostgreSQL: batches travel as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql

from horae.domain.errors import InUse
from horae.store.dialects import postgresql_statements
from horae.store.dialects.base import Connection, Dialect, Rows, listed
from horae.store.dialects.months import month_of, months, partition_ddl, smallest_id
from horae.store.failures import TryAgain

_SQLALCHEMY = postgresql.dialect()  # type: ignore[no-untyped-call]
_PARTITIONED = (("run_history", "id"), ("run_logs", "run_id"))
# A transaction that waits for such a lock makes all others wait behind it, for as long as a backup reads the table.
_BRIEFLY = ("SET LOCAL lock_timeout = '50ms'", "SET LOCAL statement_timeout = '500ms'")


@dataclass(frozen=True, slots=True)
class _Change:
    """One partition to create or drop: `still` checks whether it is still needed, `ddl` does it."""

    table: str
    still: str
    ddl: str


class PostgresqlDialect(Dialect):
    name = "postgresql"
    hot = postgresql_statements
    insert_returns = True
    read_only = "SELECT current_setting('transaction_read_only') = 'on' AS read_only"
    # The weaker pair of each kind: firing and triggering a job do not block each other.
    lock_skip = "FOR NO KEY UPDATE SKIP LOCKED"
    lock_shared = "FOR KEY SHARE"

    @property
    def now(self) -> str:
        # statement_timestamp, not clock_timestamp: a volatile function cannot bound an index scan, and now() is
        # constant for the whole transaction.
        if self.shift:
            return f"(statement_timestamp() + interval '{self.shift} seconds')"
        return "statement_timestamp()"

    def later(self, seconds: str) -> str:
        return f"({self.now} + make_interval(secs => {seconds}))"

    def earlier(self, seconds: str) -> str:
        return f"({self.now} - make_interval(secs => {seconds}))"

    def lock_of(self, alias: str) -> str:
        return f"FOR UPDATE OF {alias}"

    def order_within(self, null: str, columns: str) -> str:
        return f"{null}, {columns}"  # the planner takes a column for constant after `=`, but not after IS NULL

    def millis(self, start: str, end: str) -> str:
        return f"CAST(extract(epoch FROM {end} - {start}) * 1000 AS bigint)"

    def hour(self, time: str) -> str:
        return f"date_trunc('hour', {time})"

    def among(self, column: str, param: str) -> str:
        return f"{column} = ANY(:{param})"

    def holds(self, column: str, param: str) -> str:
        return f"strpos(CAST({column} AS text), :{param}) > 0"

    def part(self, column: str, key: str) -> str:
        return f"{column} ->> '{key}'"

    def bytes(self, column: str) -> str:
        return f"octet_length(CAST({column} AS text))"

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

    async def partition(self, db: Connection, older_than: float) -> bool:
        now = await self.read_now(db)
        await db.execute("SAVEPOINT looking")
        change = await self._missing(db, now) or await self._empty(db, now - timedelta(seconds=older_than))
        # Releases the locks of the check: two schedulers that held them would deadlock.
        await db.execute("ROLLBACK TO SAVEPOINT looking")
        if change is None:
            return False
        try:
            for step in (*_BRIEFLY, f"LOCK TABLE ONLY {change.table} IN ACCESS EXCLUSIVE MODE"):
                await db.execute(step)
            # Checked again: another scheduler may have been faster, or a run that began long ago has just ended.
            if (await db.fetch(change.still))[0]["still"]:
                await db.execute(change.ddl)
        except TryAgain as error:
            raise InUse(f"{change.table} is in use: {error}") from error
        return True

    async def missing_partitions(self, db: Connection) -> list[str]:
        near = [first for first, _ in months(await self.read_now(db))][:2]
        names = [f"{table}_{first:%Y_%m}" for table, _ in _PARTITIONED for first in near]
        rows = await db.fetch(
            "SELECT name FROM unnest(CAST(:names AS text[])) AS name WHERE to_regclass(name) IS NULL ORDER BY name",
            {"names": names},
        )
        return [row["name"] for row in rows]

    async def _missing(self, db: Connection, now: datetime) -> _Change | None:
        for table, column in _PARTITIONED:
            for (first, after), ddl in zip(months(now), partition_ddl(table, now), strict=True):
                # Rows of that month that came before its partition stay in the default one, and so does the month.
                late = _holds(f"{table}_rest", column, first, after)
                still = f"SELECT to_regclass('{table}_{first:%Y_%m}') IS NULL AND NOT {late} AS still"
                if (await db.fetch(still))[0]["still"]:
                    return _Change(table, still, ddl)
        return None

    async def _empty(self, db: Connection, before: datetime) -> _Change | None:
        for table, column in _PARTITIONED:
            rows = await db.fetch(
                "SELECT inhrelid::regclass::text AS name FROM pg_inherits "
                f"WHERE inhparent = '{table}'::regclass ORDER BY 1"
            )
            for name in (row["name"] for row in rows):
                month = month_of(name)
                if month is None or month[1] > before:
                    continue
                # By its parent table: another scheduler may have dropped it meanwhile.
                still = f"SELECT to_regclass('{name}') IS NOT NULL AND NOT {_holds(table, column, *month)} AS still"
                if (await db.fetch(still))[0]["still"]:
                    return _Change(table, still, f"DROP TABLE {name}")
        return None


def _holds(table: str, column: str, first: datetime, after: datetime) -> str:
    low, high = smallest_id(first), smallest_id(after)
    return f"EXISTS (SELECT 1 FROM {table} WHERE {column} >= '{low}' AND {column} < '{high}')"
