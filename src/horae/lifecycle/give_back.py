"""Give back: a worker returns runs whose definition it cannot read, without counting an attempt. Another worker may be
able to; if none that could take the run can read it, and that has been so for a while, the run ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from horae.domain.cluster.process import WorkerRecord
from horae.domain.jobs.fault import LeftOut, UnreadableNote
from horae.domain.runs.claim import Claimed, Leased
from horae.domain.runs.ending import Ended
from horae.domain.runs.outcome import Again, End, Outcome, Verdict
from horae.domain.runs.states import AttemptOutcome, RunStatus, WorkerStatus
from horae.lifecycle.ended import after_ends
from horae.lifecycle.settle import Settlement
from horae.ports import Transaction

PATIENCE = 300.0  # seconds: during an upgrade, the workers that can read it may be about to start
NOTED_WITHIN = 600.0  # seconds: older notes belong to processes that are gone, or to unused jobs
_PAUSES = (1.0, 2.0, 5.0, 15.0, 30.0, 60.0)  # seconds before it can be claimed again, the last one from then on

Pair = tuple[str, int]


@dataclass(frozen=True, slots=True)
class GivenBack:
    queued: int
    ended: int


async def give_back(
    tx: Transaction,
    *,
    worker_id: str,
    runs: Sequence[Claimed],
    reasons: Mapping[Pair, str],
    offline_after: float,
    patience: float = PATIENCE,
) -> GivenBack:
    """Repeated, it has no effect: the tokens are gone."""
    rows = await tx.runs.leased([(run.id, run.token) for run in runs])
    if not rows:
        return GivenBack(0, 0)
    await tx.unreadable.note(worker_id, [LeftOut(*pair, reason) for pair, reason in reasons.items()])
    notes: dict[Pair, list[UnreadableNote]] = defaultdict(list)
    for note in await tx.unreadable.of(reasons.keys()):
        notes[note.job_id, note.version].append(note)
    workers = await tx.processes.workers(offline_after)
    now = await tx.now()
    rows = [row.as_of(now) for row in rows]
    settlement = Settlement({}, lambda: 0.0)
    outcomes: dict[str, Outcome] = {}
    for row in rows:
        pair = (row.job_id, row.version)
        outcomes[row.id] = outcome = Outcome(
            AttemptOutcome.INTERRUPTED, error=f"the worker cannot read the definition: {reasons[pair]}"
        )
        hopeless = nobody_reads(row, notes[pair], workers, now - timedelta(seconds=patience))
        settlement.put(row, outcome, row.age_ms(now), _verdict(row, hopeless=hopeless))
    ended = await tx.runs.end(settlement.endings)
    await settlement.write(tx)
    ends = [row for row in rows if row.id in ended]
    await after_ends(
        tx,
        [Ended.of(row, settlement.statuses[row.id], outcomes[row.id], row.age_ms(now), row.place) for row in ends],
        settlement.requeued,
    )
    return GivenBack(len(settlement.requeues), len(ended))


def _verdict(row: Leased, *, hopeless: bool) -> Verdict:
    if row.cancel_requested_at is not None:
        return End(RunStatus.CANCELLED)
    if hopeless:
        return End(RunStatus.FAILED, "definition")
    return Again(_PAUSES[min(row.uncounted, len(_PAUSES) - 1)], counted=False)


def nobody_reads(
    row: Leased, notes: Collection[UnreadableNote], workers: Collection[WorkerRecord], before: datetime
) -> bool:
    """Whether it was first found unreadable before then, and every live worker that could run it has tried."""
    if all(note.found_at > before for note in notes):
        return False
    tried = {note.process_id for note in notes}
    return all(worker.id in tried for worker in workers if _could_take(worker, row))


def _could_take(worker: WorkerRecord, row: Leased) -> bool:
    here = worker.there and worker.status != WorkerStatus.DRAINING
    return here and row.needs in worker.offers and worker.serves(row.queue)
