"""`remote_tasks`: tasks that other systems execute for parked runs. Nothing here costs by the number of tasks that are
simply under way: those are in the memory of the worker that tracks them, and die with it only to be taken by another.

Locks are taken on runs first, then here; what begins here locks no run.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from horae.domain.runs.remote_task import NewRemoteTask, RemoteKey, RemoteRun, RemoteTask
from horae.store.dialects.base import Dialect, Row
from horae.store.rows import Group, batch, some
from horae.store.tables.remote import remote_batch

_MOST_OWNERS = 10_000
_SETTLED = 30.0  # seconds after which what should have been sent has been, or never will be


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.add_rows = batch(d, remote_batch, "run_id", "attempt", "token", "app", "seconds")
        self.add = d.ignore_duplicates(
            "INSERT INTO remote_tasks (run_id, attempt, token, app, deadline_at) "
            f"SELECT v.run_id, v.attempt, v.token, v.app, {d.later('v.seconds')} FROM {self.add_rows.sql}"
        )
        self.key_rows = batch(d, remote_batch, "run_id", "attempt")
        mine = "remote_tasks.run_id = v.run_id AND remote_tasks.attempt = v.attempt"
        self.taken = d.update_from("remote_tasks", self.key_rows, {"tracked_by": ":worker_id"}, mine)
        self.released = d.update_from("remote_tasks", self.key_rows, {"tracked_by": "NULL"}, mine)
        self.sent = d.update_from(
            "remote_tasks", self.key_rows, {"sent_at": f"COALESCE(remote_tasks.sent_at, {d.now})"}, mine
        )
        self.wanted = (
            f"SELECT t.run_id, t.attempt FROM {self.key_rows.sql} {d.by_key('remote_tasks', 't')} "
            "ON t.run_id = v.run_id AND t.attempt = v.attempt WHERE t.revoke_at IS NULL "
            f"ORDER BY t.run_id {d.lock_of('t')}"
        )
        self.mark_over = d.update_from("remote_tasks", self.key_rows, {"revoke_at": d.now}, mine)
        self.delete = (
            f"DELETE FROM remote_tasks WHERE EXISTS (SELECT 1 FROM {self.key_rows.sql} WHERE {mine}) "
            f"AND {d.among('run_id', 'ids')}"  # so that the primary key is used
        )

    @staticmethod
    def take(d: Dialect, owner: str | None) -> str:
        whose = "tracked_by IS NULL" if owner is None else "tracked_by = :owner"
        return (
            f"SELECT run_id, attempt, token, sent_at, {d.millis(d.now, 'deadline_at')} AS left_ms, "
            f"{d.millis(f'COALESCE(sent_at, {d.now})', d.now)} AS age_ms FROM remote_tasks "
            f"WHERE app = :app AND {whose} AND revoke_at IS NULL LIMIT :limit {d.lock_skip}"
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class RemoteTaskTable(Group):
    async def add(self, tasks: Sequence[NewRemoteTask]) -> None:
        sql = _sql(self.d)
        await self.put(sql.add, sql.add_rows, [(*task.key, task.app, task.seconds) for task in tasks])

    async def take(self, app: str, worker_id: str, limit: int, *, owner: str | None = None) -> list[RemoteTask]:
        sql = _sql(self.d)
        params = {"app": app, "limit": limit} | ({} if owner is None else {"owner": owner})
        rows = await self.db.fetch(sql.take(self.d, owner), params)
        if not rows:
            return []
        keys = sorted((row["run_id"], row["attempt"]) for row in rows)
        await self.put(sql.taken, sql.key_rows, keys, worker_id=worker_id)
        runs = await self._runs([run_id for run_id, _ in keys])
        return [_task(row, runs.get((row["run_id"], row["token"]))) for row in rows]

    async def mark_sent(self, keys: Sequence[RemoteKey]) -> set[RemoteKey]:
        sql = _sql(self.d)
        params = self.d.rows_params(sql.key_rows, _pairs(keys))
        still = {(row["run_id"], row["attempt"]) for row in await self.db.fetch(sql.wanted, params)}
        await self.put(sql.sent, sql.key_rows, sorted(still))
        return {key for key in keys if (key.run_id, key.attempt) in still}

    async def _runs(self, run_ids: Collection[str]) -> dict[tuple[str, str], RemoteRun]:
        """Not locked: a run that ends in the meantime marks its task, which waits for this transaction."""
        rows = await self.db.fetch(
            "SELECT id, token, job_id, version, input, traceparent FROM runs "
            f"WHERE {self.d.among('id', 'ids')} AND status = 'running' AND parked",
            {"ids": some(run_ids)},
        )
        return {
            (row["id"], row["token"]): RemoteRun(row["job_id"], row["version"], row["input"], row["traceparent"])
            for row in rows
        }

    async def owners(self, app: str) -> list[str]:
        """One look-up in the index for each: there are few of them, and may be many tasks."""
        found: list[str] = []
        while len(found) < _MOST_OWNERS:
            after = "tracked_by IS NOT NULL" if not found else "tracked_by > :last"
            params = {"app": app} | ({"last": found[-1]} if found else {})
            rows = await self.db.fetch(
                f"SELECT tracked_by FROM remote_tasks WHERE app = :app AND {after} ORDER BY tracked_by LIMIT 1", params
            )
            if not rows:
                break
            found.append(rows[0]["tracked_by"])
        return found

    async def release(self, worker_id: str, app: str, limit: int) -> int:
        sql = _sql(self.d)
        rows = await self.db.fetch(
            "SELECT run_id, attempt FROM remote_tasks WHERE app = :app AND tracked_by = :worker_id "
            f"LIMIT :limit {self.d.lock}",
            {"app": app, "worker_id": worker_id, "limit": limit},
        )
        keys = sorted((row["run_id"], row["attempt"]) for row in rows)
        await self.put(sql.released, sql.key_rows, keys)
        return len(rows)

    async def mark_over(self, keys: Sequence[RemoteKey]) -> None:
        sql = _sql(self.d)
        await self.put(sql.mark_over, sql.key_rows, _pairs(keys))

    async def over(self, app: str, worker_id: str, limit: int) -> list[RemoteKey]:
        rows = await self.db.fetch(
            "SELECT run_id, attempt, token, sent_at FROM remote_tasks WHERE app = :app AND revoke_at IS NOT NULL "
            "AND (sent_at IS NULL OR tracked_by IS NULL OR tracked_by = :worker_id "
            f"OR sent_at < {self.d.earlier(':settled')}) LIMIT :limit {self.d.lock_skip}",
            {"app": app, "worker_id": worker_id, "limit": limit, "settled": _SETTLED},
        )
        await self.delete([_key(row) for row in rows if row["sent_at"] is None])
        return [_key(row) for row in rows if row["sent_at"] is not None]

    async def delete(self, keys: Sequence[RemoteKey]) -> None:
        sql = _sql(self.d)
        ids = sorted({key.run_id for key in keys})
        await self.put(sql.delete, sql.key_rows, _pairs(keys), ids=ids)

    async def prune(self, older_than: float, limit: int) -> int:
        rows = await self.db.fetch(
            f"SELECT run_id, attempt, token FROM remote_tasks WHERE deadline_at < {self.d.earlier(':older_than')} "
            f"ORDER BY deadline_at LIMIT :limit {self.d.lock_skip}",
            {"older_than": older_than, "limit": limit},
        )
        await self.delete([_key(row) for row in rows])
        return len(rows)


def _pairs(keys: Sequence[RemoteKey]) -> list[tuple[str, int]]:
    """In one order: transactions that write some of the same do not deadlock."""
    return sorted((key.run_id, key.attempt) for key in keys)


def _key(row: Row) -> RemoteKey:
    return RemoteKey(row["run_id"], row["attempt"], row["token"])


def _task(row: Row, run: RemoteRun | None) -> RemoteTask:
    sent = row["sent_at"] is not None
    return RemoteTask(_key(row), sent, max(row["age_ms"], 0) / 1000, row["left_ms"] / 1000, run)
