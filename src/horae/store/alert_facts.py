"""What the rules of alerts look at: small tables and counters, by one statement for all jobs, along indexes that hold
only what may be wrong. Never the history, and never one statement per job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache

from horae.domain.alerts.facts import (
    FailingJob,
    LiveRunFact,
    OverdueJob,
    ProjectNumber,
    UnknownSecret,
    WaitingJob,
    WatchedJob,
)
from horae.domain.alerts.spec import ProjectAlertSpec, job_rules, project_rules
from horae.domain.runs.stranded import Want
from horae.domain.text.ids import is_id
from horae.store import account_tables, tables
from horae.store.dialects.base import Dialect, Rows
from horae.store.lanes import ready
from horae.store.rows import Group, batch, read, some, words

_ON = "j.enabled AND NOT j.paused"  # what people have switched off is not wrong
_MOST = 2_000  # rows of one kind that are looked at: whoever has more has one problem, not thousands
_PRIORITIES = range(10)
_WATCHED = words("last_run_id last_run_at last_status last_success_at last_failure_at last_duration_ms")
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

    async def running(self) -> list[LiveRunFact]:
        rows = await self.db.fetch(
            f"SELECT {_JOB}, r.started_at AS since FROM runs r JOIN alert_settings t ON t.subject_id = r.job_id "
            "JOIN jobs j ON j.id = r.job_id WHERE r.status = 'running' AND r.started_at IS NOT NULL"
        )
        return [read(LiveRunFact, row) for row in rows]

    async def projects(self) -> dict[str, ProjectAlertSpec]:
        rows = await self.db.fetch("SELECT subject_id, settings FROM alert_settings WHERE subject_kind = 'project'")
        return {row["subject_id"]: project_rules(row["settings"]) for row in rows}

    async def watched(self) -> list[WatchedJob]:
        columns = ", ".join(f"s.{column}" for column in _WATCHED)
        rows = await self.db.fetch(
            "SELECT j.project_id, j.id AS job_id, j.name, t.settings, j.created_at, j.next_run_at, j.fired_through, "
            f"{columns}, m.last_at AS missed_at FROM alert_settings t JOIN jobs j ON j.id = t.subject_id "
            "LEFT JOIN job_stats s ON s.job_id = j.id "
            "LEFT JOIN skip_stats m ON m.job_id = j.id AND m.reason = 'missed' "
            f"WHERE t.subject_kind = 'job' AND {_ON}"
        )
        return [read(WatchedJob, row, rules=job_rules(row["settings"])) for row in rows]

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
        failed = "SUM(CASE WHEN s.status = 'failed' THEN s.runs ELSE 0 END)"
        rows = await self.db.fetch(
            f"SELECT n.project_id, p.slug, n.ended, n.failed FROM (SELECT s.project_id, SUM(s.runs) AS ended, {failed} "
            "AS failed FROM run_stats s WHERE s.hour >= :since AND s.status IN ('succeeded', 'failed') "
            "GROUP BY s.project_id) AS n JOIN projects p ON p.id = n.project_id WHERE n.failed > 0",
            {"since": since},
        )
        return [ProjectNumber(row["project_id"], row["slug"], int(row["ended"]), int(row["failed"])) for row in rows]

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


@cache
def _secrets(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, account_tables.secrets, "project_id", "name")
    on = "s.project_id = v.project_id AND s.name = v.name"
    return f"SELECT s.project_id, s.name FROM {rows.sql} JOIN secrets s ON {on}", rows
