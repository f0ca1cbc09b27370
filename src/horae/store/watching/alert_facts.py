"""The facts for alert rules: small tables and counters, by one statement for all jobs, with indexes that contain only
candidates. Never the history, and never one statement per job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import Column, MetaData, Table

from horae.domain.alerts.daily import today
from horae.domain.alerts.facts import (
    AlertSubjects,
    FailingJob,
    LiveRunFact,
    LongRun,
    OverdueJob,
    ProjectNumber,
    UnknownSecret,
    WaitingJob,
    WatchedJob,
)
from horae.domain.alerts.job_rules import MOST_LATE
from horae.domain.alerts.spec import JobRules, ProjectAlertSpec, job_rules, project_rules
from horae.domain.runs.series import HOUR, WHOLE, Bucket
from horae.domain.runs.states import RunStatus
from horae.domain.runs.stranded import Want
from horae.domain.text.ids import is_id
from horae.store import tables
from horae.store.dialects.base import Dialect, Rows
from horae.store.rows import Group, batch, load_object, read, some, words
from horae.store.runs.lanes import ready
from horae.store.tables import accounts as account_tables
from horae.store.tables.columns import Time, name

_ON = "j.enabled AND NOT j.paused"  # what users have disabled is not wrong
_MOST = 2_000  # stuck jobs of a project that get an alert each: with more, it has one problem, not thousands
_PRIORITIES = range(10)
_WATCHED = words("last_run_id last_run_at last_status last_failure_at last_duration_ms")
# An old version says how the last run ended, but does not keep when one last succeeded.
_SUCCESS = "CASE WHEN s.last_status = 'succeeded' THEN s.last_run_at ELSE s.last_success_at END"
# Not plainly equal: SQLite would rather scan all jobs than a table without statistics.
_OF_A_JOB = "CASE WHEN t.subject_kind = 'job' THEN t.subject_id END"
_ZONE = "COALESCE(t.timezone, 'UTC')"
_JOB = "r.project_id, r.job_id, j.name, r.id AS run_id"


class AlertFactTables(Group):
    async def present(self) -> AlertSubjects:
        held = {
            "settings": "alert_settings",
            "projects": "alert_settings WHERE subject_kind = 'project'",
            "failing": "job_stats WHERE failing_streak > 0",
            "running": "runs WHERE status = 'running'",
            "due": f"jobs j WHERE j.next_run_at IS NOT NULL AND j.next_run_at <= {self.d.now} AND {_ON}",
            "dead_letters": "dead_letters",
            "alerts": "alerts WHERE state = 'open'",
        }
        (row,) = await self.db.fetch(
            f"SELECT {', '.join(f'EXISTS (SELECT 1 FROM {rows}) AS {name}' for name, rows in held.items())}"
        )
        return AlertSubjects(**{name: bool(row[name]) for name in held})

    async def founded_at(self) -> datetime:
        (row,) = await self.db.fetch("SELECT created_at FROM installation")
        found: datetime = row["created_at"]
        return found

    async def failing(self) -> list[FailingJob]:
        # A streak that an older version's process ended is still counted: the last status is correct.
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
        found = await self.db.fetch(sql, {**self.d.rows_params(rows, lanes), "seconds": seconds, "most": MOST_LATE})
        return [
            read(WaitingJob, row, queue_runs=int(row["queue_runs"]), queue_jobs=int(row["queue_jobs"])) for row in found
        ]

    async def overdue(self, seconds: float) -> list[OverdueJob]:
        """The first of each project, and all whose definition has `late`."""
        rows = await self.db.fetch(_overdue(self.d), {"seconds": seconds, "most": MOST_LATE})
        return [read(OverdueJob, row) for row in rows]

    async def stuck(self, seconds: float) -> list[LiveRunFact]:
        """The first run of each job, of the jobs that have been stuck longest in each project."""
        rows = await self.db.fetch(_stuck(self.d), {"seconds": seconds, "most": _MOST})
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
        """The database filters out healthy ones."""
        found = await self.db.fetch(_watched(self.d))
        zones = await self.db.fetch(
            f"SELECT DISTINCT {_ZONE} AS timezone FROM alert_settings t WHERE t.done_by IS NOT NULL"
        )
        if days := [(*day, row["timezone"]) for row in zones if (day := today(now, row["timezone"])) is not None]:
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
        # Ids contain the time of creation: runs that failed within the hour were mostly created within the day.
        rows = await self.db.fetch(
            "SELECT n.project_id, p.slug, n.failed FROM (SELECT l.project_id, COUNT(*) AS failed FROM dead_letters l "
            f"WHERE l.run_id > :after AND l.failed_at > {self.d.earlier(':seconds')} GROUP BY l.project_id) AS n "
            "JOIN projects p ON p.id = n.project_id",
            {"after": await self.id_before(86_400.0), "seconds": seconds},
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
        """Project, id, name and version of jobs with an open alert of this rule."""
        mine = self.d.among("j.id", "ids")
        alerts = await self.db.fetch(
            "SELECT subject_id FROM alerts WHERE state = 'open' AND rule = :rule AND subject_kind = 'job'",
            {"rule": rule},
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
    """Along the lanes of the index: only what has waited that long is looked at. Of each project, those that have
    waited longest, the first of every queue, and all whose definition has `late`: another's backlog hides none."""
    lanes = batch(d, tables.runs, "needs", "queue", "priority")
    waits = (
        "SELECT r.project_id, r.job_id, r.queue, MIN(r.due_at) AS since, COUNT(*) AS runs "
        f"FROM {lanes.sql} JOIN runs r ON r.needs = v.needs AND r.queue = v.queue AND r.priority = v.priority "
        f"WHERE {ready('r')} AND r.due_at <= {d.earlier(':seconds')} GROUP BY r.project_id, r.job_id, r.queue"
    )
    queue = "OVER (PARTITION BY w.project_id, w.queue"
    ranked = (
        "SELECT w.project_id, w.job_id, w.queue, w.since, t.late, "
        f"{_place('w.project_id', 'w.since, w.job_id')}, ROW_NUMBER() {queue} ORDER BY w.since, w.job_id) AS of_queue, "
        f"SUM(w.runs) {queue}) AS queue_runs, COUNT(*) {queue}) AS queue_jobs "
        f"FROM ({waits}) AS w LEFT JOIN alert_settings t ON t.subject_id = w.job_id"
    )
    sql = (
        f"SELECT n.project_id, n.job_id, j.name, n.queue, {d.time('n.since', 'since')}, n.queue_runs, n.queue_jobs "
        f"FROM ({ranked}) AS n JOIN jobs j ON j.id = n.job_id WHERE {_NAMED} OR n.of_queue = 1"
    )
    return sql, lanes


