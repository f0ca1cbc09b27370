"""Counters: appended as deltas, summed by job, by hour and by day; and time series."""

from __future__ import annotations

from sqlalchemy import Index, Table, text

from horae.store.tables.columns import Big, Id, Int, Json, LongText, Time, name
from horae.store.tables.table import key, may, must, table

job_stats = table(
    "job_stats",
    key("job_id", Id),
    must("project_id", Id),
    may("last_run_id", Id),
    may("last_run_at", Time),
    may("last_status", name(10)),
    *(must(column, Big) for column in ("succeeded", "failed", "cancelled", "skipped")),
    *(must(column, Big) for column in ("retries", "timed_out", "duration_ms")),
    # For alerts. NULL if only processes of an older version have summed up this job.
    may("failing_streak", Int),  # failed runs since the last success
    may("failing_since", Time),  # when the first of them ended
    may("last_success_at", Time),
    may("last_failure_at", Time),
    may("last_duration_ms", Big),  # of the last run that succeeded or failed
    Index("job_stats_project", "project_id"),
    Index("job_stats_last", "project_id", "last_status"),
)
_failing = text("failing_streak > 0")
Index("job_stats_failing", job_stats.c.failing_streak, postgresql_where=_failing, sqlite_where=_failing)


def _counted(table_name: str, period: str) -> Table:
    """Runs that ended, per job, period and status."""
    return table(
        table_name,
        key("job_id", Id),
        key(period, Time),
        key("status", name(10)),
        must("project_id", Id),
        must("runs", Big),
        must("duration_ms", Big),
        Index(f"{table_name}_project", "project_id", period),
        Index(f"{table_name}_{period}", period),
    )


run_stats = _counted("run_stats", "hour")
run_days = _counted("run_days", "day")  # for data that is too old for hourly counts

skip_stats = table(
    "skip_stats",  # how many occurrences of a job were skipped, and why
    key("job_id", Id),
    key("reason", name(20)),
    must("project_id", Id),
    must("occurrences", Big),
    may("last_at", Time),  # when the last one was skipped; NULL: an older version summed it up
    Index("skip_stats_project", "project_id"),
)

totals = table(
    "totals",  # sums of job_stats and skip_stats, kept by roll-ups
    key("project_id", Id),  # the nil id for the installation
    key("counter", name(40)),  # a status, another column of job_stats, or `skipped:` and a reason
    must("value", Big),
)

stat_deltas = table(
    "stat_deltas",  # appended by transactions that end runs, so that counters are not contended; rolled up soon
    key("id", Id),
    must("job_id", Id),
    must("project_id", Id),
    must("status", name(10)),
    must("runs", Big),
    must("duration_ms", Big),
    must("retries", Big),
    must("timed_out", Big),
    may("run_id", Id),
    may("reason", name(20)),
    must("at", Time),
    may("detail", LongText),  # queue, lateness and duration, for the time series; NULL if an older Horae ended the runs
    Index("stat_deltas_job", "job_id"),
)

series = table(
    "series",  # what happened in a minute, an hour or a day (domain/runs/series.py)
    key("project_id", Id),  # the nil id for the installation
    key("subject", name(120)),  # everything, one queue or one worker
    key("step", Int),  # seconds
    key("at", Time),
    must("data", Json),
    Index("series_at", "step", "at"),
)
