"""Statistics of a job's runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from horae.api.auth import Principal, allow
from horae.api.context import Ctx
from horae.api.params import Ref, find_job
from horae.api.routes import PREFIX
from horae.api.schedule_views import stats_json
from horae.api.schemas.schedules import JobStatsView
from horae.api.views import reply
from horae.domain.runs.statistics import JobStats
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["jobs"])


@router.get("/jobs/{id}/stats", response_model=JobStatsView)
async def show_stats(context: Ctx, principal: Annotated[Principal, Depends(allow("runs:read"))], ref: Ref) -> Response:
    """How the job's runs ended, all-time and recently, and why occurrences were skipped."""
    job_id, stats = await context.store.read(_stats, principal.project_id, ref)
    return reply(stats_json(job_id, stats))


async def _stats(tx: Transaction, project_id: str, ref: str) -> tuple[str, JobStats]:
    job = await find_job(tx, project_id, ref)
    return job.id, await tx.stats.of_job(job.id)
