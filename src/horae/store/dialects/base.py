"""SQL dialects: what statements need to know about a database, with the answers that most databases share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Protocol

from sqlalchemy import Table

from horae.domain.cluster.meters import Histogram
from horae.domain.cluster.process import SchedulerStanding
from horae.domain.jobs.job_record import JobHead
from horae.domain.runs.claim import Claimed, ClaimRequest
from horae.domain.runs.run import NewRun
from horae.domain.runs.run_record import RunRecord

Params = Mapping[str, Any]


class Row(Protocol):
    """A fetched row: values by column name."""

    def __getitem__(self, key: str, /) -> Any: ...


class Connection(Protocol):
    """A connection to one database. Errors come out as those of `horae.store.failures`."""

    broken: bool
    seconds: Histogram | None  # of its statements; None: not measured

    async def fetch(self, sql: str, params: Params | None = None) -> Sequence[Row]: ...
    async def execute(self, sql: str, params: Params | None = None) -> int:
        """The number of rows that matched."""
        ...

    async def begin(self) -> None: ...
    async def commit(self) -> None: ...
    async def rollback(self) -> None: ...
    async def close(self) -> None: ...


_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")


@lru_cache(maxsize=1024)
def positional(sql: str, style: str) -> tuple[str, tuple[str, ...]]:
    """`:name` parameters as the driver wants them (`$1`, `?` or `%s`), and the names in their order."""
    names: list[str] = []

    def place(match: re.Match[str]) -> str:
        name = match[1]
        if style == "$":
            if name not in names:
                names.append(name)
            return f"${names.index(name) + 1}"
        names.append(name)
        return style

    if style == "%s":
        sql = sql.replace("%", "%%")
    return _PARAMETER.sub(place, sql), tuple(names)


@dataclass(frozen=True, slots=True)
class Rows:
    """A batch of values as a table expression named `alias`, and how its parameters are made."""

    sql: str
    alias: str
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    """How runs go to history: those of a batch for which `fits` holds, their row being `r`. `values` are the columns
    that come from the row and the batch, `fixed` those that are the same for all."""

    rows: Rows
    fits: str
    values: Mapping[str, str]
    fixed: Mapping[str, str]


def quoted(column: str) -> str:
    return f'"{column}"' if column in ("trigger", "text") else column


def listed(columns: Sequence[str], prefix: str = "") -> str:
    return ", ".join(prefix + quoted(column) for column in columns)


class HotStatements(Protocol):
    """The statements that every run costs. `store/portable.py` has a portable form; a dialect's own module has those
    that its database can do in fewer round trips."""

    @property
    def single(self) -> bool:
        """Whether each of these is one statement, which is atomic without a transaction around it."""
        ...

    async def claim(self, db: Connection, d: Dialect, request: ClaimRequest) -> list[Claimed]:
        """Leases the runs that are due longest in the queues of the request."""
        ...

    async def claim_by_id(self, db: Connection, d: Dialect, request: ClaimRequest) -> list[Claimed]:
        """Leases those of the runs in the request that are claimable."""
        ...

    async def add(
        self, db: Connection, d: Dialect, runs: Sequence[NewRun], still: JobHead | None = None
    ) -> list[RunRecord]:
        """Inserts runs, except those that have ended already, and returns them as they are shown; none unless the job
        is `still` as it was read, which is asked only of databases that check it in the same statement."""
        ...

    async def renew(
        self, db: Connection, d: Dialect, worker_id: str, run_ids: Sequence[str], lease: float
    ) -> Sequence[Row]:
        """Locks the runs that the worker holds, in the order of their ids, and extends their leases."""
        ...

    async def move(self, db: Connection, d: Dialect, move: Move, values: Sequence[Sequence[Any]]) -> set[str]:
        """Moves to history the runs of a batch whose fencing tokens match, and returns their ids."""
        ...

    async def beat(self, db: Connection, d: Dialect, update: str, params: Params) -> Sequence[Row]:
        """Updates a worker's row and reads who asked it to drain."""
        ...

    async def renew_scheduler(self, db: Connection, d: Dialect, beat: str, params: Params) -> SchedulerStanding:
        """Updates a scheduler's row and extends the leases of its shards."""
        ...


