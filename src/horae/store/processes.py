"""`workers`, `schedulers`, `shards`: live processes, and which scheduler fires which slice of the jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import astuple, fields

from sqlalchemy import Table

from horae.domain.cluster.isolation import isolation_of
from horae.domain.cluster.process import (
    Beat,
    Host,
    SchedulerRecord,
    SchedulerSign,
    SchedulerStanding,
    ShardView,
    WorkerRecord,
    WorkerSign,
)
from horae.domain.cluster.trouble import trouble_of
from horae.domain.runs.states import WorkerStatus
from horae.store.dialects.base import Row, listed
from horae.store.rows import Group, dump, load_list, read, some, stored
from horae.store.tables import processes as tables
from horae.store.tables.columns import Json

_WORKER, _SCHEDULER, _SHARD = (
    tuple(table.columns.keys()) for table in (tables.workers, tables.schedulers, tables.shards)
)
_HOST = tuple("host_key" if field.name == "key" else field.name for field in fields(Host))
_LISTS = tuple(column.name for column in tables.workers.columns if column.type is Json and column.name != "isolation")
_BEAT = tuple(field.name for field in fields(Beat) if field.name != "trouble")
_BEATEN = ", ".join(f"{name} = :{name}" for name in _BEAT)


class ProcessTable(Group):
    async def register_worker(self, sign: WorkerSign) -> None:
        await self._register(tables.workers, sign, busy="0", status="'idle'", runs_done="0")

    async def _register(self, table: Table, sign: WorkerSign | SchedulerSign, **begins: str) -> None:
        """Every field of a sign has a column of that name; `begins` are expressions for the others."""
        await self._forget(table.name, sign.id)
        values = {field.name: getattr(sign, field.name) for field in fields(sign) if field.name != "host"}
        params = {name: stored(table, name, value) for name, value in values.items()} | _host_params(sign.host)
        begins |= {"started_at": self.d.now, "heartbeat_at": self.d.now}
        await self.db.execute(
            f"INSERT INTO {table.name} ({listed([*params, *begins])}) "
            f"VALUES ({', '.join([*(f':{name}' for name in params), *begins.values()])})",
            params,
        )

    async def set_queues(self, worker_id: str, queues: Sequence[str]) -> None:
        await self.db.execute(
            "UPDATE workers SET queues = :queues WHERE id = :id", {"id": worker_id, "queues": dump(list(queues))}
        )

    async def set_offers(self, worker_id: str, offers: Sequence[str]) -> None:
        await self.db.execute(
            "UPDATE workers SET offers = :offers WHERE id = :id", {"id": worker_id, "offers": dump(list(offers))}
        )

    async def beat_worker(self, worker_id: str, beat: Beat) -> bool | None:
        beating = (
            f"UPDATE workers SET {_BEATEN}, {self._troubled(beat.trouble)}, heartbeat_at = {self.d.now}, "
            "stopped_at = NULL WHERE id = :id"
        )
        params = {"id": worker_id, **{name: getattr(beat, name) for name in _BEAT}, **_trouble_params(beat.trouble)}
        rows = await self.d.hot.beat(self.db, self.d, beating, params)
        return rows[0]["drain_requested_by"] is not None if rows else None

    async def stop_worker(self, worker_id: str, runs_done: int) -> None:
        # `offline` with a time, rather than a new status: older versions do not know one.
        await self.db.execute(
            f"UPDATE workers SET status = 'offline', busy = 0, runs_done = :runs_done, {self._troubled(None)}, "
            f"heartbeat_at = {self.d.now}, stopped_at = {self.d.now} WHERE id = :id",
            {"id": worker_id, "runs_done": runs_done},
        )

    async def workers(self, offline_after: float) -> list[WorkerRecord]:
        rows = await self.db.fetch(
            f"SELECT {listed(_WORKER)}, heartbeat_at < {self.d.earlier(':offline_after')} AS silent "
            "FROM workers ORDER BY id",
            {"offline_after": offline_after},
        )
        return [_worker(row) for row in rows]

    async def current_runs(self, project_id: str, worker_ids: Collection[str], limit: int) -> list[tuple[str, str]]:
        if not worker_ids:
            return []
        rows = await self.db.fetch(
            f"SELECT worker_id, id FROM runs WHERE status = 'running' AND {self.d.among('worker_id', 'workers')} "
            "AND project_id = :project_id ORDER BY id LIMIT :limit",
            {"workers": some(worker_ids), "project_id": project_id, "limit": limit},
        )
        return [(row["worker_id"], row["id"]) for row in rows]

    async def request_drain(self, worker_id: str, actor: str) -> None:
        await self.db.execute(
            "UPDATE workers SET drain_requested_by = :actor WHERE id = :id", {"id": worker_id, "actor": actor}
        )

    async def neighbours(self, host_key: str) -> list[tuple[str, Host]]:
        rows = await self.db.fetch(
            f"SELECT id, {listed(_HOST)} FROM workers WHERE host_key = :host_key AND status <> 'offline'",
            {"host_key": host_key},
        )
        return [(row["id"], _host(row)) for row in rows]

    async def mark_offline(self, worker_ids: Collection[str]) -> None:
        if worker_ids:
            await self.db.execute(
                f"UPDATE workers SET status = 'offline', busy = 0 WHERE {self.d.among('id', 'ids')}",
                {"ids": some(worker_ids)},
            )

    async def register_scheduler(self, sign: SchedulerSign) -> None:
        await self._register(tables.schedulers, sign)

    async def renew_scheduler(self, scheduler_id: str, lease: float, trouble: str | None = None) -> SchedulerStanding:
        beat = f"UPDATE schedulers SET {self._troubled(trouble)}, heartbeat_at = {self.d.now} WHERE id = :id"
        params = {"id": scheduler_id, "lease": lease, **_trouble_params(trouble)}
        return await self.d.hot.renew_scheduler(self.db, self.d, beat, params)

    def _troubled(self, trouble: str | None) -> str:
        """It dates from the first report, regardless of later ones."""
        if trouble is None:
            return "trouble = NULL, trouble_since = NULL"
        return f"trouble = :trouble, trouble_since = COALESCE(trouble_since, {self.d.now})"

    async def forget_scheduler(self, scheduler_id: str) -> None:
        await self.release_shards(scheduler_id)
        await self._forget("schedulers", scheduler_id)

    async def _forget(self, table: str, process_id: str) -> None:
        """Also before it registers: the reply to the same request may have been lost."""
        await self.db.execute(f"DELETE FROM {table} WHERE id = :id", {"id": process_id})

    async def schedulers(self, silent_after: float) -> list[SchedulerRecord]:
        rows = await self.db.fetch(
            f"SELECT {listed(_SCHEDULER)}, heartbeat_at <= {self.d.earlier(':silent_after')} AS silent "
            "FROM schedulers ORDER BY id",
            {"silent_after": silent_after},
        )
        held = rows and await self.db.fetch(
            f"SELECT {listed(_SHARD)} FROM shards WHERE lease_until > {self.d.now} ORDER BY shard"
        )
        owned: dict[str, list[ShardView]] = defaultdict(list)
        for shard in map(_shard, held):
            if shard.owner_id is not None:
                owned[shard.owner_id].append(shard)
        return [_scheduler(row, owned[row["id"]]) for row in rows]

    async def any_shard_free(self) -> bool:
        return bool(
            await self.db.fetch(
                f"SELECT shard FROM shards WHERE owner_id IS NULL OR lease_until <= {self.d.now} LIMIT 1"
            )
        )

    async def take_shards(self, scheduler_id: str, lease: float, limit: int) -> list[int]:
        rows = await self.db.fetch(
            f"SELECT shard FROM shards WHERE owner_id IS NULL OR lease_until <= {self.d.now} "
            f"ORDER BY shard LIMIT :limit {self.d.lock_skip}",
            {"limit": limit},
        )
        shards = [int(row["shard"]) for row in rows]
        if shards:
            await self.db.execute(
                f"UPDATE shards SET owner_id = :me, epoch = epoch + 1, lease_until = {self.d.later(':lease')}, "
                f"owned_since = {self.d.now} WHERE {self.d.among('shard', 'shards')}",
                {"me": scheduler_id, "lease": lease, "shards": shards},
            )
        return shards

    async def release_shards(self, scheduler_id: str, keep: int = 0) -> None:
        rows = await self.db.fetch(
            f"SELECT shard FROM shards WHERE owner_id = :me ORDER BY shard {self.d.lock}",
            {"me": scheduler_id},
        )
        given = [int(row["shard"]) for row in rows][keep:]
        if given:
            await self.db.execute(
                "UPDATE shards SET owner_id = NULL, lease_until = NULL, owned_since = NULL "
                f"WHERE {self.d.among('shard', 'shards')}",
                {"shards": given},
            )

    async def shards(self) -> list[ShardView]:
        rows = await self.db.fetch(f"SELECT {listed(_SHARD)} FROM shards ORDER BY shard")
        return [_shard(row) for row in rows]


def _trouble_params(trouble: str | None) -> dict[str, object]:
    return {} if trouble is None else {"trouble": trouble}


def _host_params(host: Host) -> dict[str, object]:
    return dict(zip(_HOST, astuple(host), strict=True))


def _host(row: Row) -> Host:
    return Host(*(row[column] for column in _HOST))


def _shard(row: Row) -> ShardView:
    return read(ShardView, row)


def _status(row: Row) -> str:
    if row["stopped_at"] is not None and row["status"] == WorkerStatus.OFFLINE:
        return WorkerStatus.STOPPED
    return WorkerStatus.OFFLINE if row["silent"] else str(row["status"])


def _worker(row: Row) -> WorkerRecord:
    return read(
        WorkerRecord,
        row,
        **{column: tuple(load_list(row[column])) for column in _LISTS},
        host=_host(row),
        isolation=isolation_of(row["isolation"]),
        status=_status(row),
        trouble=trouble_of(row["trouble"], row["trouble_since"]),
    )


def _scheduler(row: Row, leases: Sequence[ShardView]) -> SchedulerRecord:
    return read(
        SchedulerRecord,
        row,
        host=_host(row),
        leases=tuple(leases),
        silent=bool(row["silent"]),
        trouble=trouble_of(row["trouble"], row["trouble_since"]),
    )
