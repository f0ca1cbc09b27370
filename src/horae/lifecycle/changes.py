"""Changes: polls the state, and reports the differences. It only reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from horae.domain.cluster.process import WorkerRecord
from horae.domain.people.audit import AuditFilter, AuditRecord
from horae.domain.runs.changes import Seen, changed_runs, changed_workers, gone
from horae.domain.runs.run_record import RunRecord
from horae.ports import Transaction

LOOKED_AT = 1_000  # of a project's newest runs, live and ended
MOST = 200  # changes of each kind per poll; if there are more, clients reload the lists
OVERLAP = timedelta(seconds=10)  # seconds to look back, for late commits and other clocks
NOTHING = Seen({}, {})


@dataclass(frozen=True, slots=True)
class Look:
    """`jobs` are entries of the audit trail, oldest first. `too_many`: not all changes are here."""

    at: datetime
    runs: Sequence[RunRecord]
    jobs: Sequence[AuditRecord]
    workers: Sequence[WorkerRecord]
    too_many: bool
    seen: Seen


async def look(tx: Transaction, *, project_id: str, seen: Seen, since: datetime | None, offline_after: float) -> Look:
    """What changed since an instant and differs from what was `seen`."""
    now = await tx.now()
    from_ = (since or now) - OVERLAP
    live = await tx.runs.glance(project_id, LOOKED_AT)
    ended = await tx.history.ended(project_id, from_, LOOKED_AT)
    old = [run for run in await tx.runs.some(project_id, list(gone(seen, live, ended))[:MOST]) if run.finished_at]
    changed = changed_runs(seen, live, ended, from_)
    runs = await tx.runs.some(project_id, sorted(changed, reverse=True)[:MOST])
    jobs = await tx.audit.page([project_id], AuditFilter(kind="job", since=from_), limit=MOST, after=None)
    workers = await tx.processes.workers(offline_after)
    return Look(
        at=now,
        runs=sorted([*old, *runs], key=lambda run: str(run.id)),
        jobs=jobs.items[::-1],
        workers=changed_workers(seen, workers),
        too_many=len(changed) > MOST or jobs.next is not None,
        seen=Seen(
            {one.id: one.state for one in (*ended, *live)},  # one on its way between the two has yet to be seen ended
            {worker.id: worker.status for worker in workers},
        ),
    )
