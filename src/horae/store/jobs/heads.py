"""The heads of jobs, as a trigger reads them, and a memo of those read last.

The memo needs no invalidation: a remembered head may be stale, and the statement that adds the runs holds only if the
job, its function and its project's quotas are still as remembered (`HotStatements.add`). Databases that cannot do this
in one statement never ask for a remembered head."""

from __future__ import annotations

from collections import OrderedDict
from functools import cache

from horae.domain.jobs.job_record import JobHead
from horae.store.dialects.base import Dialect, Params, Row
from horae.store.jobs.functions import call_rules, read_call_rules
from horae.store.people.quotas import bounded

_MOST = 1_000
_LARGEST = 4_096  # characters; larger heads are read each time


@cache
def head(d: Dialect, key: str) -> str:
    return (
        f"SELECT id, version, plan, {bounded(':project_id')}, {call_rules(d, 'jobs.plan')} FROM jobs "
        f"WHERE project_id = :project_id AND {key} = :ref "
    )


def read_head(project_id: str, row: Row) -> JobHead:
    is_bounded = row["bounded"] is not None
    return JobHead(row["id"], project_id, row["version"], row["plan"], is_bounded, read_call_rules(row))


@cache
def still(d: Dialect) -> tuple[str, str]:
    """A statement that reads and locks a job, and the condition on its row under which a head still holds."""
    holds = (
        "version = :job_version AND bounded IS NULL AND is_active IS NOT DISTINCT FROM CAST(:is_active AS boolean) "
        "AND CAST(parameters AS text) IS NOT DISTINCT FROM CAST(:parameters AS text)"
    )
    return head(d, "id") + d.lock_shared, holds


def still_params(known: JobHead) -> Params:
    function = known.function
    return {
        "project_id": known.project_id,
        "ref": known.id,
        "job_version": known.version,
        "is_active": None if function is None else function.is_active,
        "parameters": None if function is None else function.parameters,
    }


class HeadMemo:
    """What a process remembers of the jobs that it triggered last, by project and name or id."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], JobHead] = OrderedDict()

    def recall(self, project_id: str, ref: str) -> JobHead | None:
        known = self._known.get((project_id, ref))
        if known is not None:
            self._known.move_to_end((project_id, ref))
        return known

    def keep(self, project_id: str, ref: str, known: JobHead) -> None:
        size = len(known.plan) + (0 if known.function is None else len(known.function.parameters))
        if size > _LARGEST:
            return
        self._known[project_id, ref] = known
        if len(self._known) > _MOST:
            self._known.popitem(last=False)

    def correct(self, project_id: str, ref: str, known: JobHead | None) -> None:
        """By what was read just now."""
        if self._known.pop((project_id, ref), None) is not None and known is not None:
            self.keep(project_id, ref, known)
