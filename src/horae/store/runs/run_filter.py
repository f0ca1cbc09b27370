"""Filters of a page of runs, as conditions on a row `r` of live or ended runs."""

from __future__ import annotations

from typing import Any, NamedTuple

from horae.domain.runs.run_filter import RunFilter
from horae.domain.runs.states import AttemptOutcome, RunStatus, Trigger
from horae.store.dialects.base import Dialect
from horae.store.dialects.months import smallest_id


class RunPageQuery(NamedTuple):
    """A page of runs, in order of their ids, which is the order of creation."""

    project_id: str
    where: RunFilter
    limit: int
    after: str | None
    oldest_first: bool

    def tail(self, d: Dialect) -> tuple[str, dict[str, Any]]:
        """The end of a statement, and its parameters."""
        wheres, params = _conditions(d, self)
        down = "" if self.oldest_first else " DESC"
        return f" WHERE {' AND '.join(wheres)} ORDER BY r.id{down} LIMIT :limit", params


def _conditions(d: Dialect, asked: RunPageQuery) -> tuple[list[str], dict[str, Any]]:
    where = asked.where
    # All runs of a job belong to one project. PostgreSQL does not know that, and would use the project's index: the
    # condition is written so that no index matches it.
    of_project = "r.project_id = :project_id" if where.job_id is None else d.same("r.project_id", ":project_id")
    wheres = [of_project]
    params: dict[str, Any] = {"project_id": asked.project_id, "limit": asked.limit}
    # An id begins with its creation time, and the list is in that order.
    bounds = {
        f"r.id {'>' if asked.oldest_first else '<'} :after": ("after", asked.after),
        "r.id >= :since": ("since", smallest_id(where.since) if where.since else None),
        "r.id < :until": ("until", smallest_id(where.until) if where.until else None),
        "r.job_id = :job_id": ("job_id", where.job_id),
        "r.worker_id = :worker_id": ("worker_id", where.worker_id),
        "r.queue = :queue": ("queue", where.queue),
        "r.finished_at >= :ended_since": ("ended_since", where.ended_since),
        "r.finished_at < :ended_until": ("ended_until", where.ended_until),
    }
    for condition, (name, value) in bounds.items():
        if value is not None:
            wheres.append(condition)
            params[name] = value
    # As literals: there are partial indexes for some of them, which a parameter would not match.
    if where.status is not None:
        wheres.append(f"r.status = '{RunStatus(where.status).value}'")
    if where.outcome is not None:
        wheres += _ended_so(AttemptOutcome(where.outcome), where)
    if where.trigger is not None:
        wheres.append(f"""r."trigger" = '{Trigger(where.trigger).value}'""")
    if where.queue not in (None, "default"):
        wheres.append("r.queue <> 'default'")
    return wheres, params


def _ended_so(outcome: AttemptOutcome, where: RunFilter) -> list[str]:
    if outcome is AttemptOutcome.SUCCEEDED:
        return ["r.status = 'succeeded'"]
    # There is no index on a job's outcomes: its unsuccessful runs are found by status.
    unsuccessful = ["r.status IN ('failed', 'cancelled')"] if where.job_id is not None else []
    return [*unsuccessful, f"r.outcome = '{outcome.value}'"]
