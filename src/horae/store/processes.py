"""`workers`, `schedulers`, `shards`: who is alive, and which scheduler works on which slice of the jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict

from horae.domain.cluster.isolation import isolation_of
from horae.domain.cluster.process import Beat, Host, SchedulerRecord, SchedulerSign, ShardView, WorkerRecord, WorkerSign
from horae.domain.cluster.trouble import trouble_of
from horae.domain.runs.states import WorkerStatus
from horae.store.dialects.base import Row
from horae.store.rows import Group, dump, load_list, some, words

_SHARD = words("shard owner_id epoch lease_until owned_since")
_HOST = "hostname, platform, host_key, pid, pid_started"


class ProcessTable(Group):
    async def register_worker(self, sign: WorkerSign) -> None:
        await self._forget("workers", sign.id)
        await self.db.execute(
            f"INSERT INTO workers (id, name, {_HOST}, version, queues, offers, slots, projects, isolation, busy, "
            "status, runs_done, started_at, heartbeat_at) VALUES (:id, :name, :hostname, :platform, :host_key, :pid, "
            f":pid_started, :version, :queues, :offers, :slots, :projects, :isolation, 0, 'idle', 0, "
            f"{self.d.now}, {self.d.now})",
            {
                "id": sign.id,
                "name": sign.name,
                **_host_params(sign.host),
                "version": sign.version,
                "queues": dump(sign.queues),
                "offers": dump(sign.offers),
                "slots": sign.slots,
                "projects": dump(sign.projects) if sign.projects else None,
                "isolation": None if sign.isolation is None else dump(asdict(sign.isolation)),
            },
        )

    async def set_queues(self, worker_id: str, queues: Sequence[str]) -> None:
        await self.db.execute(
            "UPDATE workers SET queues = :queues WHERE id = :id", {"id": worker_id, "queues": dump(list(queues))}
        )

    async def beat_worker(self, worker_id: str, beat: Beat) -> bool | None:
        beating = (
            "UPDATE workers SET status = :status, busy = :busy, runs_done = :runs_done, "
            f"{self._troubled(beat.trouble)}, heartbeat_at = {self.d.now}, stopped_at = NULL WHERE id = :id"
        )
        params = {
            "id": worker_id,
            "status": beat.status,
            "busy": beat.busy,
            "runs_done": beat.runs_done,
            **_trouble_params(beat.trouble),
        }
        rows = await self.d.hot.beat(self.db, self.d, beating, params)
        return rows[0]["drain_requested_by"] is not None if rows else None

    async def stop_worker(self, worker_id: str, runs_done: int) -> None:
        # `offline` with an instant, rather than a word of its own: versions before this one know none.
        await self.db.execute(
            f"UPDATE workers SET status = 'offline', busy = 0, runs_done = :runs_done, {self._troubled(None)}, "
            f"heartbeat_at = {self.d.now}, stopped_at = {self.d.now} WHERE id = :id",
            {"id": worker_id, "runs_done": runs_done},
        )

    async def workers(self, offline_after: float) -> list[WorkerRecord]:
        rows = await self.db.fetch(
            f"SELECT id, name, {_HOST}, version, queues, offers, slots, projects, isolation, busy, status, runs_done, "
            "started_at, heartbeat_at, stopped_at, drain_requested_by, trouble, trouble_since, "
            f"heartbeat_at < {self.d.earlier(':offline_after')} AS silent FROM workers ORDER BY id",
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
            f"SELECT id, {_HOST} FROM workers WHERE host_key = :host_key AND status <> 'offline'",
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
        await self._forget("schedulers", sign.id)
        await self.db.execute(
            f"INSERT INTO schedulers (id, {_HOST}, version, started_at, heartbeat_at) VALUES (:id, :hostname, "
            f":platform, :host_key, :pid, :pid_started, :version, {self.d.now}, {self.d.now})",
            {"id": sign.id, **_host_params(sign.host), "version": sign.version},
        )

    async def beat_scheduler(self, scheduler_id: str, trouble: str | None = None) -> bool:
        return bool(
            await self.db.execute(
                f"UPDATE schedulers SET {self._troubled(trouble)}, heartbeat_at = {self.d.now} WHERE id = :id",
                {"id": scheduler_id, **_trouble_params(trouble)},
            )
        )

    def _troubled(self, trouble: str | None) -> str:
        """It counts since it was first told, whatever came on top of it."""
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
            f"SELECT id, {_HOST}, version, started_at, heartbeat_at, trouble, trouble_since, "
            f"heartbeat_at <= {self.d.earlier(':silent_after')} AS silent FROM schedulers ORDER BY id",
            {"silent_after": silent_after},
        )
        held = await self.db.fetch(
            f"SELECT {', '.join(_SHARD)} FROM shards WHERE lease_until > {self.d.now} ORDER BY shard"
        )
        owned: dict[str, list[ShardView]] = defaultdict(list)
        for shard in map(_shard, held):
            if shard.owner_id is not None:
                owned[shard.owner_id].append(shard)
        return [
            SchedulerRecord(
                row["id"],
                _host(row),
                row["version"],
                row["started_at"],
                row["heartbeat_at"],
                tuple(owned[row["id"]]),
                trouble_of(row["trouble"], row["trouble_since"]),
                bool(row["silent"]),
            )
            for row in rows
        ]

    async def live_schedulers(self, within: float) -> list[str]:
        rows = await self.db.fetch(
            f"SELECT id FROM schedulers WHERE heartbeat_at > {self.d.earlier(':within')}", {"within": within}
        )
        return [row["id"] for row in rows]

    async def any_shard_free(self) -> bool:
        return bool(
            await self.db.fetch(
                f"SELECT shard FROM shards WHERE owner_id IS NULL OR lease_until <= {self.d.now} LIMIT 1"
            )
        )

    async def renew_shards(self, scheduler_id: str, lease: float) -> list[int]:
        mine = f"owner_id = :me AND lease_until > {self.d.now}"
        rows = await self.db.fetch(
            f"SELECT shard FROM shards WHERE {mine} ORDER BY shard {self.d.lock}", {"me": scheduler_id}
        )
        shards = [int(row["shard"]) for row in rows]
        if shards:
            await self.db.execute(
                f"UPDATE shards SET lease_until = {self.d.later(':lease')} WHERE {self.d.among('shard', 'shards')}",
                {"lease": lease, "shards": shards},
            )
        return shards

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
        rows = await self.db.fetch(f"SELECT {', '.join(_SHARD)} FROM shards ORDER BY shard")
        return [_shard(row) for row in rows]


def _trouble_params(trouble: str | None) -> dict[str, object]:
    return {} if trouble is None else {"trouble": trouble}


def _host_params(host: Host) -> dict[str, object]:
    return {
        "hostname": host.hostname,
        "platform": host.platform,
        "host_key": host.key,
        "pid": host.pid,
        "pid_started": host.pid_started,
    }


def _host(row: Row) -> Host:
    return Host(row["hostname"], row["platform"], row["host_key"], row["pid"], row["pid_started"])


def _shard(row: Row) -> ShardView:
    return ShardView(*(row[column] for column in _SHARD))


def _status(row: Row) -> str:
    if row["stopped_at"] is not None and row["status"] == WorkerStatus.OFFLINE:
        return WorkerStatus.STOPPED
    return WorkerStatus.OFFLINE if row["silent"] else str(row["status"])


def _worker(row: Row) -> WorkerRecord:
    return WorkerRecord(
        id=row["id"],
        name=row["name"],
        host=_host(row),
        version=row["version"],
        queues=tuple(load_list(row["queues"])),
        offers=tuple(load_list(row["offers"])),
        slots=row["slots"],
        projects=tuple(load_list(row["projects"])),
        isolation=isolation_of(row["isolation"]),
        busy=row["busy"],
        status=_status(row),
        runs_done=row["runs_done"],
        started_at=row["started_at"],
        heartbeat_at=row["heartbeat_at"],
        drain_requested_by=row["drain_requested_by"],
        trouble=trouble_of(row["trouble"], row["trouble_since"]),
    )
