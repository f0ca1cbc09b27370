"""`series`: what happened in a minute, an hour or a day, one document each.

Ends come from the deltas of the counters, in the transaction that sums and deletes those: each run is counted in
exactly one minute, even if the scheduler dies in between. Samples of live values are added once a minute: the
installation's minute has one, or none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache

from horae.domain.runs.series import (
    DAY,
    INSTALLATION,
    MINUTE,
    OTHERS,
    WHOLE,
    Bucket,
    Load,
    Sample,
    Slot,
    WorkerLoad,
    begin,
    bounded,
    is_queue,
    queue_of,
    queue_subject,
    rolled,
    sampled,
)
from horae.domain.runs.tally import Detail
from horae.store.counts.job_stats import COUNTED
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.rows import Group, batch, dump, load_object, put, some
from horae.store.runs.lanes import ready
from horae.store.tables import counters as counter_tables

_KEYS = ("project_id", "subject", "step", "at")
_PORTION = 1_000  # rows of a statement
_NAMED = 100  # queues of a project, those with the most to do, that are sampled one by one
_SAME = " AND ".join(f"s.{column} = v.{column}" for column in _KEYS)


class _Sql:
    def __init__(self, d: Dialect) -> None:
        self.keys = batch(d, counter_tables.series, *_KEYS)
        self.add = d.ignore_duplicates(d.insert_from("series", self.keys, {"data": "'{}'"}))
        self.lock = (
            f"SELECT {', '.join(f's.{column}' for column in (*_KEYS, 'data'))} FROM {self.keys.sql} "
            f"{d.by_key('series', 's')} ON {_SAME} ORDER BY {', '.join(f's.{column}' for column in _KEYS)} "
            f"{d.lock_of('s')}"
        )
        self.rows = batch(d, counter_tables.series, *_KEYS, "data")
        same = " AND ".join(f"series.{column} = v.{column}" for column in _KEYS)
        self.set = d.update_from("series", self.rows, {"data": "v.data"}, same)
        due = f"{ready()} AND due_at <= {d.now}"
        # There may be 100,000 queues: the database sums up those that will have no separate bucket.
        each = (
            f"SELECT project_id, queue, SUM(CASE WHEN {due} THEN 1 ELSE 0 END) AS queued, "
            f"MIN(CASE WHEN {due} THEN due_at END) AS oldest, "
            "SUM(CASE WHEN status = 'running' THEN 1 ELSE 0 END) AS running, "
            "SUM(CASE WHEN status = 'queued' THEN 1 ELSE 0 END) AS all_queued FROM runs GROUP BY project_id, queue"
        )
        ranked = (
            "SELECT e.*, ROW_NUMBER() OVER (PARTITION BY project_id ORDER BY queued + running DESC, queue) AS place "
            f"FROM ({each}) AS e"
        )
        named = (
            f"SELECT project_id, CASE WHEN place <= {_NAMED} OR {d.among('queue', 'own')} THEN queue "
            f"ELSE '{queue_of(OTHERS)}' END AS queue, queued, oldest, running, all_queued FROM ({ranked}) AS r"
        )
        sums = ", ".join(f"SUM({column}) AS {column}" for column in ("queued", "running", "all_queued"))
        self.loads = (
            f"SELECT project_id, queue, {sums}, {d.time('MIN(oldest)', 'oldest')} FROM ({named}) AS n "
            "GROUP BY project_id, queue"
        )


@cache
def _sql(dialect: Dialect) -> _Sql:
    return _Sql(dialect)


def ends(deltas: Sequence[Row]) -> dict[Slot, Bucket]:
    """What the deltas of the counters add to the time series."""
    found: dict[Slot, Bucket] = defaultdict(Bucket)
    for row in deltas:
        lateness, duration, queue = Detail.read(row["detail"])
        ended = {row["status"]: row["runs"]} if row["status"] in COUNTED else {}
        bucket = Bucket(ended, lateness, duration, row["retries"], row["timed_out"])
        minute = begin(row["at"], MINUTE)
        for project_id in (row["project_id"], INSTALLATION):
            found[Slot(project_id, WHOLE, MINUTE, minute)].add(bucket)
            if queue is not None:
                found[Slot(project_id, queue_subject(queue), MINUTE, minute)].add(bucket)
    return found


async def merge(db: Connection, d: Dialect, minutes: Mapping[Slot, Bucket], *, once: Slot | None = None) -> bool:
    """Adds minutes to what is stored, and to their hours and days. With `once`, only if that bucket has no sample yet;
    whether it did. The rows are locked between reading and writing, because documents cannot be added up by the
    database: first those of whole projects, which know the queues that have their own, then those of queues, each in
    the order of their keys."""
    added = rolled({slot: bucket for slot, bucket in minutes.items() if not is_queue(slot.subject)})
    stored = await _locked(db, d, added)
    if once is not None and stored[once].samples:
        return False
    queues = rolled(bounded({slot: bucket for slot, bucket in minutes.items() if is_queue(slot.subject)}, stored))
    stored |= await _locked(db, d, queues)
    for slot, bucket in (*added.items(), *queues.items()):
        stored[slot].add(bucket)
    sql = _sql(d)
    for portion in _portions(stored):
        await put(db, d, sql.set, sql.rows, [(*slot, dump(stored[slot].to_json())) for slot in portion])
    return True


async def _locked(db: Connection, d: Dialect, which: Iterable[Slot]) -> dict[Slot, Bucket]:
    sql, found = _sql(d), {}
    for portion in _portions(which):
        keys = [tuple(slot) for slot in portion]
        await put(db, d, sql.add, sql.keys, keys)
        for row in await db.fetch(sql.lock, d.rows_params(sql.keys, keys)):
            found[Slot(*(row[column] for column in _KEYS))] = Bucket.from_json(load_object(row["data"]))
    return found


def _portions(which: Iterable[Slot]) -> Iterator[list[Slot]]:
    ordered = sorted(which)
    return (ordered[start : start + _PORTION] for start in range(0, len(ordered), _PORTION))


class SeriesTable(Group):
    async def sample(self, offline_after: float) -> Sample | None:
        now = await self.d.read_now(self.db)
        minute = await self.read(INSTALLATION, WHOLE, MINUTE, begin(now, MINUTE), now)
        if any(bucket.samples for _, bucket in minute):
            return None
        days = await self.read(INSTALLATION, WHOLE, DAY, begin(now, DAY), now)
        own = [queue_of(subject) for _, day in days for subject in day.queues]
        rows = await self.db.fetch(_sql(self.d).loads, {"own": some([*own, queue_of(OTHERS)])})
        loads = [
            Load(row["project_id"], row["queue"], int(row["queued"]), _age(row["oldest"], now), int(row["running"]))
            for row in rows
        ]
        (dead,) = await self.db.fetch("SELECT COUNT(*) AS n FROM dead_letters")
        workers = await self.db.fetch(
            "SELECT id, slots, busy, runs_done FROM workers WHERE status NOT IN ('stopped', 'offline') "
            f"AND heartbeat_at >= {self.d.earlier(':offline_after')}",
            {"offline_after": offline_after},
        )
        return Sample(
            now,
            tuple(loads),
            tuple(WorkerLoad(row["id"], row["slots"], row["busy"], row["runs_done"]) for row in workers),
            sum(int(row["all_queued"]) for row in rows),
            int(dead["n"]),
        )

    async def record(self, sample: Sample) -> bool:
        once = Slot(INSTALLATION, WHOLE, MINUTE, begin(sample.at, MINUTE))
        return await merge(self.db, self.d, sampled(sample), once=once)

    async def read(
        self, project_id: str, subject: str, step: int, since: datetime, until: datetime
    ) -> list[tuple[datetime, Bucket]]:
        rows = await self.db.fetch(
            f"SELECT {self.d.time('at', 'at')}, data FROM series WHERE project_id = :project_id "
            "AND subject = :subject AND step = :step AND at >= :since AND at < :until ORDER BY at",
            {"project_id": project_id, "subject": subject, "step": step, "since": since, "until": until},
        )
        return [(row["at"], Bucket.from_json(load_object(row["data"]))) for row in rows]

    async def prune(self, step: int, older_than: float, limit: int) -> int:
        before = await self.d.read_now(self.db) - timedelta(seconds=older_than)
        rows = await self.db.fetch(
            f"SELECT {self.d.time('at', 'at')} FROM series WHERE step = :step AND at < :before "
            "ORDER BY at LIMIT :limit",
            {"step": step, "before": before, "limit": limit},
        )
        if rows:
            await self.db.execute(
                "DELETE FROM series WHERE step = :step AND at <= :last", {"step": step, "last": rows[-1]["at"]}
            )
        return len(rows)


def _age(oldest: datetime | None, now: datetime) -> int:
    return 0 if oldest is None else max(int((now - oldest) / timedelta(milliseconds=1)), 0)
