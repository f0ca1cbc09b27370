"""The rules of runs: where each is, who may move it on, and what its end brings with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horae.domain.runs.states import RunStatus
from tests.simulation.mirror import Row, Step

if TYPE_CHECKING:
    from tests.simulation.oracle import Oracle

ENDS = {"success": ("succeeded",), "failure": ("failed",), "any": ("succeeded", "failed", "cancelled")}
LEASE = ("token", "lease_until", "started_at")


def check(oracle: Oracle, step: Step) -> None:
    ids = {key: None for table in ("runs", "run_history") for key, _, _ in step.of(table)}
    for run_id in ids:
        _Move(oracle, step, run_id).check()
    for job_id in sorted(oracle.mirror.earlier.keys() | {job_id for job_id, _, _ in step.of("job_gates")}):
        _gate(oracle, job_id)


class _Move:
    """One run in one transaction."""

    def __init__(self, oracle: Oracle, step: Step, run_id: str) -> None:
        self.oracle, self.step, self.id = oracle, step, run_id
        self.before = step.before.get(("runs", run_id))
        self.after = step.after.get(("runs", run_id))
        self.was_ended = step.before.get(("run_history", run_id))
        self.ended = step.after.get(("run_history", run_id))
        row = self.before or self.after or self.ended or self.was_ended
        self.job_id: str = row["job_id"] if row else ""

    def expect(self, fact: object, what: str) -> None:
        if not fact:
            self.oracle.broken(f"{what} (by {self.step.verb})", run=self.id, job=self.job_id)

    def check(self) -> None:
        before, after, ended = self.before, self.after, self.ended
        if self.was_ended is not None:
            self.expect(ended == self.was_ended or self._pruned(), "an ended run was changed")
            self.expect(after is None, "an ended run is live again")
            return
        self.expect(after is None or ended is None, "a run is live and ended at once")
        self.expect(before is None or after or ended, "a run vanished")
        if before is None and (row := after or ended):
            self._new(row)
        if after is not None:
            self._fits(after)
        if before is not None and after is not None:
            self._moved(before, after)
        if ended is not None:
            self._end(before, ended)

    def _pruned(self) -> bool:
        age = (self.step.now - self.was_ended["finished_at"]).total_seconds() if self.was_ended else 0
        return self.ended is None and age > self.oracle.world.settings.scheduler.retention.runs

    def _new(self, row: Row) -> None:
        oracle = self.oracle
        self.expect(self.id not in oracle.known, "a run came twice")
        oracle.known.add(self.id)
        self.expect(row["attempt"] == 0, "a run was tried before it was there")
        if row["parent_run_id"] is not None:
            key = row["job_id"], row["parent_run_id"]
            self.expect(key not in oracle.children, "the end of a run started the same job twice")
            oracle.children[key] = self.id
        if row["operation_id"] is not None:
            place = row["operation_id"], row["scheduled_for"]
            self.expect(place not in oracle.filled, "a backfill made the same occurrence twice")
            oracle.filled[place] = self.id

    def _fits(self, row: Row) -> None:
        """The row in itself."""
        limit = self.oracle.spec(row["job_id"], row["version"])["retry"]["max_attempts"]
        made = row["attempt"] - row["uncounted"]
        self.expect(0 <= row["uncounted"] <= row["attempt"], "more attempts are not counted than were made")
        self.expect(made <= limit, f"attempt {made} of at most {limit}")
        leased = [row[column] is not None for column in LEASE]
        if row["status"] == "running":
            self.expect(all(leased), "a running run without a lease")
            self.expect(not row["held"], "a held run is running")
            self.expect(row["attempt"], "a run is running, and no attempt was counted")
            self.expect(row["parked"] or row["worker_id"], "a running run without a worker")
        else:
            self.expect(not any(leased) and row["worker_id"] is None, "a queued run with a lease")
            self.expect(made < limit, f"queued again after {made} attempts of at most {limit}")

    def _moved(self, before: Row, after: Row) -> None:
        move = before["status"], after["status"]
        if move == ("queued", "queued"):
            same = before["attempt"] == after["attempt"] and before["uncounted"] == after["uncounted"]
            self.expect(same, "a queued run was counted")
            if before["held"] and not after["held"]:
                self._has_its_turn(before)
            elif after["held"] and not before["held"]:
                self._makes_way(after)
        elif move == ("queued", "running"):
            self._claimed(before, after)
        elif move == ("running", "running"):
            self._kept(before, after)
        else:
            self._given_back(before, after)

    def _has_its_turn(self, before: Row) -> None:
        """By the database's clock, not by ids, which are made by clocks that are wrong; but those that are caught up
        wait for each other."""
        for row in self.oracle.mirror.live[self.job_id].values():
            if row["held"] and row["wake_at"] is None and not row["in_order"]:
                earlier = (row["created_at"], row["id"]) < (before["created_at"], self.id)
                self.expect(not earlier, f"let go before {row['id']}, which waited longer")

    def _makes_way(self, after: Row) -> None:
        """Only a limit that was lowered takes a place away again. A run that was asked for later has none yet: when its
        job gets a limit, it waits behind that until its time has come."""
        if after["wake_at"] is not None:
            self.expect(self.step.now < after["wake_at"] == after["due_at"], "a run that is due was put off")
            return
        gate = self.oracle.mirror.tables["job_gates"].get(self.job_id)
        under_way = [row for row in self.oracle.mirror.live[self.job_id].values() if _counts(row)]
        self.expect(gate and len(under_way) >= gate["max_instances"], "a run was held though there is a place")

    def _claimed(self, before: Row, after: Row) -> None:
        process, now = self.step.process, self.step.now
        self.expect(after["attempt"] == before["attempt"] + 1, "a claim did not count")
        self.expect(not before["held"], "a held run was claimed")
        self.expect(before["due_at"] <= now, "claimed before it was due")
        self.expect(after["worker_id"] == process.id, "claimed for somebody else")
        lease = self.oracle.world.settings.lease
        self.expect((after["lease_until"] - now).total_seconds() <= lease + 0.001, "a lease that is too long")
        token = (self.id, after["token"])
        self.expect(token not in self.oracle.tokens, "a token was given twice")
        self.oracle.tokens.add(token)

    def _kept(self, before: Row, after: Row) -> None:
        same = all(before[column] == after[column] for column in ("token", "attempt", "uncounted"))
        self.expect(same, "an attempt changed while it ran")
        if after["parked"] and not before["parked"]:
            self.expect(after["started_at"] <= self.step.now, "it is to start later, but its call was answered")
            self._by_its_worker(before)
            return
        self.expect(before["started_at"] == after["started_at"], "an attempt started again while it ran")
        if before["lease_until"] != after["lease_until"]:
            self.expect(after["lease_until"] > before["lease_until"], "a lease was shortened")
            self.expect(self.step.process.id == before["worker_id"], "a lease was renewed by another process")
            worker = self.oracle.mirror.tables["workers"].get(before["worker_id"])
            self.expect(worker and not worker["offline"], "a lease was renewed by a worker that counts as gone")

    def _given_back(self, before: Row, after: Row) -> None:
        if self.step.verb == "release":
            self._released(before, after)
            return
        tried = self.step.after.get(("attempts", f"{self.id}/{before['attempt']}"))
        self.expect(tried, "queued again without a word about the attempt")
        interrupted = tried is not None and tried["outcome"] == "interrupted"
        self.expect(after["uncounted"] == before["uncounted"] + interrupted, "counted, or not, though it should not")
        self.expect(after["attempt"] == before["attempt"], "an attempt was counted when it failed")
        self.expect(before["cancel_requested_at"] is None, "queued again though it was to be cancelled")
        self._by_its_rights(before)

    def _released(self, before: Row, after: Row) -> None:
        """As if it had not been claimed."""
        self.expect(before["worker_id"] == self.step.process.id, "released by another process")
        self.expect((self.id, before["token"]) not in self.oracle.world.works.tokens, "released though it had begun")
        self.expect(after["attempt"] == before["attempt"] - 1, "a claim was undone, but not its attempt")
        same = all(before[column] == after[column] for column in ("uncounted", "due_at", "priority", "created_at"))
        self.expect(same, "a run that was released lost its place")
        self.expect(before["cancel_requested_at"] is None, "queued again though it was to be cancelled")
        self.oracle.released.add((self.id, before["token"]))

    def _by_its_rights(self, before: Row) -> None:
        if self.step.verb == "recover":
            self._lost(before)
        elif self.step.verb in ("finish", "release"):
            self._by_its_worker(before)

    def _by_its_worker(self, before: Row) -> None:
        """Only the attempt that holds the run may write about it, and when it is over."""
        self.expect(before["worker_id"] == self.step.process.id, "a late worker wrote about another's attempt")
        at_work = self.oracle.world.works.at_work(self.id, before["token"])
        self.expect(not at_work, "an attempt was reported that is still at work")

    def _answered(self, before: Row, ended: Row) -> None:
        """A parked run ends by its callback, by the sweep when that did not come in time, or because someone cancels
        it; that may be the end of another run, whose followers take its place."""
        if self.step.verb == "recover" and ended["status"] != "cancelled":
            self._lost(before)
        elif self.step.verb != "answer":
            self.expect(ended["status"] == "cancelled", "a parked run was ended by another process")

    def _lost(self, before: Row) -> None:
        over = before["lease_until"] < self.step.now
        dead = before["worker_id"] is not None and self.oracle.world.is_dead(before["worker_id"])
        self.expect(over or dead, "taken from a worker whose lease was good")

    def _end(self, before: Row | None, ended: Row) -> None:
        status = ended["status"]
        self.oracle.ended[status] += ended["occurrences"]
        if status == RunStatus.SKIPPED:
            self.expect(before is None, "a run that was queued is skipped")
            return
        if before is not None:
            self.expect(ended["attempt"] == before["attempt"], "an attempt was counted when it ended")
            if before["parked"]:
                self._answered(before, ended)
            elif before["status"] == "running":
                self._by_its_rights(before)
            asked = before["cancel_requested_at"] is not None
            self.expect(not asked or status in ("succeeded", "cancelled"), f"to be cancelled, but it is {status}")
        self._bounded(ended)
        dead = self.oracle.mirror.tables["dead_letters"].get(self.id)
        self.expect((dead is not None) == (status == "failed"), f"{status}, and dead letter: {dead is not None}")
        self._followed(ended)

    def _bounded(self, ended: Row) -> None:
        limit = self.oracle.spec(ended["job_id"], ended["version"])["retry"]["max_attempts"]
        made = ended["attempt"] - ended["uncounted"]
        self.expect(made <= limit, f"{made} attempts of at most {limit}")
        if ended["status"] == "failed":
            self.expect(ended["reason"] in ("attempts", "permanent", "expired"), f"failed for {ended['reason']}")
            self.expect(ended["reason"] != "attempts" or made == limit, f"gave up after {made} of {limit} attempts")

    def _followed(self, ended: Row) -> None:
        """Jobs that waited for this end have a row for it, from this very transaction."""
        for job_id, link in self.oracle.mirror.tables["job_dependencies"].items():
            known = ("job_dependencies", job_id) not in self.step.after and ("jobs", job_id) not in self.step.after
            if link["upstream_id"] != ended["job_id"] or not known:
                continue
            schedule = self.oracle.spec(job_id, self.oracle.mirror.tables["jobs"][job_id]["version"])["schedule"]
            if schedule.get("start_at") or schedule.get("end_at"):
                continue
            child = self.oracle.children.get((job_id, self.id))
            wanted = ended["status"] in ENDS[link["run_on"]]
            there = child is not None or any(
                row["job_id"] == job_id and row["parent_run_id"] == self.id
                for table in ("runs", "run_history")
                for row in self.step.new(table)
            )
            self.expect(
                there == wanted, f"ended {ended['status']}; a job that waits for {link['run_on']} started: {there}"
            )


def _counts(row: Row) -> bool:
    """Whether it takes one of its job's places."""
    return not row["held"] and row["trigger"] != "backfill"