def _place(project: str, order: str) -> str:
    """Where a job comes in its project; those with their own `late` do not count towards the limit."""
    own = "CASE WHEN t.late IS NULL THEN 0 ELSE 1 END"
    return f"ROW_NUMBER() OVER (PARTITION BY {project}, {own} ORDER BY {order}) AS place"


_NAMED = "n.place <= :most OR n.late IS NOT NULL"


@cache
def _overdue(d: Dialect) -> str:
    unread = "SELECT 1 FROM unreadable u WHERE u.job_id = j.id AND u.version = j.version"
    due = (
        "SELECT j.id, t.late, "
        f"{_place('j.project_id', 'j.next_run_at, j.id')} FROM jobs j "
        "LEFT JOIN alert_settings t ON t.subject_id = j.id "
        f"WHERE j.next_run_at IS NOT NULL AND j.next_run_at <= {d.earlier(':seconds')} "
        f"AND {_ON} AND NOT EXISTS ({unread})"
    )
    return (
        "SELECT j.project_id, j.id AS job_id, j.name, j.next_run_at AS due_at "
        f"FROM ({due}) AS n JOIN jobs j ON j.id = n.id WHERE {_NAMED}"
    )


@cache
def _stuck(d: Dialect) -> str:
    runs = (
        "SELECT r.project_id, r.job_id, r.id AS run_id, r.lease_until, "
        "ROW_NUMBER() OVER (PARTITION BY r.job_id ORDER BY r.lease_until, r.id) AS of_job FROM runs r "
        f"WHERE r.status = 'running' AND r.lease_until <= {d.earlier(':seconds')}"
    )
    jobs = (
        "SELECT f.project_id, f.job_id, f.run_id, f.lease_until, "
        "ROW_NUMBER() OVER (PARTITION BY f.project_id ORDER BY f.lease_until, f.run_id) AS place "
        f"FROM ({runs}) AS f WHERE f.of_job = 1"
    )
    return (
        f"SELECT n.project_id, n.job_id, j.name, n.run_id, {d.time('n.lease_until', 'since')} "
        f"FROM ({jobs}) AS n JOIN jobs j ON j.id = n.job_id WHERE n.place <= :most"
    )


_STANDING = (
    "SELECT j.project_id, j.id AS job_id, j.name, t.settings, j.created_at, j.next_run_at, j.fired_through, "
    f"{', '.join(f's.{column}' for column in _WATCHED)}, {{success}}, m.last_at AS missed_at FROM {{begin}} "
    f"JOIN jobs j ON j.id = {_OF_A_JOB} LEFT JOIN job_stats s ON s.job_id = j.id "
    "LEFT JOIN skip_stats m ON m.job_id = j.id AND m.reason = 'missed' "
    f"WHERE {_ON} AND ({{wrong}})"
)


def _standing(d: Dialect, begin: str, wrong: str) -> str:
    return _STANDING.format(begin=begin, success=d.time(_SUCCESS, "last_success_at"), wrong=wrong)


@cache
def _watched(d: Dialect) -> str:
    wrong = (
        "s.last_duration_ms > t.longer_ms",
        "s.last_duration_ms < t.shorter_ms",
        f"COALESCE({_SUCCESS}, j.created_at) <= {d.earlier('t.no_success_for')}",
        "(t.missed = TRUE AND m.last_at IS NOT NULL AND (s.last_run_at IS NULL OR m.last_at >= s.last_run_at))",
        f"s.last_failure_at >= {d.earlier('(t.budget + 3600.0)')}",  # by whole hours
    )
    return _standing(d, "alert_settings t", " OR ".join(wrong))


@cache
def _undone(d: Dialect) -> tuple[str, Rows]:
    """Of jobs whose time of day has passed, those without a success since midnight there (`since`)."""
    days = batch(d, _days, "since", "done_by", "timezone")
    begin = f"{days.sql} JOIN alert_settings t ON {_ZONE} = v.timezone AND t.done_by <= v.done_by"
    return _standing(d, begin, f"{_SUCCESS} IS NULL OR {_SUCCESS} < v.since"), days


_days = Table("day_batch", MetaData(), Column("done_by", name(5)), Column("timezone", name(64)), Column("since", Time))


@cache
def _secrets(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, account_tables.secrets, "project_id", "name")
    on = "s.project_id = v.project_id AND s.name = v.name"
    return f"SELECT s.project_id, s.name FROM {rows.sql} JOIN secrets s ON {on}", rows
