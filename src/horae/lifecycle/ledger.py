"""The ledger: turns decisions about a job's occurrences into rows, a run or a skipped one for each, and advances the
job's schedule. Everything is written in one transaction, or nothing is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from horae.accounts.quotas import spend
from horae.domain.jobs.job_record import Advance
from horae.domain.runs.firing import DueJob, SkippedRange, decide, decline
from horae.domain.runs.gate import JobGate
from horae.domain.runs.overlap import Admitted, admit
from horae.domain.runs.run import NewRun, Skipped
from horae.domain.runs.states import RunStatus, SkipReason, Trigger
from horae.domain.runs.tally import Tally, detail
from horae.lifecycle.ended import make_room
from horae.ports import Transaction


class Ledger:
    """Collects the rows of a batch of jobs. `scheduler_id` is None if a user's action advanced the schedule."""

    def __init__(self, scheduler_id: str | None, new_id: Callable[[], str]) -> None:
        self._scheduler_id, self._new_id = scheduler_id, new_id
        self.places: dict[str, int] = {}  # how many more live runs each project with a quota may have
        self.runs: list[NewRun] = []
        self.skipped: list[Skipped] = []
        self._advances: list[Advance] = []
        self._cancelling: dict[str, int] = {}  # how many older runs of a job yield
        self._contested: set[str] = set()  # jobs whose gate decides whether a caught-up run may start

    def fire(self, job: DueJob, now: datetime, gate: JobGate) -> None:
        """Everything due, by the job's own rules; nothing runs while its function is disabled."""
        if job.function_off:
            self.decline(job, now, SkipReason.FUNCTION)
            return
        places = self.places.get(job.project_id)
        admission = admit(decide(job, now), job.plan.overlap, gate, places)
        admitted = len(admission.admitted)
        self.runs += [self._run(job, entry) for entry in admission.admitted]
        if places is not None:
            self.places[job.project_id] -= admitted
        for gap in admission.skipped:
            self.skip(job, gap)
        if admission.cancel_running:
            self._cancelling[job.id] = admission.to_cancel
        if admission.contested:
            self._contested.add(job.id)
        self._advances.append(Advance(job.id, admission.next_run_at, admission.fired_through, admitted))

    def forget(self, job_id: str) -> None:
        """Discards what has been decided about a job."""
        for run in self.runs:
            if run.job_id == job_id and run.project_id in self.places:
                self.places[run.project_id] += 1
        self.runs = [run for run in self.runs if run.job_id != job_id]
        self.skipped = [row for row in self.skipped if row.job_id != job_id]
        self._advances = [advance for advance in self._advances if advance.id != job_id]
        self._cancelling.pop(job_id, None)
        self._contested.discard(job_id)

    def decline(self, job: DueJob, now: datetime, reason: SkipReason = SkipReason.MISSED) -> None:
        """Accounts for everything due, without running it."""
        firing = decline(job, now, reason)
        for gap in firing.skipped:
            self.skip(job, gap)
        self.go_on(job, firing.next_run_at, firing.fired_through)

    def skip(self, job: DueJob, gap: SkippedRange) -> None:
        self.skipped.append(Skipped.of(job, job.plan, gap, id=self._new_id(), scheduler_id=self._scheduler_id))

    def go_on(self, job: DueJob, next_run_at: datetime | None, fired_through: datetime) -> None:
        """Advances a schedule to where it continues."""
        self._advances.append(Advance(job.id, next_run_at, fired_through, 0))

    def _run(self, job: DueJob, entry: Admitted) -> NewRun:
        occurrence = entry.occurrence
        return NewRun.of(
            job,
            job.plan,
            id=self._new_id(),
            trigger=Trigger.SCHEDULE,
            due_at=occurrence.due_at,
            start_by=job.plan.start_by(occurrence.due_at),
            occurrence=occurrence.at,
            scheduled_for=occurrence.at,
            held=entry.held,
            in_order=occurrence.in_order,
            scheduler_id=self._scheduler_id,
        )

    async def write(self, tx: Transaction) -> None:
        await spend(tx, self.runs, self.places, self.skipped)
        await tx.runs.insert(self.runs)
        await tx.history.skip(self.skipped)
        await tx.jobs.advance(self._advances)
        await tx.stats.add(
            [
                Tally(s.job_id, s.project_id, RunStatus.SKIPPED, s.occurrences, reason=s.reason, detail=detail(s.queue))
                for s in self.skipped
            ]
        )
        await make_room(tx, self._cancelling, {run.id for run in self.runs})
        await tx.gates.open(self._contested)
