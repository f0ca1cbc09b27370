"""Lists of ended runs out of millions: how long a page takes, the first and those deep inside,
with and without filters."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from bench import queue
from bench.figure import Figure, percentile
from bench.http import Client, api
from bench.options import Options
from bench.place import Place, fresh
from horae.domain.jobs.job import JobSpec
from horae.domain.targets import HttpTarget
from horae.store.dialects.months import partition_ddl
from horae.wiring import IDS

JOBS = 100  # of which the first has every other run
DAYS = 100  # that the runs are spread over
PAGE = 50
BATCH = 500_000
SAMPLES = 100  # pages of each kind
MOST = 30.0  # milliseconds that a page may take

# Ids as Horae makes them: in the order of time, so that history's partitions are filled as they would have been.
_FILL = """
INSERT INTO run_history (id, job_id, version, project_id, "trigger", scheduled_for, occurrences, due_at, queue,
  priority, status, attempt, uncounted, worker_id, started_at, finished_at, duration_ms, exit_code, created_at)
SELECT CAST(lpad(to_hex(CAST(extract(epoch FROM at) * 1000 AS bigint)), 12, '0') || '7' || substr(noise, 1, 3) || '8'
    || substr(noise, 4, 15) AS uuid),
  job_ids[CASE WHEN n % 2 = 0 THEN 1 ELSE 1 + n % cardinality(job_ids) END], 1, :project_id,
  CASE WHEN n % 100000 = 7 THEN 'manual' WHEN n % 50 = 3 THEN 'api' ELSE 'schedule' END, at, 1, at,
  CASE WHEN n % 100000 = 11 THEN 'rare' ELSE 'default' END, 5,
  CASE WHEN n % 100000 = 9 THEN 'cancelled' WHEN n % 30 = 5 THEN 'failed' ELSE 'succeeded' END, 1, 0,
  CAST(:worker_id AS uuid), at, at + interval '1 second', 1000, 0, at
FROM (
  SELECT n, md5(CAST(n AS text)) AS noise, CAST(:job_ids AS uuid[]) AS job_ids,
    CAST(:since AS timestamptz) + n * CAST(:step AS interval) AS at
  FROM generate_series(CAST(:first AS integer), CAST(:last AS integer)) AS n
) AS made
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A kind of list; `inside`: from the middle on."""

    name: str
    query: dict[str, str]
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Filled:
    project_id: str
    job_ids: list[str]


async def measure(kind: str, options: Options) -> list[Figure]:
    figures: list[Figure] = []
    async with fresh(kind) as place:
        filled = await fill(place, options.history)
        async with api(place) as (_, connect):
            client = await connect()
            for asked in _lists(filled):
                samples = await _pages(client, asked)
                name = f"{PAGE} runs of {options.history:,}, {asked.name}"
                for percent, bound in ((50, None), (99, MOST)):
                    value = percentile(samples, percent)
                    figures.append(Figure(f"{name}, p{percent}", place.title, (value,), "ms", floor=bound, less=True))
    return figures


async def _pages(client: Client, asked: Asked) -> list[float]:
    """Milliseconds of pages one after the other; at the end of the list from its beginning again."""
    samples: list[float] = []
    cursor: str | None = None
    middle = {"until": (datetime.now(UTC) - timedelta(days=DAYS / 2)).isoformat()} if asked.inside else {}
    for n in range(SAMPLES + 5):
        query = {"limit": str(PAGE), **asked.query, **middle, **({} if cursor is None else {"cursor": cursor})}
        began = time.perf_counter()
        page = await client.call("GET", f"/api/v1/runs?{urlencode(query)}")
        if n >= 5:  # the first few prepare statements
            samples.append((time.perf_counter() - began) * 1e3)
        cursor = page["next_cursor"]
    return samples


async def fill(place: Place, count: int) -> Filled:
    """Puts ended runs of a hundred days into history."""
    spec = JobSpec(name="job", target=HttpTarget(url="http://127.0.0.1/"))
    async with place.store() as store:
        jobs = [await queue.job(store, spec.model_copy(update={"name": f"job {n}"})) for n in range(JOBS)]
    filled = Filled(jobs[0].project_id, [job.record.id for job in jobs])
    since, step = datetime.now(UTC) - timedelta(days=DAYS), timedelta(days=DAYS) / (count + 1)
    fixed = {"project_id": filled.project_id, "job_ids": filled.job_ids, "worker_id": IDS.new()}
    async with place.connection() as connection:
        for ddl in partition_ddl("run_history", since):
            await connection.execute(ddl)
        for first in range(1, count + 1, BATCH):
            last = min(first + BATCH - 1, count)
            await connection.execute(_FILL, {**fixed, "since": since, "step": step, "first": first, "last": last})
        await connection.execute("VACUUM ANALYZE run_history")
    return filled


def _lists(filled: Filled) -> list[Asked]:
    busy, other = {"job": filled.job_ids[0]}, {"job": filled.job_ids[5]}
    return [
        Asked("newest", {}),
        Asked("oldest", {"sort": "created_at"}),
        Asked("deep inside", {}, inside=True),
        Asked("of a busy job", busy),
        Asked("of a busy job, deep inside", busy, inside=True),
        Asked("of one job in a hundred", other),
        Asked("succeeded", {"status": "succeeded"}),
        Asked("failed, one in thirty", {"status": "failed"}),
        Asked("failed, deep inside", {"status": "failed"}, inside=True),
        Asked("cancelled, one in 100,000", {"status": "cancelled"}),
        Asked("skipped, of which there are none", {"status": "skipped"}),
        Asked("by hand, one in 100,000", {"trigger": "manual"}),
        Asked("of a queue, one in 100,000", {"queue": "rare"}),
        Asked("of a queue that has none", {"queue": "idle"}),
        Asked("failed, of one job in a hundred", {**other, "status": "failed"}),
        Asked("failed, of a busy job that never did", {**busy, "status": "failed"}),
    ]
