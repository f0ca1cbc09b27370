"""Runs, live and ended."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Depends, Query, Response

from horae.api.auth import Principal, allow
from horae.api.context import Ctx, RequestContext
from horae.api.errors import refuses
from horae.api.params import Page, Paging, Ref, RunId, find_job, instant_param
from horae.api.routes import PREFIX
from horae.api.schemas import AttemptView, Ending, Listing, RecoveredView, RunDetailView, RunView
from horae.api.views import listing, reply, run_json, shown
from horae.domain import pages
from horae.domain.errors import InvalidInput
from horae.domain.runs.attempts import AttemptRecord, with_last
from horae.domain.runs.run_filter import RunFilter
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import RunStatus, Trigger
from horae.domain.text.ids import is_id
from horae.lifecycle import cancel, recover
from horae.lifecycle.find import found_run
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["runs"])

Reader = Annotated[Principal, Depends(allow("runs:read"))]
SWEEPS = 20  # batches in one request; schedulers do the rest
# Ended runs are found by when they were created. A list that asks when they ended must not read all of history.
LONGEST = timedelta(days=7)
Status = Annotated[RunStatus | None, Query(description="only runs in this state")]
Started = Annotated[Trigger | None, Query(description="only runs with this trigger")]
Outcome = Annotated[Ending | None, Query(description="only runs whose last attempt had this outcome")]
Worker = Annotated[str | None, Query(min_length=1, max_length=200, description="id of the worker that ran them")]
Line = Annotated[str | None, Query(min_length=1, max_length=100, description="only runs of this queue")]
Sort = Annotated[Literal["created_at", "-created_at"], Query(description="oldest or newest first")]


Since = Annotated[str | None, Query(max_length=40, description="only runs created at or after this instant")]
Until = Annotated[str | None, Query(max_length=40, description="only runs created before this instant")]
EndedSince = Annotated[
    str | None,
    Query(
        max_length=40,
        description="only runs that ended at or after this instant, of those created at most a week before it, "
        "unless `since` is given",
    ),
]
EndedUntil = Annotated[str | None, Query(max_length=40, description="only runs that ended before this instant")]


class RunQuery(NamedTuple):
    """The filters of a list, and its order."""

    status: RunStatus | None
    trigger: Trigger | None
    worker: str | None
    queue: str | None
    since: datetime | None
    until: datetime | None
    outcome: Ending | None
    ended_since: datetime | None
    ended_until: datetime | None
    sort: str


async def asked(
    status: Status = None,
    trigger: Started = None,
    worker: Worker = None,
    queue: Line = None,
    since: Since = None,
    until: Until = None,
    outcome: Outcome = None,
    ended_since: EndedSince = None,
    ended_until: EndedUntil = None,
    sort: Sort = "-created_at",
) -> RunQuery:
    first, last = _range("since", since, "until", until)
    over, before = _range("ended_since", ended_since, "ended_until", ended_until)
    if over is not None and first is None:
        first = over - LONGEST
    if worker is not None and not is_id(worker):
        raise InvalidInput("worker", "must be the id of a worker")
    return RunQuery(status, trigger, worker, queue, first, last, outcome, over, before, sort)


def _range(since: str, begin: str | None, until: str, end: str | None) -> tuple[datetime | None, datetime | None]:
    first, last = instant_param(since, begin), instant_param(until, end)
    if first is not None and last is not None and last < first:
        raise InvalidInput(until, f"must not be before {since}")
    return first, last


Filtered = Annotated[RunQuery, Depends(asked)]


@router.get("/runs", response_model=Listing[RunView], responses=refuses(404))
async def list_runs(
    context: Ctx,
    principal: Reader,
    page: Page,
    where: Filtered,
    job: Annotated[str | None, Query(min_length=1, max_length=200, description="its name or id")] = None,
) -> Response:
    """Runs of all jobs, newest first unless `sort` says otherwise."""
    return await _list(context, principal, page, job, where)


@router.get("/jobs/{id}/runs", response_model=Listing[RunView])
@router.get("/jobs/{id}/executions", response_model=Listing[RunView])
async def list_runs_of_job(
    context: Ctx,
    principal: Reader,
    page: Page,
    ref: Ref,
    where: Filtered,
) -> Response:
    """Runs of one job, newest first unless `sort` says otherwise."""
    return await _list(context, principal, page, ref, where)


async def _list(
    context: RequestContext,
    principal: Principal,
    page: Paging,
    job: str | None,
    rest: RunQuery,
) -> Response:
    scope = "\0".join(["runs", job or "", *(str(value or "") for value in rest)])
    found = await context.store.read(
        _page, principal.project_id, job, rest, page.limit, page.after(context, principal, scope)
    )
    next_cursor = page.next(context, principal, scope, found.next)
    return reply(listing((run_json(run) for run in found.items), next_cursor))


async def _page(
    tx: Transaction,
    project_id: str,
    job: str | None,
    rest: RunQuery,
    limit: int,
    after: str | None,
) -> pages.Page[RunRecord]:
    job_id = job
    if job is not None and not is_id(job):
        job_id = (await find_job(tx, project_id, job)).id
    where = RunFilter(job_id, *rest[:-1])
    found = await tx.runs.page(project_id, where, limit=limit, after=after, oldest_first=rest.sort == "created_at")
    if job_id is not None and not found.items:
        await _known(tx, project_id, job_id)
    return found


async def _known(tx: Transaction, project_id: str, job_id: str) -> None:
    """A deleted job keeps its history, which is found only by the job's id; a deleted job without history is not
    found."""
    history = await tx.runs.page(project_id, RunFilter(job_id=job_id), limit=1, after=None)
    if not history.items:
        await find_job(tx, project_id, job_id)


@router.get("/runs/{id}", response_model=RunDetailView)
async def show_run(context: Ctx, principal: Reader, run_id: RunId) -> Response:
    """One run, with its input, result and error."""
    return reply(await context.store.read(_detail, principal.project_id, run_id, context.settings.trace_url))


@router.get("/runs/{id}/attempts", response_model=Listing[AttemptView])
async def list_attempts(context: Ctx, principal: Reader, run_id: RunId) -> Response:
    """The run's attempts, first to last, including the current one."""
    found = await context.store.read(_attempts, principal.project_id, run_id)
    return reply(listing(shown(AttemptView, attempt) for attempt in found))


