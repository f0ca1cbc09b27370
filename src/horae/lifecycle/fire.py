"""Fire: jobs whose time has come get their runs, and their schedules go on, all in one transaction.

An occurrence is created exactly once because three things hold together: the job's row is locked while it is decided,
`fired_through` only ever rises, and `(job_id, occurrence)` is unique among live runs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from horae.domain.firing import DueJob, decide
from horae.domain.overlap import admit
from horae.domain.records import Advance, Tally
from horae.domain.run import NewRun, Skipped
from horae.domain.states import RunStatus, Trigger
from horae.lifecycle.cancel import cancel_running_of
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class Fired:
    """What a tick did; `idle_for` is how long (in seconds) nothing of these shards will be due."""

    jobs: int
    runs: int
    skipped: int
    idle_for: float | None


async def fire(
    tx: Transaction,
    *,
    shards: Collection[int],
    limit: int,
    scheduler_id: str,
    new_id: Callable[[], str],
) -> Fired:
    due = await tx.jobs.due(shards, limit)
    now = await tx.now()
    batch = _Batch(scheduler_id, new_id)
    if due:
        gates = await tx.gates.lock([job.id for job in due if job.plan.max_instances is not None])
        for job in due:
            batch.add(job, now, gates.get(job.id))
        await batch.write(tx)
    idle = 0.0 if len(due) >= limit else await idle_for(tx, shards=shards)
    return Fired(len(due), len(batch.runs), len(batch.skipped), idle)


async def idle_for(tx: Transaction, *, shards: Collection[int]) -> float | None:
    """How long (in seconds) nothing of these shards will be due; None if nothing is known to be."""
    next_due = await tx.jobs.next_due(shards)
    return None if next_due is None else max((next_due - await tx.now()).total_seconds(), 0)


class _Batch:
    """The rows that a tick writes."""

    def __init__(self, scheduler_id: str, new_id: Callable[[], str]) -> None:
        self._scheduler_id, self._new_id = scheduler_id, new_id
        self.runs: list[NewRun] = []
        self.skipped: list[Skipped] = []
        self._advances: list[Advance] = []
        self._cancelling: dict[str, int] = {}  # how many older runs of a job make room

    def add(self, job: DueJob, now: datetime, gate: tuple[int, int, int] | None) -> None:
        firing = decide(job, now)
        _, under_way, waiting = gate or (0, 0, 0)
        admission = admit(firing, job.plan, under_way, waiting)
        for entry in admission.admitted:
            self.runs.append(self._run(job, entry.occurrence.at, entry.occurrence.due_at, entry.held))
        for gap in (*firing.skipped, *admission.skipped):
            self.skipped.append(
                Skipped(
                    self._new_id(),
                    job.id,
                    job.version,
                    job.project_id,
                    job.plan.queue,
                    job.plan.priority,
                    gap.reason,
                    gap.count,
                    gap.first,
                    gap.last,
                    self._scheduler_id,
                )
            )
        if admission.cancel_running:
            held = [entry for entry in admission.admitted if entry.held]
            # Caught-up runs come one after the other: they need one place between them.
            self._cancelling[job.id] = 1 if held[0].occurrence.in_order else len(held)
        self._advances.append(Advance(job.id, admission.next_run_at, firing.fired_through, len(admission.admitted)))

    def _run(self, job: DueJob, at: datetime, due_at: datetime, held: bool) -> NewRun:
        plan = job.plan
        start_by = None if plan.start_within is None else due_at + timedelta(seconds=plan.start_within)
        return NewRun(
            id=self._new_id(),
            job_id=job.id,
            version=job.version,
            project_id=job.project_id,
            trigger=Trigger.SCHEDULE,
            queue=plan.queue,
            priority=plan.priority,
            needs=plan.needs,
            due_at=due_at,
            start_by=start_by,
            occurrence=at,
            scheduled_for=at,
            held=held,
            scheduler_id=self._scheduler_id,
        )

    async def write(self, tx: Transaction) -> None:
        await tx.runs.insert(self.runs)
        await tx.runs.skip(self.skipped)
        await tx.jobs.advance(self._advances)
        await tx.stats.add([Tally(s.job_id, s.project_id, RunStatus.SKIPPED, s.occurrences) for s in self.skipped])
        await cancel_running_of(tx, self._cancelling, {run.id for run in self.runs})
        for queue in {run.queue for run in self.runs if not run.held}:
            tx.hint(f"runs:{queue}")
