"""Jobs in lists, and their filters.

Conditions on the definition are matched against the text of its plan, which is canonical. Inside a string every
quotation mark is escaped, so no name can look like a field.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from typing import Any

from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_filter import JobFilter
from horae.domain.jobs.job_record import JobRecord
from horae.domain.jobs.policy import Retry
from horae.domain.jobs.unreadable import read_any
from horae.domain.runs.states import JobStatus
from horae.store import tables
from horae.store.dialects.base import Connection, Dialect, Row
from horae.store.order import Order
from horae.store.rows import dump, load_object

_FIELDS = {field.name for field in fields(JobRecord)}
RECORDED = tuple(column.name for column in tables.jobs.columns if column.name in _FIELDS)
_FLAGS = ("enabled", "paused")  # numbers if a database has no booleans
_RUNNING = "EXISTS (SELECT 1 FROM runs r WHERE r.job_id = j.id AND r.status = 'running')"

# Deltas that are not rolled up yet are newer than the totals, unless another roll-up was faster.
_LAST_STATUS = (
    "COALESCE((SELECT n.status FROM stat_deltas n WHERE n.job_id = j.id AND n.run_id IS NOT NULL AND NOT EXISTS "
    "(SELECT 1 FROM job_stats t WHERE t.job_id = n.job_id AND t.last_run_at > n.at) ORDER BY n.at DESC, n.id DESC "
    "LIMIT 1), (SELECT t.last_status FROM job_stats t WHERE t.job_id = j.id))"
)


def conditions(
    d: Dialect,
    project_id: str,
    where: JobFilter,
    order: Order,
    after: str | None,
    among: Sequence[str] | None = None,
) -> tuple[str, dict[str, Any]]:
    """The WHERE of a page of jobs and its parameters. For tags it only checks that the word is somewhere in the
    definition: the rows must be filtered again. `among`: the only jobs that can have that last status."""
    asked = _Conditions(d)
    # Databases would rather scan all jobs in order than look up the few: they get no equality to start with.
    mine = "j.project_id = :project_id"
    if among is not None:
        mine = f"CASE WHEN {mine} THEN 1 ELSE 0 END = 1"
    asked.add(mine, project_id=project_id)
    if after is not None:
        condition, params = order.after("j", after)
        asked.add(condition, **params)
    if where.text is not None:
        # Lower case on both sides: databases differ in whether LIKE is case-sensitive.
        asked.add("LOWER(j.name) LIKE :text ESCAPE '!'", text=f"%{escaped(where.text.lower())}%")
    if where.enabled is not None:
        asked.add("j.enabled" if where.enabled else "NOT j.enabled")
    if where.paused is not None:
        asked.add(asked.paused if where.paused else f"NOT {asked.paused}")
    if where.status is not None:
        asked.of_status(where.status)
    asked.of_definition(where)
    if where.last_status is not None:
        asked.add(f"{_LAST_STATUS} = :last_status", last_status=where.last_status)
        if among is not None:
            asked.add(d.among("j.id", "among"), among=among)
    if where.tag is not None:
        asked.add(d.holds("s.spec", "tag"), tag=dump(where.tag))
    return " AND ".join(asked.wheres), asked.params


class _Conditions:
    def __init__(self, d: Dialect) -> None:
        self.d = d
        self.wheres: list[str] = []
        self.params: dict[str, Any] = {}
        self.paused = f"(j.paused AND (j.paused_until IS NULL OR j.paused_until > {d.now}))"

    def add(self, condition: str, **params: Any) -> None:
        self.wheres.append(condition)
        self.params |= params

    def planned(self, name: str, text: str) -> str:
        self.params[name] = text
        return self.d.holds("j.plan", name)

    def of_definition(self, where: JobFilter) -> None:
        if where.kind is not None:
            either = (f'"needs":"{where.kind}"', f'"needs":"{where.kind}:')
            self.add(f"({self.planned('kind', either[0])} OR {self.planned('kind_of', either[1])})")
        if where.schedule is not None:
            self.add(self.planned("schedule", f'"{where.schedule}":'))
        if where.recurring is not None:
            cron, every = self.planned("cron", '"cron":'), self.planned("every", '"every":')
            self.add(f"({cron} OR {every})" if where.recurring else f"NOT ({cron} OR {every})")
        if where.queue is not None:
            self.add(self.planned("queue", f'"queue":{json.dumps(where.queue, ensure_ascii=False)}'))

    def of_status(self, status: JobStatus) -> None:
        """As `domain.standing.job_status` decides."""
        if status is JobStatus.DISABLED:
            self.add("NOT j.enabled")
            return
        self.add("j.enabled")
        self.add(self.paused if status is JobStatus.PAUSED else f"NOT {self.paused}")
        if status is JobStatus.PAUSED:
            return
        self.add(_RUNNING if status is JobStatus.RUNNING else f"NOT {_RUNNING}")
        if status is JobStatus.RUNNING:
            return
        manual, following = self.planned("manual", '"manual":'), self.planned("following", '"after":')
        finished = f"(j.next_run_at IS NULL AND NOT ({manual} OR {following}))"
        self.add(finished if status is JobStatus.FINISHED else f"NOT {finished}")


def escaped(text: str) -> str:
    for special in "!%_":
        text = text.replace(special, "!" + special)
    return text


@lru_cache(maxsize=10_000)
def spec_of(text: str) -> JobSpec:
    """Never fails: an unreadable definition becomes a placeholder with a `fault`."""
    return read_any(text)


def spec_in(row: Row) -> JobSpec:
    """From a job's own row, which always has the name."""
    spec = spec_of(row["spec"])
    return spec.model_copy(update={"name": row["name"]}) if spec.fault and spec.name != row["name"] else spec


