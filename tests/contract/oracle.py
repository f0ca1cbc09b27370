"""Invariants of the database after every step: `Oracle.look()` compares its contents with everything seen before."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.contract.ledger import assert_accounted
from tests.contract.world import Row, World

TABLES = ("jobs", "job_versions", "job_gates", "runs", "run_history", "attempts", "dead_letters")


@dataclass(frozen=True)
class Picture:
    """The database at one moment."""

    tables: dict[str, list[Row]]
    totals: dict[str, int]

    @classmethod
    async def take(cls, world: World) -> Picture:
        return cls(await world.snapshot(TABLES), await world.totals())

    def by_id(self, table: str) -> dict[str, Row]:
        return {row["id"]: row for row in self.tables[table]}

    def gates(self) -> dict[str, int]:
        return {row["job_id"]: row["max_instances"] for row in self.tables["job_gates"]}

    def under_way(self) -> Counter[str]:
        return Counter(row["job_id"] for row in self.tables["runs"] if not row["held"])

    def in_turn(self, job_id: str) -> bool:
        """Whether all waiting runs are caught up, and so wait for the one before them, regardless of the limit."""
        mine = [row for row in self.tables["runs"] if row["job_id"] == job_id]
        before = any(row["in_order"] and not row["held"] for row in mine)
        return before and all(row["in_order"] for row in mine if row["held"])

    def startable(self) -> Counter[str]:
        """What a worker may take."""
        return Counter(row["job_id"] for row in self.tables["runs"] if row["status"] == "queued" and not row["held"])

    def waiting(self) -> Counter[str]:
        """For a place: what is for later does not."""
        return Counter(row["job_id"] for row in self.tables["runs"] if row["held"] and row["wake_at"] is None)

    def max_attempts(self) -> dict[tuple[str, int], int]:
        versions = self.tables["job_versions"]
        return {(v["job_id"], v["version"]): json.loads(v["spec"])["retry"]["max_attempts"] for v in versions}


@dataclass
class Oracle:
    world: World
    before: Picture | None = None
    rows: dict[str, Row] = field(default_factory=dict)  # every run and skipped row there ever was, as last seen
    tries: dict[tuple[str, int], Row] = field(default_factory=dict)
    pruned: set[str] = field(default_factory=set)
    edited: dict[str, datetime | None] = field(default_factory=dict)  # what was fired when the schedule was changed

    async def look(self, *, pruned_before: datetime | None = None) -> Picture:
        now = await Picture.take(self.world)
        self._every_run_is_in_one_place(now, pruned_before)
        self._ended_runs_never_change(now)
        self._leases_fit_the_status(now)
        self._attempts_are_bounded(now)
        self._limits_hold_and_nobody_is_stuck(now)
        self._dead_letters_are_what_failed(now)
        self.rows |= now.by_id("runs") | now.by_id("run_history")
        self.tries |= {(row["run_id"], row["n"]): row for row in now.tables["attempts"]}
        self._only_interruptions_do_not_count(now)
        self._schedules_only_go_on(now)
        self._counters_are_exact(now)
        self.before = now
        for job_id in self.edited.keys() & now.by_id("jobs").keys():
            await self._account(job_id)
        return now

    def _every_run_is_in_one_place(self, now: Picture, pruned_before: datetime | None) -> None:
        live, ended = now.by_id("runs").keys(), now.by_id("run_history").keys()
        assert not live & ended
        assert len(live) + len(ended) == len(now.tables["runs"]) + len(now.tables["run_history"])
        gone = self.rows.keys() - live - ended - self.pruned
        if pruned_before is None:
            assert not gone, f"vanished: {gone}"
        assert all(self.rows[run]["finished_at"] < pruned_before for run in gone), "pruned too early"
        self.pruned |= gone

    def _ended_runs_never_change(self, now: Picture) -> None:
        ended = now.by_id("run_history")
        for run_id, row in (self.before.by_id("run_history") if self.before else {}).items():
            assert ended.get(run_id, row) == row

    def _leases_fit_the_status(self, now: Picture) -> None:
        for row in now.tables["runs"]:
            lease = [row[column] is not None for column in ("token", "worker_id", "lease_until", "started_at")]
            if row["status"] == "running":
                assert all(lease)
                assert not row["held"]
                assert row["attempt"] >= 1
            else:
                assert row["status"] == "queued"
                assert not any(lease)
        tokens = Counter((row["id"], row["token"]) for row in now.tables["runs"] if row["token"])
        assert all(count == 1 for count in tokens.values())

    def _attempts_are_bounded(self, now: Picture) -> None:
        most = now.max_attempts()
        for row in [*now.tables["runs"], *now.tables["run_history"]]:
            limit, made = most[row["job_id"], row["version"]], row["attempt"] - row["uncounted"]
            assert 0 <= row["uncounted"] <= row["attempt"]
            assert made <= limit
            if row["status"] == "queued":
                assert made < limit
            if row["status"] == "failed":
                assert row["reason"] in ("attempts", "permanent", "expired")
                assert row["reason"] != "attempts" or made == limit
            known = self.rows.get(row["id"])
            assert known is None or known["attempt"] <= row["attempt"]

    def _only_interruptions_do_not_count(self, now: Picture) -> None:
        interrupted = Counter(run_id for (run_id, _), row in self.tries.items() if row["outcome"] == "interrupted")
        for row in [*now.tables["runs"], *now.tables["run_history"]]:
            assert row["uncounted"] == interrupted[row["id"]]

    def _limits_hold_and_nobody_is_stuck(self, now: Picture) -> None:
        gates, under_way, waiting = now.gates(), now.under_way(), now.waiting()
        earlier = self.before.under_way() if self.before else Counter()
        for job_id, limit in gates.items():
            # More are left over where the limit was lowered, but no other one begins.
            most = max(limit, earlier[job_id]) if not now.startable()[job_id] else limit
            assert under_way[job_id] <= most, "the limit is exceeded"
        for job_id, count in waiting.items():
            assert job_id in gates, "waiting for a gate that does not exist"
            taken = under_way[job_id] >= gates[job_id] or now.in_turn(job_id)
            assert taken, f"{count} wait though there is a place"

    def _dead_letters_are_what_failed(self, now: Picture) -> None:
        failed = {row["id"] for row in now.tables["run_history"] if row["status"] == "failed"}
        assert {row["run_id"] for row in now.tables["dead_letters"]} == failed

    def _schedules_only_go_on(self, now: Picture) -> None:
        earlier = self.before.by_id("jobs") if self.before else {}
        for job_id, job in now.by_id("jobs").items():
            through, was = job["fired_through"], earlier.get(job_id, {}).get("fired_through")
            assert was is None or (through is not None and through >= was), "fired_through was lowered"
            assert None in (through, job["next_run_at"]) or job["next_run_at"] > through
            fired = [row["scheduled_for"] for row in self.fired(job_id) if row["status"] != "skipped"]
            assert len(fired) == len(set(fired)), "an occurrence has two runs"
            assert not fired or (through is not None and max(fired) <= through)

    def fired(self, job_id: str) -> list[Row]:
        return [row for row in self.rows.values() if row["job_id"] == job_id and row["trigger"] == "schedule"]

    def _counters_are_exact(self, now: Picture) -> None:
        expected: Counter[str] = Counter()
        for row in self.rows.values():
            expected[row["status"]] += row.get("occurrences") or 1
        expected["retries"] = sum(row["outcome"] != "interrupted" for row in self.tries.values())
        for column in ("succeeded", "failed", "cancelled", "skipped", "retries"):
            assert now.totals[column] == expected[column], column

    async def _account(self, job_id: str) -> None:
        """Runs and skipped rows account for every occurrence since the schedule was made."""
        job = await self.world.look(job_id)
        if job.spec.scheduled:
            assert_accounted(job, self.fired(job_id), self.edited[job_id])


def changes(before: Picture, after: Picture) -> list[str]:
    """The tables that differ."""
    return [table for table in TABLES if _sorted(before.tables[table]) != _sorted(after.tables[table])]


def _sorted(rows: list[Row]) -> list[Any]:
    return sorted(rows, key=repr)
