"""Bugs, planted on purpose: each must be found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from horae.domain.runs import firing
from horae.domain.runs import outcome as outcomes
from horae.domain.time import openings
from horae.lifecycle import backfill, callback, ended, follow, recover, settle, submit
from horae.processes.claimer import Claimer
from horae.processes.duties.fire import FireDuty
from horae.processes.heartbeat import Heartbeat
from horae.processes.prefetch import Prefetch, Ready
from horae.store.jobs.jobs import JobTable
from horae.store.runs.gates import GateTable
from tests.simulation.broker_mutants import BROKER_MUTANTS
from tests.simulation.connection import VERB
from tests.simulation.mutant import Mutant, Patch
from tests.simulation.rewrites import Rewrite


def _advance_alone() -> list[Patch]:
    original = JobTable.advance

    async def advance(self: JobTable, advances: Any) -> None:
        await self.db.commit()
        await self.db.begin()
        await original(self, advances)

    return [(JobTable, "advance", advance)]


def _followers_alone() -> list[Patch]:
    async def start_followers(tx: Any, *given: Any, **how: Any) -> Any:
        await tx._db.commit()
        await tx._db.begin()
        return await follow.start_followers(tx, *given, **how)

    return [(ended, "start_followers", start_followers)]


def _no_retry_after_a_crash() -> list[Patch]:
    class Forgetful(settle.Settlement):
        async def write(self, tx: Any) -> None:
            self.requeues.clear()
            await super().write(tx)

    return [(recover, "Settlement", Forgetful)]


def _missed_off_by_one() -> list[Patch]:
    original = firing.skipped_range

    def skipped_range(calendar: Any, reason: Any, after: Any, until: Any) -> Any:
        row = original(calendar, reason, after, until)
        return replace(row, count=row.count - 1) if row is not None and row.count > 1 else row

    return [(firing, "skipped_range", skipped_range)]


def _last_is_not_caught_up() -> list[Patch]:
    def backward(calendar: Any, stretches: Any) -> Any:
        found = openings.backward(calendar, stretches)
        next(iter(found), None)
        return found

    return [(firing, "backward", backward)]


def _recovery_leaves_the_gate_shut() -> list[Patch]:
    original = GateTable.open

    async def open_gates(self: GateTable, job_ids: Any) -> None:
        if VERB.get() != "recover":
            await original(self, job_ids)

    return [(GateTable, "open", open_gates)]


def _cancel_is_forgotten() -> list[Patch]:
    def judge(outcome: Any, **given: Any) -> Any:
        return outcomes.judge(outcome, **{**given, "cancel_requested": False})

    return [(settle, "judge", judge)]


def _worker_waits_for_hints() -> list[Patch]:
    return [(Claimer, "_pause", lambda self: 10_000.0)]


def _scheduler_waits_for_hints() -> list[Patch]:
    def until(self: FireDuty, seconds: float | None, **how: Any) -> float:
        self._due = True
        return 10_000.0 if seconds is None else max(seconds, 0.01)

    return [(FireDuty, "_until", until)]


def _lease_is_overrated() -> list[Patch]:
    return [(Heartbeat, "_own_lease", property(lambda self: self._settings.lease * 3))]


def _repetition_is_not_noticed() -> list[Patch]:
    async def triggered(*given: Any) -> list[Any]:
        return []

    return [(submit, "_triggered", triggered)]


def _any_end_is_its_own() -> list[Patch]:
    async def was_this(*given: Any) -> bool:
        return True

    return [(callback, "_was_this", was_this)]


def _backfill_stops_at_a_crash() -> list[Patch]:
    async def continue_backfills(tx: Any, runs: Any) -> None:
        if VERB.get() != "recover":
            await backfill.continue_backfills(tx, runs)

    return [(ended, "continue_backfills", continue_backfills)]


def _lost_counts_as_interrupted() -> list[Patch]:
    def judge(outcome: Any, **given: Any) -> Any:
        verdict = outcomes.judge(outcome, **given)
        lost = outcome.kind == "lost" and isinstance(verdict, outcomes.Again)
        return outcomes.Again(0, counted=False) if lost else verdict

    return [(settle, "judge", judge)]


def _released_and_kept() -> list[Patch]:
    def empty(self: Prefetch) -> list[Ready]:
        return list(self._ready.values())

    return [(Prefetch, "empty", empty)]


_REQUEUE, _SHARDS = "UPDATE runs SET status = 'queued'", "SELECT shard FROM shards"
_PARK, _PROGRESS = "UPDATE runs SET parked", "UPDATE runs SET progress"
MUTANTS = [
    Mutant(
        "finish without the token",
        "a late worker ends or requeues what is no longer its own",
        sql=(
            Rewrite("r.id = v.id AND r.token IS v.token", "r.id = v.id", ("INSERT INTO run_history",)),
            Rewrite("r.id = v.id AND r.token = v.token", "r.id = v.id", ("SELECT r.id, r.job_id",)),
            Rewrite("runs.id = v.id AND runs.token = v.token", "runs.id = v.id", (_REQUEUE, _PARK, _PROGRESS)),
        ),
    ),
    Mutant(
        "renewal without a token",
        "a worker prolongs the lease of another's attempt",
        sql=(
            Rewrite(
                "WHERE worker_id = :worker_id AND status = 'running' AND id IN",
                "WHERE status = 'running' AND id IN",
                ("SELECT id, token, cancel_requested_at FROM runs",),
            ),
        ),
    ),
    Mutant("advance outside the transaction", "a crash between fires an occurrence twice", patches=_advance_alone),
    Mutant(
        "lease by the local clock",
        "a scheduler whose clock is ahead takes runs from live workers",
        sql=(
            Rewrite(
                "'running' AND lease_until < horae_now()",
                "'running' AND lease_until < simulation_local_now()",
                ("SELECT EXISTS (SELECT 1 FROM runs", "SELECT id, job_id"),
            ),
        ),
    ),
    Mutant(
        "attempt counted when it failed",
        "a run that kills its workers is tried for ever",
        sql=(
            Rewrite("attempt = attempt + 1, ", "", ("UPDATE runs SET status = 'running'",)),
            Rewrite("SET status = 'queued', ", "SET status = 'queued', attempt = runs.attempt + 1, ", (_REQUEUE,)),
        ),
    ),
    Mutant("lost attempts are not counted", "the same, by another way", patches=_lost_counts_as_interrupted),
    Mutant("retry lost on a crash", "the runs of a dead worker are not queued again", patches=_no_retry_after_a_crash),
    Mutant("missed ones are miscounted", "a skipped row stands for one less", patches=_missed_off_by_one),
    Mutant("catch-up off by one", "the last one missed is not the one that runs", patches=_last_is_not_caught_up),
    Mutant(
        "gate without effect",
        "max_instances is exceeded",
        sql=(
            Rewrite(
                """(SELECT COUNT(*) FROM runs r WHERE r.job_id = g.job_id AND r.held = FALSE """
                """AND r."trigger" <> 'backfill') AS under_way""",
                "0 AS under_way",
                ("SELECT g.job_id, (SELECT COUNT(*)",),
            ),
        ),
    ),
    Mutant(
        "held runs are claimed",
        "the same, by another way",
        sql=(
            Rewrite(" AND NOT n.held", "", ("WITH RECURSIVE present", "WITH RECURSIVE need", "WITH RECURSIVE want")),
            Rewrite("AND NOT held AND needs", "AND needs", ("SELECT id, job_id",)),
        ),
    ),
    Mutant(
        "recovery leaves the gate shut",
        "a place is lost with its worker",
        patches=_recovery_leaves_the_gate_shut,
    ),
    Mutant("cancel is forgotten", "what was to be cancelled is tried again", patches=_cancel_is_forgotten),
    Mutant(
        "fired_through lowered on edit",
        "what was fired may be fired again",
        sql=(
            Rewrite(
                "anchor_at = :anchor_at, next_run_at",
                "anchor_at = :anchor_at, fired_through = NULL, next_run_at",
                ("UPDATE jobs SET name",),
            ),
        ),
    ),
    Mutant("worker trusts hints", "a lost wake-up is a run that waits for ever", patches=_worker_waits_for_hints),
    Mutant("scheduler trusts hints", "a lost wake-up is a job that never fires", patches=_scheduler_waits_for_hints),
    Mutant("followers in a separate transaction", "an end starts nothing, if one dies", patches=_followers_alone),
    Mutant("own lease longer than the database's", "two attempts work at once", patches=_lease_is_overrated),
    Mutant("repetition is not noticed", "what was done is refused", patches=_repetition_is_not_noticed),
    Mutant("backfill stops at a crash", "an operation goes on for ever", patches=_backfill_stops_at_a_crash),
    Mutant(
        "shard taken from its owner",
        "leases are ignored, and schedulers take each other's shards",
        sql=(Rewrite("WHERE owner_id IS NULL OR lease_until <= horae_now() ORDER BY", "ORDER BY", (_SHARDS,)),),
    ),
    Mutant(
        "stale scheduler renews",
        "one that stood still goes on as if it had not",
        sql=(Rewrite("owner_id = :id AND lease_until > horae_now()", "owner_id = :id", (_SHARDS,)),),
    ),
    Mutant(
        "shard without a new epoch",
        "the new owner's time cannot be distinguished from the old one's",
        sql=(Rewrite("epoch = epoch + 1, ", "", ("UPDATE shards SET owner_id = :me",)),),
    ),
    Mutant(
        "callback for any attempt",
        "a late answer ends an attempt that it is not about",
        sql=(Rewrite("id = :id AND attempt = :attempt AND status", "id = :id AND status", ("SELECT id, job_id",)),),
    ),
    Mutant("started after its release", "another worker may have it by then", patches=_released_and_kept),
    Mutant(
        "a release counts",
        "waiting behind a long run costs an attempt",
        sql=(Rewrite("attempt = runs.attempt - 1, ", "", ("UPDATE runs SET attempt",)),),
    ),
    Mutant(
        "a release at the end of the queue",
        "waiting behind a long run costs the place",
        sql=(Rewrite("runs.attempt - 1, ", "runs.attempt - 1, due_at = horae_now(), ", ("UPDATE runs SET attempt",)),),
    ),
    Mutant("callback taken for its own", "one that came to nothing is acknowledged", patches=_any_end_is_its_own),
    *BROKER_MUTANTS,
]
BY_NAME = {mutant.name: mutant for mutant in MUTANTS}
