"""Acknowledged changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome

if TYPE_CHECKING:
    from tests.simulation.world import World

REFUSED = Outcome(AttemptOutcome.FAILED, error="it was refused there")  # what a callback may say


class Promises:
    def __init__(self, world: World) -> None:
        self._world = world
        self._made: list[tuple[str, str, str]] = []  # table or state, id, and what it was

    def add(self, kind: str, result: Any) -> None:
        for promise in _promises(kind, result):
            self._made.append(promise)
            self._kept(*promise)

    def refused(self, kind: str, what: str, key: str, actor: str) -> None:
        """What was refused must not have been done, by an earlier try whose answer was lost."""
        tables = self._world.oracle.mirror.tables
        made = {"create": "jobs", "trigger": "runs", "retry": "runs", "backfill": "operations", "redrive": "operations"}
        if kind in made and (key in tables[made[kind]] or key in tables["run_history"]):
            self._world.oracle.broken(f"refused, and yet it is there: {what}", run=key)
        # What is gone or over may be so by someone else: the audit trail says by whom.
        action = {"delete": "job.delete", "stop_operation": "operation.cancel"}.get(kind)
        done = {(row["actor"], row["action"], row["subject_id"]) for row in tables["audit_log"].values()}
        if (actor, action, key) in done:
            self._world.oracle.broken(f"refused, and yet it was done: {what}", job=key)

    def check(self) -> None:
        for promise in self._made:
            self._kept(*promise)

    def _forgotten(self, what: str, job_id: str) -> bool:
        """A deleted job's versions go with the last of its runs."""
        tables = self._world.oracle.mirror.tables
        if what != "job_versions" or job_id in tables["jobs"]:
            return False
        runs = (row for table in ("runs", "run_history") for row in tables[table].values())
        return all(row["job_id"] != job_id for row in runs)

    def _kept(self, what: str, key: str, told: str) -> None:
        tables, oracle = self._world.oracle.mirror.tables, self._world.oracle
        if what == "run" and key not in tables["runs"] and key not in tables["run_history"]:
            oracle.broken(f"{told} was acknowledged, and is not there", run=key)
        if what == "cancel" and (row := tables["runs"].get(key)) and row["cancel_requested_at"] is None:
            oracle.broken(f"{told} was acknowledged, and nothing asks the run to stop", run=key)
        if what == "answer" and not self._counts(key, told):
            oracle.broken(f"an answer ({told}) was acknowledged, and does not count", run=key.partition("/")[0])
        job_id = key.partition("/")[0]
        if what in ("job_versions", "operations") and key not in tables[what] and not self._forgotten(what, job_id):
            oracle.broken(f"{told} was acknowledged, and is not there", job=job_id)

    def _counts(self, key: str, told: str) -> bool:
        """Whether an attempt ended as was acknowledged."""
        tables, (run_id, attempt) = self._world.oracle.mirror.tables, key.split("/")
        ended, tried = tables["run_history"].get(run_id), tables["attempts"].get(key)
        if tried is not None:
            return bool(tried["outcome"] == told)
        if ended is None or ended["attempt"] != int(attempt):
            return False
        cancelled = (told, ended["status"]) == ("failed", "cancelled") and ended["error"] == REFUSED.error
        return bool(ended["status"] == told or cancelled)


def _promises(kind: str, result: Any) -> list[tuple[str, str, str]]:
    if kind in ("create", "edit"):
        return [("job_versions", f"{result.id}/{result.version}", kind)]
    if kind == "trigger":
        return [("run", run.id, kind) for run in result]
    if kind == "retry":
        return [("run", result.id, kind)]
    if kind == "cancel":
        return [("cancel", run.id, kind) for run in result]
    if kind == "answer":
        run_id, attempt, outcome = result
        return [("answer", f"{run_id}/{attempt}", str(outcome.kind))] if outcome else []
    if kind in ("backfill", "redrive"):
        return [("operations", result.id, kind)]
    return []