class Dialect(ABC):
    """One database's answers. `shift` moves its clock, for tests that cannot wait."""

    name: str
    one_writer = False
    hot: HotStatements
    seeks_in_subqueries = True  # whether a subquery can begin an index scan at a value of the row outside
    insert_returns = False  # whether INSERT … SELECT … RETURNING is supported
    read_only = "SELECT FALSE AS read_only"  # whether this database is read-only, as a standby is
    lock = "FOR UPDATE"
    lock_skip = "FOR UPDATE SKIP LOCKED"
    lock_shared = "FOR SHARE"  # a shared lock: no one can change or delete the row

    def __init__(self, shift: float = 0) -> None:
        self.shift = shift

    # Statements are cached by dialect: equal dialects share them, however many stores are open.

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dialect) and (self.name, self.shift) == (other.name, other.shift)

    def __hash__(self) -> int:
        return hash((self.name, self.shift))

    @property
    @abstractmethod
    def now(self) -> str:
        """The database's clock, read by each statement and usable as an index bound."""

    @abstractmethod
    def later(self, seconds: str) -> str:
        """`now` plus an expression in seconds."""

    @abstractmethod
    def earlier(self, seconds: str) -> str:
        """`now` minus an expression in seconds."""

    def lock_of(self, alias: str) -> str:
        """Locks the rows of one table of a join."""
        return self.lock

    def by_key(self, table: str, alias: str) -> str:
        """Joins a table to a batch, by the table's primary key."""
        return f"JOIN {table} {alias}"

    def order_within(self, null: str, columns: str) -> str:
        """The order of an index after a column that the WHERE restricts to NULL."""
        return columns

    def time(self, expression: str, name: str) -> str:
        """A computed time as a column of a result."""
        return f"{expression} AS {name}"

    @abstractmethod
    def millis(self, start: str, end: str) -> str:
        """Whole milliseconds between two times."""

    @abstractmethod
    def hour(self, time: str) -> str:
        """The full hour (UTC) in which a time lies."""

    @abstractmethod
    def among(self, column: str, param: str) -> str:
        """Whether a column's value is in a list given as one parameter."""

    @abstractmethod
    def holds(self, column: str, param: str) -> str:
        """Whether a document's text contains this, verbatim."""

    @abstractmethod
    def part(self, column: str, key: str) -> str:
        """A text in a document, by its key; NULL if it is not there, or the document is damaged."""

    @abstractmethod
    def bytes(self, column: str) -> str:
        """How long a text or JSON document is."""

    @abstractmethod
    def same(self, left: str, right: str) -> str:
        """Equality that treats NULL as equal to NULL."""

    @abstractmethod
    def rows(self, alias: str, table: Table, columns: Sequence[str]) -> Rows:
        """A table expression for a batch of rows with the types of a table's columns."""

    @abstractmethod
    def rows_params(self, rows: Rows, values: Sequence[Sequence[Any]]) -> dict[str, Any]:
        """The parameters that fill `rows` with values."""

    @abstractmethod
    def update_from(self, table: str, rows: Rows, sets: Mapping[str, str], where: str) -> str:
        """Updates a table from a batch; `sets` and `where` name the table and the batch's alias."""

    @abstractmethod
    def ignore_duplicates(self, insert: str) -> str:
        """An INSERT … SELECT that skips rows whose key exists."""

    @abstractmethod
    def upsert(self, insert: str, keys: Sequence[str], sets: Mapping[str, str]) -> str:
        """An INSERT … SELECT that updates rows whose key exists; in `sets`, `{new}` stands for the value offered
        and `{old}` for the one stored, as in `{"runs": "{old} + {new}"}`."""

    def insert_from(self, table: str, rows: Rows, extra: Mapping[str, str] | None = None) -> str:
        """Inserts a batch; `extra` adds columns computed by the database."""
        extra = extra or {}
        columns = listed([*rows.columns, *extra])
        values = ", ".join([listed(rows.columns, f"{rows.alias}."), *extra.values()]).strip(", ")
        return f"INSERT INTO {table} ({columns}) SELECT {values} FROM {rows.sql}"

    async def read_now(self, db: Connection) -> datetime:
        (row,) = await db.fetch(f"SELECT {self.time(self.now, 'now')}")
        now: datetime = row["now"]
        return now.replace(tzinfo=UTC)

    async def partition(self, db: Connection, older_than: float) -> bool:
        """Where tables are partitioned: creates a missing partition for a future month, or drops one that is empty and
        older than that many seconds. False if there was nothing to do. Raises InUse rather than wait for a lock."""
        return False

    async def missing_partitions(self, db: Connection) -> list[str]:
        """Where tables are partitioned: the partitions of this month and the next that are not there."""
        return []
