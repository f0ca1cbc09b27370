"""`run_logs`: captured output, written only by the attempt that holds the run's token."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from horae.domain.runs.log import LogLines, LogPiece, LogPosition, Progress
from horae.store import tables
from horae.store.dialects.base import Dialect, Rows
from horae.store.rows import Group, some

_START = LogPosition()
_COLUMNS = ("run_id", "attempt", "seq", "at", "stream", "text")


@cache
def _append(d: Dialect) -> tuple[str, Rows]:
    rows = d.rows("v", tables.log_batch, ("token", *_COLUMNS))
    insert = (
        'INSERT INTO run_logs (run_id, attempt, seq, at, stream, "text") '
        'SELECT v.run_id, v.attempt, v.seq, v.at, v.stream, v."text" '
        f"FROM {rows.sql} JOIN runs r ON r.id = v.run_id AND r.token = v.token"
    )
    return d.ignore_duplicates(insert), rows


@cache
def _progress(d: Dialect) -> tuple[str, Rows]:
    rows = d.rows("v", tables.runs, ("id", "token", "progress"))
    return d.update_from("runs", rows, {"progress": "v.progress"}, "runs.id = v.id AND runs.token = v.token"), rows


class LogTable(Group):
    async def append(self, lines: Sequence[LogLines]) -> None:
        sql, rows = _append(self.d)
        values = [(x.token, x.run_id, x.attempt, x.seq, x.at, x.stream, x.text) for x in lines]
        await self.put(sql, rows, values)

    async def progress(self, reports: Sequence[Progress]) -> None:
        sql, rows = _progress(self.d)
        await self.put(sql, rows, sorted((x.run_id, x.token, x.value) for x in reports))

    async def lengths(self, run_ids: Collection[str]) -> dict[tuple[str, int], int]:
        if not run_ids:
            return {}
        rows = await self.db.fetch(
            'SELECT run_id, attempt, SUM(LENGTH("text")) AS size FROM run_logs '
            f"WHERE {self.d.among('run_id', 'ids')} GROUP BY run_id, attempt",
            {"ids": some(run_ids)},
        )
        return {(row["run_id"], row["attempt"]): int(row["size"]) for row in rows}

    async def read(self, run_id: str, *, after: LogPosition = _START, limit: int = 1000) -> list[LogPiece]:
        rows = await self.db.fetch(
            'SELECT attempt, seq, at, stream, "text" FROM run_logs WHERE run_id = :run_id '
            "AND (attempt > :attempt OR (attempt = :attempt AND seq > :seq)) ORDER BY attempt, seq LIMIT :limit",
            {"run_id": run_id, "limit": limit, "attempt": after.attempt, "seq": after.seq},
        )
        return [LogPiece(*(row[column] for column in LogPiece._fields)) for row in rows]
