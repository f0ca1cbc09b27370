"""What the rules of alerts look at: small tables and counters, by one statement for all jobs, along indexes that hold
only what may be wrong. Never the history, and never one statement per job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import Column, MetaData, Table

from horae.domain.alerts.daily import day_of
from horae.domain.alerts.facts import (
    FailingJob,
    LiveRunFact,
    LongRun,
    OverdueJob,
    ProjectNumber,
    UnknownSecret,
    WaitingJob,
    WatchedJob,
)
from horae.domain.alerts.spec import JobRules, ProjectAlertSpec, job_rules, project_rules
from horae.domain.runs.series import HOUR, WHOLE, Bucket
from horae.domain.runs.states import RunStatus
from horae.domain.runs.stranded import Want
from horae.domain.text.ids import is_id
from horae.store import account_tables, tables
from horae.store.columns import Time, name
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.lanes import ready
from horae.store.rows import Group, batch, load_object, read, some, words

_ON = "j.enabled AND NOT j.paused"  # what people have switched off is not wrong
_MOST = 2_000  # rows of one kind that are looked at: whoever has more has one problem, not thousands
_PRIORITIES = range(10)
_WATCHED = words("last_run_id last_run_at last_status last_success_at last_failure_at last_duration_ms")
# Not plainly equal: SQLite would rather go through all jobs than through a table of which it has no statistics.
_OF_A_JOB = "CASE WHEN t.subject_kind = 'job' THEN t.subject_id END"
_JOB = "r.project_id, r.job_id, j.name, r.id AS run_id"


class AlertFactTables(Group):
    async def founded_at(self) -> datetime:
        (row,) = await self.db.fetch("SELECT created_at FROM installation")
        found: datetime = row["created_at"]
        return found

    async def failing(self) -> list[FailingJob]:
        # A streak that a process of an older version ended is still counted: the last status is right.
        rows = await self.db.fetch(
            "SELECT j.project_id, j.id AS job_id, j.name, j.version, s.failing_streak AS streak, "
            "s.failing_since AS since, s.last_run_id FROM job_stats s JOIN jobs j ON j.id = s.job_id "
            f"WHERE s.failing_streak > 0 AND s.last_status <> 'succeeded' AND {_ON}"
        )
        return [read(FailingJob, row) for row in rows]

    async def waiting(self, wants: Sequence[Want], seconds: float) -> list[WaitingJob]:
        if not wants:
            return []
        sql, rows = _waiting(self.d)
        lanes = [(needs, queue, priority) for queue, needs in wants for priority in _PRIORITIES]
        found = await self.db.fetch(sql, {**self.d.rows_params(rows, lanes), "seconds": seconds, "most": _MOST})
        return [
            WaitingJob(row["project_id"], row["job_id"], row["name"], row["queue"], row["since"], int(row["runs"]))
            for row in found
        ]

    async def overdue(self, seconds: float) -> list[OverdueJob]:
        unread = "SELECT 1 FROM unreadable u WHERE u.job_id = j.id AND u.version = j.version"
        rows = await self.db.fetch(
            "SELECT j.project_id, j.id AS job_id, j.name, j.next_run_at AS due_at FROM jobs j "
            f"WHERE j.next_run_at IS NOT NULL AND j.next_run_at <= {self.d.earlier(':seconds')} "
            f"AND {_ON} AND NOT EXISTS ({unread}) ORDER BY j.next_run_at LIMIT :most",
            {"seconds": seconds, "most": _MOST},
        )
        return [read(OverdueJob, row) for row in rows]

    async def stuck(self, seconds: float) -> list[LiveRunFact]:
        rows = await self.db.fetch(
            f"SELECT {_JOB}, r.lease_until AS since FROM runs r JOIN jobs j ON j.id = r.job_id "
            f"WHERE r.status = 'running' AND r.lease_until <= {self.d.earlier(':seconds')} LIMIT :most",
            {"seconds": seconds, "most": _MOST},
        )
        return [read(LiveRunFact, row) for row in rows]

    async def long(self) -> list[LongRun]:
        limit = self.d.earlier("(t.longer_ms / 1000.0)")
        rows = await self.db.fetch(
            f"SELECT {_JOB}, r.started_at AS since, t.longer_ms AS limit_ms FROM runs r "
            "JOIN alert_settings t ON t.subject_id = r.job_id JOIN jobs j ON j.id = r.job_id "
            f"WHERE r.status = 'running' AND r.started_at <= {limit}"
        )
        return [read(LongRun, row) for row in rows]

    async def rules(self, job_ids: Collection[str]) -> dict[str, JobRules]:
        if not job_ids:
            return {}
        rows = await self.db.fetch(
            f"SELECT subject_id, settings FROM alert_settings WHERE {self.d.among('subject_id', 'ids')}",
            {"ids": some(job_ids)},
        )
        return {row["subject_id"]: job_rules(row["settings"]) for row in rows}

    async def least_late(self) -> float | None:
        (row,) = await self.db.fetch("SELECT MIN(late) AS least FROM alert_settings WHERE late > 0")
        return None if row["least"] is None else float(row["least"])

    async def projects(self) -> dict[str, ProjectAlertSpec]:
        rows = await self.db.fetch("SELECT subject_id, settings FROM alert_settings WHERE subject_kind = 'project'")
        return {row["subject_id"]: project_rules(row["settings"]) for row in rows}

    async def watched(self, now: datetime) -> list[WatchedJob]:
        """The database sorts out those that are well."""
        found = await self.db.fetch(_watched(self.d))
        times = await self.db.fetch(
            "SELECT DISTINCT done_by, timezone FROM alert_settings WHERE done_by IS NOT NULL LIMIT :most",
            {"most": _MOST},
        )
        days = [(row["done_by"], row["timezone"], day) for row in times if (day := _day(now, row)) is not None]
        if days:
            sql, rows = _undone(self.d)
            found = [*found, *await self.db.fetch(sql, self.d.rows_params(rows, days))]
        by_id = {row["job_id"]: row for row in found}
        return [read(WatchedJob, row, rules=job_rules(row["settings"])) for row in by_id.values()]

    async def failures(self, job_ids: Collection[str], since: datetime) -> dict[str, dict[datetime, int]]:
        if not job_ids:
            return {}
        rows = await self.db.fetch(
            f"SELECT job_id, hour, runs FROM run_stats WHERE {self.d.among('job_id', 'ids')} AND hour >= :since "
            "AND status = 'failed'",
            {"ids": some(job_ids), "since": since},
        )
        found: dict[str, dict[datetime, int]] = defaultdict(dict)
        for row in rows:
            found[row["job_id"]][row["hour"]] = int(row["runs"])
        return found

    async def outcomes(self, since: datetime) -> list[ProjectNumber]:
        rows = await self.db.fetch(
            "SELECT s.project_id, p.slug, s.data FROM series s JOIN projects p ON p.id = s.project_id "
            "WHERE s.step = :step AND s.at >= :since AND s.subject = :subject",
            {"step": HOUR, "since": since, "subject": WHOLE},
        )
        sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        for row in rows:
            ended = Bucket.from_json(load_object(row["data"])).ended
            failed = ended.get(RunStatus.FAILED, 0)
            sums[row["project_id"], row["slug"]][0] += ended.get(RunStatus.SUCCEEDED, 0) + failed
            sums[row["project_id"], row["slug"]][1] += failed
        return [ProjectNumber(*key, *numbers) for key, numbers in sums.items() if numbers[1]]

    async def new_dead_letters(self, seconds: float) -> list[ProjectNumber]:
        # Ids tell when a run was made: what failed within the hour was mostly made within the day.
        rows = await self.db.fetch(
            "SELECT n.project_id, p.slug, n.failed FROM (SELECT d.project_id, COUNT(*) AS failed FROM "
            "(SELECT l.project_id, l.failed_at FROM dead_letters l WHERE l.run_id > :after ORDER BY l.run_id DESC "
            f"LIMIT :most) AS d WHERE d.failed_at > {self.d.earlier(':seconds')} GROUP BY d.project_id) AS n "
            "JOIN projects p ON p.id = n.project_id",
            {"after": await self.id_before(86_400.0), "seconds": seconds, "most": 5 * _MOST},
        )
        return [ProjectNumber(row["project_id"], row["slug"], 0, int(row["failed"])) for row in rows]

    async def unknown_secrets(self, named: Sequence[UnknownSecret]) -> list[UnknownSecret]:
        if not named:
            return []
        sql, rows = _secrets(self.d)
        pairs = sorted({(one.project_id, one.secret) for one in named})
        found = await self.db.fetch(sql, self.d.rows_params(rows, pairs))
        there = {(row["project_id"], row["name"]) for row in found}
        return [one for one in named if (one.project_id, one.secret) not in there]

    async def subjects(self, rule: str) -> list[tuple[str, str, str, int]]:
        """Project, id, name and version of jobs about which an alert of this rule is open."""
        mine = self.d.among("j.id", "ids")
        alerts = await self.db.fetch(
            "SELECT subject_id FROM alerts WHERE state = 'open' AND rule = :rule AND subject_kind = 'job' LIMIT :most",
            {"rule": rule, "most": _MOST},
        )
        ids = [row["subject_id"] for row in alerts if is_id(row["subject_id"])]
        if not ids:
            return []
        rows = await self.db.fetch(
            f"SELECT j.project_id, j.id, j.name, j.version FROM jobs j WHERE {mine} AND {_ON}", {"ids": ids}
        )
        return [(row["project_id"], row["id"], row["name"], row["version"]) for row in rows]

    async def missing_partitions(self) -> list[str]:
        return await self.d.missing_partitions(self.db)


@cache
def _waiting(d: Dialect) -> tuple[str, Rows]:
    """Along the lanes of the index: only what has waited that long is looked at, and not more of it than is told."""
    lanes = batch(d, tables.runs, "needs", "queue", "priority")
    waits = (
        f"SELECT r.project_id, r.job_id, r.queue, r.due_at FROM {lanes.sql} JOIN runs r ON r.needs = v.needs "
        f"AND r.queue = v.queue AND r.priority = v.priority WHERE {ready('r')} "
        f"AND r.due_at <= {d.earlier(':seconds')} LIMIT :most"
    )
    sql = (
        f"SELECT w.project_id, w.job_id, j.name, w.queue, {d.time('MIN(w.due_at)', 'since')}, COUNT(*) AS runs "
        f"FROM ({waits}) AS w JOIN jobs j ON j.id = w.job_id GROUP BY w.project_id, w.job_id, j.name, w.queue"
    )
    return sql, lanes


_STANDING = (
    "SELECT j.project_id, j.id AS job_id, j.name, t.settings, j.created_at, j.next_run_at, j.fired_through, "
    f"{', '.join(f's.{column}' for column in _WATCHED)}, m.last_at AS missed_at FROM {{begin}} "
    f"JOIN jobs j ON j.id = {_OF_A_JOB} LEFT JOIN job_stats s ON s.job_id = j.id "
    "LEFT JOIN skip_stats m ON m.job_id = j.id AND m.reason = 'missed' "
    f"WHERE {_ON} AND ({{wrong}})"
)


@cache
def _watched(d: Dialect) -> str:
    wrong = (
        "s.last_duration_ms > t.longer_ms",
        "s.last_duration_ms < t.shorter_ms",
        f"COALESCE(s.last_success_at, j.created_at) <= {d.earlier('t.no_success_for')}",
        "(t.missed = TRUE AND m.last_at IS NOT NULL AND (s.last_run_at IS NULL OR m.last_at >= s.last_run_at))",
        f"s.last_failure_at >= {d.earlier('(t.budget + 3600.0)')}",  # by whole hours
    )
    return _STANDING.format(begin="alert_settings t", wrong=" OR ".join(wrong))


@cache
def _undone(d: Dialect) -> tuple[str, Rows]:
    """Of jobs whose time of day has passed, those that have not succeeded since midnight there (`since`)."""
    days = batch(d, _days, "done_by", "timezone", "since")
    begin = f"{days.sql} JOIN alert_settings t ON t.done_by = v.done_by AND t.timezone = v.timezone"
    return _STANDING.format(begin=begin, wrong="s.last_success_at IS NULL OR s.last_success_at < v.since"), days


_days = Table("day_batch", MetaData(), Column("done_by", name(5)), Column("timezone", name(64)), Column("since", Time))


def _day(now: datetime, row: Row) -> datetime | None:
    day = day_of(now, row["done_by"], row["timezone"] or "UTC")
    return day.midnight if day is not None and day.deadline <= now else None


@cache
def _secrets(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, account_tables.secrets, "project_id", "name")
    on = "s.project_id = v.project_id AND s.name = v.name"
    return f"SELECT s.project_id, s.name FROM {rows.sql} JOIN secrets s ON {on}", rows