def _gate(oracle: Oracle, job_id: str) -> None:
    gate = oracle.mirror.tables["job_gates"].get(job_id)
    live = [row for row in oracle.mirror.live[job_id].values() if row["trigger"] != "backfill"]
    waiting = [row for row in live if row["held"] and row["wake_at"] is None]
    if gate is None:
        if held := [row for row in live if row["held"]]:
            oracle.broken("a run waits for a gate that is not there", run=held[0]["id"], job=job_id)
        return
    under_way = [row for row in live if _counts(row)]
    earlier = oracle.mirror.earlier.get(job_id, oracle.mirror.live[job_id]).values()
    limit = gate["max_instances"]
    # What runs already when the limit is lowered runs on; nothing else may start until it is kept again.
    startable = any(row["status"] == "queued" for row in under_way)
    if len(under_way) > limit and (startable or len(under_way) > sum(map(_counts, earlier))):
        oracle.broken(f"{len(under_way)} runs of a job that may have {limit}", job=job_id)
    if waiting and len(under_way) < limit and not _in_turn(live, waiting):
        oracle.broken(
            f"a run waits though only {len(under_way)} of {limit} places are taken", run=waiting[0]["id"], job=job_id
        )


def _in_turn(live: list[Row], waiting: list[Row]) -> bool:
    """Whether all waiting runs are caught up, and so wait for the one before them, regardless of the limit."""
    return any(row["in_order"] and not row["held"] for row in live) and all(row["in_order"] for row in waiting)
