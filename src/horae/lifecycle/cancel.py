"""Cancel: a queued run ends at once; a running one is asked to stop, and its worker ends it."""

from __future__ import annotations

from collections.abc import Collection

from horae.domain.errors import Conflict, NotFound
from horae.domain.runs.operation import Operation
from horae.domain.runs.run_record import RunRecord
from horae.lifecycle.ended import cancel_live
from horae.lifecycle.find import found_operation
from horae.ports import Transaction


async def cancel_runs(tx: Transaction, *, project_id: str, run_ids: Collection[str], actor: str) -> list[RunRecord]:
    """Cancels live runs; ended ones are left as they are."""
    live = await tx.runs.live(project_id, run_ids, lock=True)
    await cancel_live(tx, live, actor)
    for run in live:
        if run.cancel_requested_at is None:
            await tx.audit.add("run.cancel", actor=actor, project_id=project_id, id=run.id, name=run.job_name)
    records = [await tx.runs.find(project_id, run_id) for run_id in run_ids]
    missing = [run_id for run_id, record in zip(run_ids, records, strict=True) if record is None]
    if missing:
        raise NotFound(f"there is no run {missing[0]!r}")
    return [record for record in records if record is not None]


async def cancel_operation(tx: Transaction, *, project_id: str, operation_id: str, actor: str) -> Operation:
    """Stops queueing its runs, and cancels those in progress."""
    operation = await found_operation(tx, project_id, operation_id, lock=True)
    if operation.state == "cancelled" and tx.repeated:
        return operation
    if operation.state != "running":
        raise Conflict(f"the operation is {operation.state} already")
    await tx.operations.finish(operation_id, "cancelled")
    await cancel_live(
        tx, await tx.runs.live(project_id, await tx.operations.unfinished(operation_id), lock=True), actor
    )
    await tx.audit.add("operation.cancel", actor=actor, project_id=project_id, id=operation_id, name=operation.kind)
    return await tx.operations.find(project_id, operation_id) or operation