@router.post("/runs:recover", response_model=RecoveredView)
async def recover_runs(context: Ctx, _: Annotated[Principal, Depends(allow("runs:recover"))]) -> Response:
    """Recovers runs whose lease has expired, now instead of at a scheduler's next sweep."""
    total = 0
    for _batch in range(SWEEPS):
        done = await context.store.transact(recover.recover, chance=context.ids.chance)
        total += done
        if not done:
            break
    return reply({"recovered": total})


@router.post("/runs/{id}/cancel", status_code=202, response_model=RunView)
async def cancel_run(
    context: Ctx, principal: Annotated[Principal, Depends(allow("runs:cancel"))], run_id: RunId
) -> Response:
    """Cancels a queued run immediately; asks a running one to stop."""
    (run,) = await context.store.transact(
        cancel.cancel_runs, project_id=principal.project_id, run_ids=[run_id], actor=principal.actor
    )
    return reply(run_json(run), 202)


async def _detail(tx: Transaction, project_id: str, run_id: str, traces: str | None) -> dict[str, Any]:
    run = await found_run(tx, project_id, run_id)
    dead_since = await tx.facts.dead_since(run_id) if run.status == RunStatus.FAILED else None
    heard = await tx.facts.heard_from(run.worker_id) if run.status == RunStatus.RUNNING else None
    lease = {"lease_until": run.lease_until, "worker_heartbeat_at": heard}
    more = {
        **lease,
        "trace_url": None if traces is None else traces.replace("{trace_id}", run.trace_id),
        "traceback": run.traceback,
        "cancel_requested_at": run.cancel_requested_at,
        "dead_since": dead_since,
    }
    return {**run_json(run), **more}


async def _attempts(tx: Transaction, project_id: str, run_id: str) -> list[AttemptRecord]:
    run = await found_run(tx, project_id, run_id)
    return with_last(run, await tx.runs.attempts(run_id))
