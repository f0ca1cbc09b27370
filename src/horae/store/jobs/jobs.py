"""`jobs`, `job_versions`, `queues`: definitions and where their schedules stand."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from operator import itemgetter

from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_filter import JobFilter
from horae.domain.jobs.job_record import Advance, JobChange, JobHead, JobRecord, JobState, NewJob, VersionRecord
from horae.domain.jobs.stored import spec_fields
from horae.domain.jobs.watched import stored_rules
from horae.domain.pages import Page
from horae.domain.runs.firing import DueJobs, ToWake
from horae.domain.time.rate import per_hour
from horae.store import tables
from horae.store.counts.stats import latest_runs
from horae.store.dialects.base import Connection, Dialect, Row, Rows
from horae.store.jobs import heads, job_page
from horae.store.jobs.due import due_jobs, read_plan
from horae.store.jobs.functions import function_off
from horae.store.jobs.heads import HeadMemo
from horae.store.jobs.job_list import RECORDED, record_of, spec_of
from horae.store.order import Order
from horae.store.people.quotas import bounded
from horae.store.rows import Group, batch, dump, keys_of, some

_JOB = ", ".join([*(f"j.{column}" for column in (*RECORDED, "name")), "s.spec"])
_FROM = "FROM jobs j JOIN job_versions s ON s.job_id = j.id AND s.version = j.version"
_RUNNING = "held = FALSE AND status = 'running'"  # the index excludes held runs
# One job with all its details, in one statement: the most frequent query of all. From the counters that are not yet
# rolled up, it takes the newest.
_WHOLE = (
    f"SELECT {_JOB}, (SELECT COUNT(*) FROM runs r WHERE r.job_id = j.id AND {_RUNNING}) AS running, "
    f"t.last_run_at, t.last_status, d.at, d.status {_FROM} LEFT JOIN job_stats t ON t.job_id = j.id "
    "LEFT JOIN stat_deltas d ON d.id = (SELECT n.id FROM stat_deltas n WHERE n.job_id = j.id AND n.run_id IS NOT NULL "
    "ORDER BY n.at DESC, n.id DESC LIMIT 1)"
)
_LATEST = (("at", "status"), ("last_run_at", "last_status"))  # of equals, the first: deltas are newer than totals


class _Sql:
    """The statements, written once per dialect."""

    def __init__(self, d: Dialect) -> None:
        self.advance_rows: Rows = batch(d, tables.jobs, "id", "next_run_at", "fired_through", "fired_count")
        self.advance = d.update_from(
            "jobs",
            self.advance_rows,
            {
                "next_run_at": "v.next_run_at",
                "fired_through": "v.fired_through",
                "fired_count": "jobs.fired_count + v.fired_count",
            },
            "jobs.id = v.id",
        )
        self.due = (
            f"SELECT id, project_id, version, plan, anchor_at, next_run_at, fired_through, fired_count, "
            f"{d.time(d.now, 'now')}, {bounded('jobs.project_id', many=True)}, {function_off(d, 'jobs.plan')} "
            f"FROM jobs WHERE next_run_at <= {d.now} AND {d.among('shard', 'shards')} AND enabled AND NOT paused "
            f"{{which}}ORDER BY next_run_at LIMIT :limit {d.lock_skip}"
        )
        mine = d.among("shard", "shards")
        due = (
            f"(SELECT next_run_at FROM jobs WHERE next_run_at IS NOT NULL AND {mine} AND enabled AND NOT paused "
            "ORDER BY next_run_at LIMIT 1)"
        )
        wakes = (
            f"(SELECT paused_until FROM jobs WHERE paused_until IS NOT NULL AND {mine} AND paused "
            "ORDER BY paused_until LIMIT 1)"
        )
        # Only held runs: processes of an older version release runs and leave their `wake_at`.
        later = "(SELECT wake_at FROM runs WHERE wake_at IS NOT NULL AND held = TRUE ORDER BY wake_at LIMIT 1)"
        self.next_due = (
            f"SELECT {d.time(due, 'due')}, {d.time(wakes, 'wakes')}, {d.time(later, 'later')}, {d.time(d.now, 'now')}"
        )
        self.to_wake = (
            f"SELECT EXISTS (SELECT 1 FROM jobs WHERE paused AND paused_until <= {d.now} AND {mine}) AS paused, "
            f"EXISTS (SELECT 1 FROM runs WHERE wake_at <= {d.now} AND held = TRUE) AS sleeping"
        )
        self.first_due = (
            f"SELECT id, version, next_run_at FROM jobs WHERE next_run_at IS NOT NULL AND {mine} AND enabled "
            "AND NOT paused ORDER BY next_run_at LIMIT :limit"
        )
        self.pair_rows = batch(d, tables.job_versions, "job_id", "version")
        self.definitions = (
            f"SELECT s.job_id, s.version, s.spec FROM {self.pair_rows.sql} "
            "JOIN job_versions s ON s.job_id = v.job_id AND s.version = v.version"
        )
        self.gate_rows = batch(d, tables.job_gates, "job_id", "max_instances")
        self.set_gate = d.upsert(d.insert_from("job_gates", self.gate_rows), ["job_id"], {"max_instances": "{new}"})
        self.queue_rows = batch(d, tables.queues, "name")
        self.add_queue = d.ignore_duplicates(d.insert_from("queues", self.queue_rows, {"created_at": d.now}))


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


class JobTable(Group):
    def __init__(self, db: Connection, dialect: Dialect, shard_count: int, memo: HeadMemo) -> None:
        super().__init__(db, dialect)
        self._memo = memo
        self._shard_count = shard_count

    async def insert(self, job: NewJob) -> None:
        spec = job.spec
        await self.db.execute(
            "INSERT INTO jobs (id, project_id, name, version, shard, enabled, paused, plan, anchor_at, next_run_at, "
            "fired_count, created_by, created_at, updated_by, updated_at, per_hour, per_hour_of) VALUES (:id, "
            ":project_id, :name, 1, :shard, :enabled, :paused, :plan, :anchor_at, :next_run_at, 0, :actor, :at, "
            ":actor, :at, :per_hour, 1)",
            {
                "id": job.id,
                "project_id": job.project_id,
                "name": spec.name,
                "shard": zlib.crc32(job.id.encode()) % self._shard_count,
                "enabled": job.enabled,
                "paused": False,
                "plan": job.plan,
                "anchor_at": job.anchor_at,
                "next_run_at": job.next_run_at,
                "actor": job.actor,
                "at": job.at,
                "per_hour": per_hour(spec.schedule),
            },
        )
        await self._add_version(job.id, 1, spec, job.actor, job.at, None)
        if spec.alert is not None:
            await self._watch(job.id, job.project_id, spec)

    async def change(self, change: JobChange) -> bool:
        matched = await self.db.execute(
            "UPDATE jobs SET name = :name, version = :new_version, plan = :plan, anchor_at = :anchor_at, "
            "next_run_at = :next_run_at, updated_by = :actor, updated_at = :at, per_hour = :per_hour, "
            "per_hour_of = :new_version WHERE id = :id AND version = :version",
            {
                "id": change.id,
                "version": change.version,
                "new_version": change.version + 1,
                "name": change.spec.name,
                "plan": change.plan,
                "anchor_at": change.anchor_at,
                "next_run_at": change.next_run_at,
                "actor": change.actor,
                "at": change.at,
                "per_hour": per_hour(change.spec.schedule),
            },
        )
        if not matched:
            return False
        await self._add_version(change.id, change.version + 1, change.spec, change.actor, change.at, change.note)
        await self.db.execute("DELETE FROM alert_settings WHERE subject_id = :id", {"id": change.id})
        if change.spec.alert is not None:
            (row,) = await self.db.fetch("SELECT project_id FROM jobs WHERE id = :id", {"id": change.id})
            await self._watch(change.id, row["project_id"], change.spec)
        return True

    async def _watch(self, job_id: str, project_id: str, spec: JobSpec) -> None:
        """What its definition says of alerts, where their rules look."""
        values = {"subject_id": job_id, "project_id": project_id, "subject_kind": "job", **stored_rules(spec)}
        names = ", ".join(f":{column}" for column in values)
        await self.db.execute(f"INSERT INTO alert_settings ({', '.join(values)}) VALUES ({names})", values)

    async def _add_version(
        self, job_id: str, version: int, spec: JobSpec, actor: str, at: datetime, note: str | None
    ) -> None:
        await self.db.execute(
            "INSERT INTO job_versions (job_id, version, spec, created_by, created_at, note) "
            "VALUES (:job_id, :version, :spec, :actor, :at, :note)",
            {
                "job_id": job_id,
                "version": version,
                "spec": dump(spec_fields(spec)),
                "actor": actor,
                "at": at,
                "note": note,
            },
        )
        # The gate follows the definition: one row where there is a limit, none where there is not. A new limit changes
        # the row: a transaction that waits for its lock would not find a row that was deleted and recreated.
        if spec.gate_limit is None:
            await self.db.execute("DELETE FROM job_gates WHERE job_id = :id", {"id": job_id})
        else:
            await self.put(_sql(self.d).set_gate, _sql(self.d).gate_rows, [(job_id, spec.gate_limit)])
        # Touched before it is added: if it is just being deleted, we wait, and then create it.
        await self.db.execute(
            f"UPDATE queues SET named_at = {self.d.now} "
            f"WHERE name = :name AND COALESCE(named_at, created_at) < {self.d.earlier(':hour')}",
            {"name": spec.queue, "hour": 3600.0},
        )
        await self.put(_sql(self.d).add_queue, _sql(self.d).queue_rows, [(spec.queue,)])

    async def set_state(self, state: JobState) -> None:
        await self.db.execute(
            "UPDATE jobs SET enabled = :enabled, paused = :paused, paused_until = :paused_until, "
            "next_run_at = :next_run_at, fired_through = :fired_through, updated_by = :actor, "
            f"updated_at = {self.d.now} WHERE id = :id",
            {
                "id": state.id,
                "enabled": state.enabled,
                "paused": state.paused,
                "paused_until": state.paused_until,
                "next_run_at": state.next_run_at,
                "fired_through": state.fired_through,
                "actor": state.actor,
            },
        )

    async def to_wake(self, shards: Collection[int]) -> ToWake:
        if not shards:
            return ToWake(paused=False, delayed=True)
        (row,) = await self.db.fetch(_sql(self.d).to_wake, {"shards": some(shards)})
        return ToWake(bool(row["paused"]), bool(row["sleeping"]))

    async def wake_paused(self, shards: Collection[int]) -> int:
        if not shards:
            return 0
        return await self.db.execute(
            "UPDATE jobs SET paused = :no, paused_until = NULL "
            f"WHERE paused AND paused_until <= {self.d.now} AND {self.d.among('shard', 'shards')}",
            {"no": False, "shards": some(shards)},
        )

    async def versions(
        self, job_id: str, *, limit: int | None = None, before: int | None = None
    ) -> list[VersionRecord]:
        older = "" if before is None else " AND version < :before"
        rows = await self.db.fetch(
            f"SELECT version, spec, created_by, created_at, note FROM job_versions WHERE job_id = :job_id{older} "
            f"ORDER BY version DESC{'' if limit is None else ' LIMIT :limit'}",
            {"job_id": job_id, "before": before, "limit": limit},
        )
        return [
            VersionRecord(row["version"], spec_of(row["spec"]), row["created_by"], row["created_at"], row["note"])
            for row in rows
        ]

    async def delete(self, job_id: str) -> None:
        """Versions and counters are kept, like the history they belong to."""
        for table in (
            "job_gates WHERE job_id",
            "alert_settings WHERE subject_id",
            "job_dependencies WHERE downstream_id",
            "jobs WHERE id",
        ):
            await self.db.execute(f"DELETE FROM {table} = :id", {"id": job_id})

    async def find(self, project_id: str, ref: str, *, lock: bool = False) -> JobRecord | None:
        for column in keys_of(ref):
            one, params = f"j.{column} = :ref AND j.project_id = :project_id", {"ref": ref, "project_id": project_id}
            if lock:  # a separate statement: a joined row would be locked too
                await self.db.fetch(f"SELECT j.id FROM jobs j WHERE {one} {self.d.lock}", params)
            for row in await self.db.fetch(f"{_WHOLE} WHERE {one}", params):
                ended = [(row[at], row[status]) for at, status in _LATEST if row[at] is not None]
                return record_of(row, int(row["running"]), max(ended, key=itemgetter(0), default=None))
        return None

    async def names_like(self, project_id: str, text: str) -> list[str]:
        found: list[str] = []
        for first in {text[:1].lower(), text[:1].upper()}:
            rows = await self.db.fetch(
                "SELECT name FROM jobs WHERE project_id = :project_id AND name >= :first AND name < :beyond "
                "ORDER BY name LIMIT 200",
                {"project_id": project_id, "first": first, "beyond": f"{first}\U0010fffd"},
            )
            found += [row["name"] for row in rows]
        return found

    async def page(
        self, project_id: str, where: JobFilter, *, limit: int, after: str | None, sort: str = "name"
    ) -> Page[JobRecord]:
        found: list[Row] = []
        order = Order.parse(sort)
        while len(found) <= limit:
            asked = job_page.JobPageQuery(f"SELECT {_JOB} {_FROM}", project_id, where, order, after, limit + 1)
            rows = await job_page.find(self.db, self.d, asked)
            found += [row for row in rows if where.tag is None or where.tag in spec_of(row["spec"]).tags]
            if len(rows) <= limit:
                break
            after = order.cursor(rows[-1])
        records = await self._records(found[:limit])
        return Page(records, order.cursor(found[limit - 1]) if len(found) > limit else None)

    async def _records(self, rows: Sequence[Row]) -> list[JobRecord]:
        if not rows:
            return []
        ids = [row["id"] for row in rows]
        live = await self.db.fetch(
            f"SELECT job_id, COUNT(*) AS n FROM runs WHERE {self.d.among('job_id', 'ids')} AND {_RUNNING} "
            "GROUP BY job_id",
            {"ids": ids},
        )
        running = {row["job_id"]: int(row["n"]) for row in live}
        latest = await latest_runs(self.db, self.d, ids)
        return [record_of(row, running.get(row["id"], 0), latest.get(row["id"])) for row in rows]

    async def head(self, project_id: str, ref: str) -> JobHead | None:
        found = await self._head(project_id, ref, self.d.lock_shared)
        self._memo.correct(project_id, ref, found)
        return found

    async def recent_head(self, project_id: str, ref: str) -> JobHead | None:
        found = self._memo.recall(project_id, ref)
        if found is None:
            found = await self._head(project_id, ref)
            if found is not None:
                self._memo.keep(project_id, ref, found)
        return found

    async def _head(self, project_id: str, ref: str, lock: str = "") -> JobHead | None:
        for column in keys_of(ref):
            sql = heads.head(self.d, column) + lock
            for row in await self.db.fetch(sql, {"project_id": project_id, "ref": ref}):
                return heads.read_head(project_id, row)
        return None

    async def due(
        self, shards: Collection[int], limit: int, *, without: Collection[str] = (), only: str | None = None
    ) -> DueJobs:
        if not shards:
            return DueJobs([], [], more=False, at=None)
        which = "" if only is None else "AND project_id = :only "
        if without:
            which += f"AND NOT ({self.d.among('project_id', 'without')}) "
        rows = await self.db.fetch(
            _sql(self.d).due.format(which=which),
            {"shards": some(shards), "limit": limit, "only": only, "without": some(without)},
        )
        unread = {(row["id"], row["version"]) for row in rows if read_plan(row) is None}  # almost always empty
        return due_jobs(rows, await self.definitions(unread), more=len(rows) >= limit)

    async def due_in(self, shards: Collection[int], left_out: Collection[tuple[str, int]] = ()) -> float | None:
        if not shards:
            return None
        (row,) = await self.db.fetch(_sql(self.d).next_due, {"shards": some(shards)})
        due = row["due"]
        if left_out and due is not None:  # rarely: the first few, of which at least one is not left out
            rows = await self.db.fetch(_sql(self.d).first_due, {"shards": some(shards), "limit": len(left_out) + 1})
            due = next((row["next_run_at"] for row in rows if (row["id"], row["version"]) not in left_out), None)
        next_at = min((at for at in (due, row["wakes"], row["later"]) if at is not None), default=None)
        return None if next_at is None else float((next_at - row["now"]).total_seconds())

    async def advance(self, advances: Sequence[Advance]) -> None:
        sql = _sql(self.d)
        values = [(a.id, a.next_run_at, a.fired_through, a.fired) for a in advances]
        await self.put(sql.advance, sql.advance_rows, values)

    async def queues(self) -> list[str]:
        return [row["name"] for row in await self.db.fetch("SELECT name FROM queues ORDER BY name")]

    async def definitions(self, pairs: Collection[tuple[str, int]]) -> dict[tuple[str, int], JobSpec]:
        if not pairs:
            return {}
        sql = _sql(self.d)
        rows = await self.db.fetch(sql.definitions, self.d.rows_params(sql.pair_rows, list(pairs)))
        return {(row["job_id"], row["version"]): spec_of(row["spec"]) for row in rows}
