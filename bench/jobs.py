"""Fills the table of jobs, in bulk: a million one by one would take an hour."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from bench.place import Place
from horae.domain.jobs.job import JobSpec
from horae.domain.runs.firing import plan_text
from horae.domain.targets import PythonTarget
from horae.store import tables  # noqa: F401 - declares them
from horae.store.dialects.base import Connection, Dialect
from horae.store.tables.table import metadata
from horae.wiring import IDS

BATCH = 5_000
_JOB = (
    *("id", "project_id", "name", "version", "shard", "enabled", "paused", "plan", "anchor_at", "next_run_at"),
    *("fired_count", "created_by", "created_at", "updated_by", "updated_at"),
)
_VERSION = ("job_id", "version", "spec", "created_by", "created_at")
_GATE = ("job_id", "max_instances")
_NAME = "bench job"


def crons(minute: int) -> list[str]:
    """A few hundred schedules that all come round at this minute of the hour, and not soon again."""
    others = [(minute + 10 + i) % 60 for i in range(45)]
    return [
        f"{minute},{other} * * * {days}" for other in others for days in ("*", "0-6", "1-7", "*/1", "0,1-6", "7,1-6")
    ]


def specs(expressions: Sequence[str], **policy: Any) -> list[JobSpec]:
    target = PythonTarget(function="nothing")
    return [JobSpec(name=_NAME, target=target, schedule={"cron": cron}, **policy) for cron in expressions]  # type: ignore[arg-type]


async def insert(
    place: Place, kinds: Sequence[JobSpec], count: int, due: Callable[[int], datetime], now: datetime
) -> None:
    """Jobs of these kinds by turns, the n-th due at `due(n)`."""
    texts = [(plan_text(spec), spec.model_dump_json(), spec.gate_limit) for spec in kinds]
    async with place.connection() as db, place.store() as store:
        (project,) = await db.fetch("SELECT id FROM projects WHERE slug = 'default'")
        shards, d = store.shard_count, store.dialect
        for start in range(0, count, BATCH):
            jobs, versions, gates = [], [], []
            for n in range(start, min(start + BATCH, count)):
                plan, spec, gate = texts[n % len(texts)]
                job_id, name = IDS.new(), f"{_NAME} {n:07}"
                shard = zlib.crc32(job_id.encode()) % shards
                at = due(n)
                anchor = at - timedelta(hours=1)
                jobs.append(
                    (
                        job_id,
                        project["id"],
                        name,
                        1,
                        shard,
                        True,
                        False,
                        plan,
                        anchor,
                        at,
                        0,
                        "bench",
                        now,
                        "bench",
                        now,
                    )
                )
                versions.append((job_id, 1, spec.replace(_NAME, name, 1), "bench", now))
                if gate is not None:
                    gates.append((job_id, gate))
            await db.begin()
            await _put(db, d, "jobs", _JOB, jobs)
            await _put(db, d, "job_versions", _VERSION, versions)
            await _put(db, d, "job_gates", _GATE, gates)
            await db.commit()
        await _put(
            db, d, "queues", ("name", "created_at"), [(spec_queue, now) for spec_queue in {s.queue for s in kinds}]
        )


async def _put(db: Connection, d: Dialect, table: str, columns: Sequence[str], values: Sequence[Sequence[Any]]) -> None:
    if values:
        rows = d.rows("v", metadata.tables[table], columns)
        await db.execute(d.insert_from(table, rows), d.rows_params(rows, values))


async def analyse(place: Place) -> None:
    """What a table of such a size has had long since."""
    words = {"postgresql": "VACUUM ANALYZE {}", "mysql": "ANALYZE TABLE {}", "sqlite": "ANALYZE {}"}[place.kind]
    for table in ("jobs", "job_versions", "job_gates"):
        async with place.connection() as db:
            await db.fetch(words.format(table))
    if place.kind == "postgresql":
        async with place.connection() as db:  # or the first to fire would write the pages out that filling left dirty
            await db.fetch("CHECKPOINT")
