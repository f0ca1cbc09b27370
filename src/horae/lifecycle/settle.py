"""Settlement of attempts that did not succeed: an end, or another attempt. Shared by finish and recover."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace

from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.unreadable import UnreadableSpec
from horae.domain.runs.claim import Leased
from horae.domain.runs.ending import Ending, Requeue, Tried
from horae.domain.runs.events import AttemptOver, AttemptsOver, Retried, RunsRetried
from horae.domain.runs.excerpt import excerpt
from horae.domain.runs.outcome import Again, End, Outcome, Verdict, judge
from horae.domain.runs.states import RunStatus, Trigger
from horae.domain.runs.tally import Tally, detail
from horae.ports import Transaction

Specs = Mapping[tuple[str, int], JobSpec]


class Settlement:
    """Collects verdicts on runs whose rows are locked, then writes the requeues."""

    def __init__(self, specs: Specs, chance: Callable[[], float]) -> None:
        self._specs, self._chance = specs, chance
        self.endings: list[Ending] = []
        self.requeues: list[Requeue] = []
        self.statuses: dict[str, RunStatus] = {}
        self.requeued: set[str] = set()  # of which jobs
        self._tried: list[Tried] = []
        self._over: list[AttemptOver] = []
        self._retried: list[Retried] = []
        self._retries: dict[tuple[str, str, str], int] = defaultdict(int)

    def add(self, row: Leased, outcome: Outcome, duration_ms: int) -> None:
        self.put(row, outcome, duration_ms, self._judge(row, outcome))

    def put(self, row: Leased, outcome: Outcome, duration_ms: int, verdict: Verdict) -> None:
        """A verdict of another transaction."""
        self._over.append(AttemptOver(row, outcome, duration_ms))
        if isinstance(verdict, End):
            how = (verdict.status, verdict.reason, outcome, duration_ms, row.started_at)
            self.endings.append(Ending(row.id, row.token, *how))
            self.statuses[row.id] = verdict.status
            return
        self.requeues.append(Requeue(row.id, row.queue, row.priority, row.token, verdict.pause, verdict.counted))
        self._retried.append(Retried(row, outcome.kind, verdict.pause))
        kept = replace(outcome, result=excerpt(outcome.result))
        self._tried.append(Tried(row.id, row.attempt, row.worker_id, row.started_at, kept, duration_ms))
        if row.trigger != Trigger.BACKFILL:  # which has its own places
            self.requeued.add(row.job_id)
        if verdict.counted:
            self._retries[row.job_id, row.project_id, row.queue] += 1

    def _judge(self, row: Leased, outcome: Outcome) -> Verdict:
        spec = self._specs.get((row.job_id, row.version))
        if spec is None:
            return End(RunStatus.FAILED, "definition")
        if isinstance(spec, UnreadableSpec) and "retry" in spec.missing and row.cancel_requested_at is None:
            return Again(0, counted=False)  # only processes that can read it decide how often it may be tried
        return judge(
            outcome,
            attempt=row.attempt,
            uncounted=row.uncounted,
            retry=spec.retry,
            cancel_requested=row.cancel_requested_at is not None,
            chance=self._chance(),
        )

    async def write(self, tx: Transaction) -> None:
        """Everything except the endings, which the caller moves together with its own, and the gates of `requeued`
        jobs, which `after_ends` locks together with the others."""
        await tx.runs.requeue(self.requeues)
        await tx.runs.tried(self._tried)
        tx.tell(AttemptsOver(self._over))
        tx.tell(RunsRetried(self._retried))
        await tx.stats.add(
            [
                Tally(job_id, project_id, RunStatus.QUEUED, 0, retries=retries, detail=detail(queue))
                for (job_id, project_id, queue), retries in self._retries.items()
            ]
        )
