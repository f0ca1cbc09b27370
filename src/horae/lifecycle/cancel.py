"""Cancel: a queued run ends at once; a running one is asked to stop, and its worker ends it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from horae.domain.errors import Conflict, NotFound
from horae.domain.records import Operation
from horae.domain.run import Ended, Ending, RunRecord
from horae.domain.states import RunStatus
from horae.lifecycle.ended import after_ends
from horae.ports import Transaction


async def cancel_runs(tx: Transaction, *, project_id: str, run_ids: Collection[str], actor: str) -> list[RunRecord]:
    """Cancels live runs; one that has ended already is left as it is."""
    live = await tx.runs.live(project_id, run_ids, lock=True)
    await _cancel(tx, live)
    records = [await tx.runs.find(project_id, run_id) for run_id in run_ids]
    missing = [run_id for run_id, record in zip(run_ids, records, strict=True) if record is None]
    if missing:
        raise NotFound(f"there is no run {missing[0]!r}")
    return [record for record in records if record is not None]


async def cancel_all_of(tx: Transaction, job_id: str, project_id: str) -> None:
    """Cancels whatever of a job is live, because the job goes away."""
    live = [run_id for run_id, _ in await tx.runs.live_of([job_id])]
    await _cancel(tx, await tx.runs.live(project_id, live, lock=True))


async def _cancel(tx: Transaction, live: list[RunRecord]) -> None:
    queued = [run for run in live if run["status"] == RunStatus.QUEUED]
    running = [run for run in live if run["status"] == RunStatus.RUNNING]
    ended = await tx.runs.end([Ending(run["id"], None, RunStatus.CANCELLED) for run in queued])
    await tx.runs.request_cancel([run["id"] for run in running])
    await after_ends(
        tx,
        [
            Ended(
                run["id"],
                run["job_id"],
                run["version"],
                run["project_id"],
                RunStatus.CANCELLED,
                trigger=run["trigger"],
            )
            for run in queued
            if run["id"] in ended
        ],
    )
    for worker_id in {run["worker_id"] for run in running}:
        tx.hint(f"cancel:{worker_id}")


async def cancel_running_of(tx: Transaction, counts: Mapping[str, int], new: Collection[str]) -> None:
    """Cancels so many of what is under way of each job, the oldest first, to make room for `new` runs that are held
    behind it."""
    by_project: dict[str, list[str]] = {}
    for run_id, project_id in await tx.runs.live_of(counts):
        if run_id not in new:
            by_project.setdefault(project_id, []).append(run_id)
    for project_id, run_ids in by_project.items():
        live = await tx.runs.live(project_id, run_ids, lock=True)
        under_way = [run for run in live if not run["held"] and run["cancel_requested_at"] is None]
        for job_id, count in counts.items():
            await _cancel(tx, [run for run in under_way if run["job_id"] == job_id][:count])


async def cancel_operation(tx: Transaction, *, project_id: str, operation_id: str, actor: str) -> Operation:
    """Queues nothing more of it, and cancels what is under way."""
    operation = await tx.operations.find(project_id, operation_id, lock=True)
    if operation is None:
        raise NotFound("there is no such operation")
    if operation.state != "running":
        raise Conflict(f"the operation is {operation.state} already")
    await tx.operations.finish(operation_id, "cancelled")
    await cancel_runs(tx, project_id=project_id, run_ids=await tx.operations.live(operation_id), actor=actor)
    return replace(operation, state="cancelled")
