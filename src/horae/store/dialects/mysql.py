"""MySQL and MariaDB: batches travel as JSON.

Where the two differ, the server chooses: MariaDB skips `/*!80001 … */`, MySQL skips `/*M! … */`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Table
from sqlalchemy.dialects import mysql

from horae.store import portable
from horae.store.dialects.base import Dialect, Rows, quoted

_SQLALCHEMY = mysql.dialect()


class MysqlDialect(Dialect):
    name = "mysql"
    hot = portable
    seeks_in_subqueries = False
    read_only = "SELECT @@global.read_only AS read_only"
    lock_shared = "LOCK IN SHARE MODE"  # MariaDB has no FOR SHARE

    @property
    def now(self) -> str:
        return f"(UTC_TIMESTAMP(6) + INTERVAL {self.shift} SECOND)" if self.shift else "UTC_TIMESTAMP(6)"

    def later(self, seconds: str) -> str:
        return f"({self.now} + INTERVAL {seconds} SECOND)"

    def earlier(self, seconds: str) -> str:
        return f"({self.now} - INTERVAL {seconds} SECOND)"

    def lock_of(self, alias: str) -> str:
        # Without a name MySQL refuses to lock a row joined to a batch (error 3569); MariaDB has no OF.
        return f"FOR UPDATE /*!80001 OF {alias} */"

    def by_key(self, table: str, alias: str) -> str:
        # Otherwise the optimizer scans a small table, and waits for the lock of every row in it.
        return f"STRAIGHT_JOIN {table} {alias} FORCE INDEX (PRIMARY)"

    def millis(self, start: str, end: str) -> str:
        return f"(TIMESTAMPDIFF(MICROSECOND, {start}, {end}) DIV 1000)"

    def hour(self, time: str) -> str:
        return f"TIMESTAMP(DATE({time}), MAKETIME(HOUR({time}), 0, 0))"

    def among(self, column: str, param: str) -> str:
        return f"{column} IN :{param}"

    def holds(self, column: str, param: str) -> str:
        return f"INSTR({column}, :{param}) > 0"

    def part(self, column: str, key: str) -> str:
        return f"CASE WHEN JSON_VALID({column}) THEN JSON_UNQUOTE(JSON_EXTRACT({column}, '$.{key}')) END"

    def bytes(self, column: str) -> str:
        return f"LENGTH({column})"

    def same(self, left: str, right: str) -> str:
        return f"{left} <=> {right}"

    def rows(self, alias: str, table: Table, columns: Sequence[str]) -> Rows:
        parts = ", ".join(
            f"{quoted(column)} {_json_type(table, column)} PATH '$[{i}]'" for i, column in enumerate(columns)
        )
        return Rows(f"JSON_TABLE(:{alias}, '$[*]' COLUMNS ({parts})) AS {alias}", alias, tuple(columns))

    def rows_params(self, rows: Rows, values: Sequence[Sequence[Any]]) -> dict[str, Any]:
        text = orjson.dumps(values, default=_encode, option=orjson.OPT_PASSTHROUGH_DATETIME).decode()
        return {rows.alias: text}

    def update_from(self, table: str, rows: Rows, sets: Mapping[str, str], where: str) -> str:
        changes = ", ".join(f"{table}.{column} = {value}" for column, value in sets.items())
        return f"UPDATE {rows.sql} {self.by_key(table, table)} ON {where} SET {changes}"

    def ignore_duplicates(self, insert: str) -> str:
        # Not INSERT IGNORE, which would hide every other error too.
        first = insert.split("(", 1)[1].split(",", 1)[0].strip(" )")
        table = insert.split()[2]
        return f"{insert} ON DUPLICATE KEY UPDATE {table}.{first} = {table}.{first}"

    def upsert(self, insert: str, keys: Sequence[str], sets: Mapping[str, str]) -> str:
        table = insert.split()[2]
        changes = ", ".join(
            f"{table}.{column} = {value.format(new=f'VALUES({column})', old=f'{table}.{column}')}"
            for column, value in sets.items()
        )
        return f"{insert} ON DUPLICATE KEY UPDATE {changes}"


def _json_type(table: Table, column: str) -> str:
    kind = table.c[column].type.compile(dialect=_SQLALCHEMY)
    return "TINYINT" if kind == "BOOL" else kind


def _encode(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.%f")
    raise TypeError(f"{type(value).__name__} does not go into a batch")
