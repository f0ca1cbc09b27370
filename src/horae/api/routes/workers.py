"""Workers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from horae.api.auth import Caller, Principal, allow, allow_admin
from horae.api.context import Ctx
from horae.api.routes import PREFIX
from horae.api.schemas import Listing
from horae.api.schemas.processes import BusyWorkerView, WorkerView
from horae.api.sight import sight_of
from horae.api.views import listing, reply, worker_json
from horae.domain.cluster.process import WorkerRecord
from horae.domain.errors import NotFound
from horae.domain.text.ids import is_id
from horae.lifecycle.drain import drain
from horae.ports import Transaction

MOST_RUNS = 1_000
router = APIRouter(prefix=PREFIX, tags=["workers"])


@router.get("/workers", response_model=Listing[BusyWorkerView])
async def list_workers(context: Ctx, principal: Annotated[Principal, Depends(allow("workers:read"))]) -> Response:
    """All workers: idle, busy, draining, stopped or offline; and the runs of this project on each, up to 1,000 in
    total."""
    found, runs = await context.store.read(_workers, context.settings.offline_after, principal.project_id)
    sight = await sight_of(context, principal)
    return reply(listing({**worker_json(worker, sight), "current_runs": runs[worker.id]} for worker in found))


@router.post("/workers/{id}/drain", status_code=202, response_model=WorkerView)
async def drain_worker(
    context: Ctx,
    caller: Annotated[Caller, Depends(allow_admin("workers:drain"))],
    id: Annotated[str, Path(description="a worker's id")],
) -> Response:
    """Drains a worker: it finishes its current runs and takes no new ones until it is restarted. It learns of this with
    its next heartbeat."""
    if not is_id(id):
        raise NotFound("there is no such worker")
    worker = await context.store.transact(
        drain, worker_id=id, actor=caller.actor, offline_after=context.settings.offline_after
    )
    return reply(worker_json(worker), 202)


async def _workers(
    tx: Transaction, offline_after: float, project_id: str
) -> tuple[list[WorkerRecord], dict[str, list[str]]]:
    found = await tx.processes.workers(offline_after)
    runs: dict[str, list[str]] = {worker.id: [] for worker in found}
    for worker_id, run_id in await tx.processes.current_runs(project_id, list(runs), MOST_RUNS):
        runs[worker_id].append(run_id)
    return found, runs