async def names_and_attempts(db: Connection, d: Dialect, rows: Sequence[Row]) -> list[tuple[str, int]]:
    """What lists of runs show of each run's definition `spec`. If the name is unreadable, it comes from the job's own
    row; for a deleted job only the id is left."""
    texts = [row["spec"] for row in rows]
    parsed = {text: _name_and_attempts(load_object(text)) for text in set(texts)}  # runs of one job share it
    own = await _names(db, d, {row["job_id"] for row, text in zip(rows, texts, strict=True) if parsed[text][0] is None})
    return [
        (parsed[text][0] or own.get(row["job_id"], row["job_id"]), parsed[text][1])
        for row, text in zip(rows, texts, strict=True)
    ]


def _name_and_attempts(spec: dict[str, Any]) -> tuple[str | None, int]:
    return _text(spec.get("name")), _max_attempts(spec)


async def job_names(db: Connection, d: Dialect, job_ids: Collection[str]) -> dict[str, str]:
    """By id. A deleted job has the name of its newest definition, or its id if that is unreadable."""
    names = await _names(db, d, job_ids)
    if gone := set(job_ids) - names.keys():
        versions = await db.fetch(
            f"SELECT job_id, spec FROM job_versions WHERE {d.among('job_id', 'ids')} ORDER BY version",
            {"ids": sorted(gone)},
        )
        last = {row["job_id"]: _text(load_object(row["spec"]).get("name")) for row in versions}
        names |= {job_id: last.get(job_id) or job_id for job_id in gone}
    return names


async def _names(db: Connection, d: Dialect, job_ids: Collection[str]) -> dict[str, str]:
    if not job_ids:
        return {}
    rows = await db.fetch(f"SELECT id, name FROM jobs WHERE {d.among('id', 'ids')}", {"ids": sorted(job_ids)})
    return {row["id"]: row["name"] for row in rows}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _max_attempts(spec: dict[str, Any]) -> int:
    retry = spec.get("retry")
    most = retry.get("max_attempts") if isinstance(retry, dict) else None
    return most if isinstance(most, int) else Retry().max_attempts


def record_of(row: Row, running: int, latest: tuple[datetime, str] | None) -> JobRecord:
    """From a row with the columns of RECORDED."""
    last_run_at, last_status = latest or (None, None)
    values: dict[str, Any] = {column: row[column] for column in RECORDED}
    return JobRecord(
        **{**values, **{flag: bool(values[flag]) for flag in _FLAGS}},
        spec=spec_in(row),
        live_runs=running,
        last_run_at=last_run_at,
        last_status=last_status,
    )
