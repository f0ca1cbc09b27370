"""The calendar: upcoming occurrences of all jobs, and how busy each hour will be."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field

from horae.api.auth import Principal, allow
from horae.api.context import Ctx
from horae.api.params import instant_param
from horae.api.routes import PREFIX
from horae.api.views import reply
from horae.domain.errors import InvalidInput
from horae.domain.jobs.job_filter import JobFilter
from horae.domain.jobs.job_record import JobRecord
from horae.domain.time.agenda import agenda
from horae.domain.time.forecast import forecast
from horae.ports import Transaction

router = APIRouter(prefix=PREFIX, tags=["schedules"])

LISTED = 1_000  # occurrences at most
BUDGET = 10_000_000  # counting steps: about a second. Five thousand jobs every few minutes over a week take less
JOBS = 5_000  # at most, those with the earliest next run first
_STEPS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
# By the minute a week, and an hour more: in some the clock is put back.
_LONGEST = {"none": timedelta(days=366), "minute": timedelta(days=8), "hour": timedelta(days=366)}


class CalendarEntryView(BaseModel):
    """An occurrence with its job, or with `by`, a time span and the number of occurrences in it."""

    at: datetime
    job_id: str | None = None
    job_name: str | None = None
    count: int | None = None


class CalendarView(BaseModel):
    """The list is complete up to `complete_until`; with `by`, nothing after it is counted. If more than 5,000 jobs
    match, only those with the earliest next runs are read: the list stops where others could begin, and is
    `truncated`."""

    start: datetime
    end: datetime
    complete_until: datetime
    truncated: bool = Field(description="whether more than 5,000 jobs match; use a filter to narrow them down")
    items: list[CalendarEntryView]


async def range_of(
    start: Annotated[str | None, Query(max_length=40, description="an instant; now by default")] = None,
    end: Annotated[str | None, Query(max_length=40, description="an instant; a day later by default")] = None,
) -> tuple[datetime | None, datetime | None]:
    return instant_param("start", start), instant_param("end", end)


@router.get("/calendar", response_model=CalendarView, response_model_exclude_none=True)
async def show_calendar(
    context: Ctx,
    principal: Annotated[Principal, Depends(allow("jobs:read"))],
    given: Annotated[tuple[datetime | None, datetime | None], Depends(range_of)],
    by: Annotated[Literal["none", "minute", "hour"], Query(description="count them per hour or minute")] = "none",
    tag: Annotated[str | None, Query(min_length=1, max_length=100, description="one of the tags")] = None,
    queue: Annotated[str | None, Query(min_length=1, max_length=100, description="the queue of their runs")] = None,
    q: Annotated[str | None, Query(min_length=1, max_length=200, description="part of the name")] = None,
) -> Response:
    """Upcoming occurrences of all enabled jobs, in order, excluding those in blackouts."""
    now = context.clock.now()
    start = given[0] or now
    end = given[1] or start + timedelta(days=1)
    if end < start:
        raise InvalidInput("end", "must not be before start")
    if end - start > _LONGEST[by]:
        raise InvalidInput("end", f"must be within {_LONGEST[by].days} days of start")
    where = JobFilter(text=q, enabled=True, paused=False, tag=tag, queue=queue)
    async with context.turns.turn():
        jobs, others_from = await context.store.read(_jobs, principal.project_id, where)
        # In a thread: it may take a while, in which other requests wait.
        until = end if others_from is None else min(end, others_from)
        complete_until, items = await asyncio.to_thread(_items, jobs, now, start, until, by)
    truncated = others_from is not None
    shown = {"start": start, "end": end, "complete_until": complete_until, "truncated": truncated, "items": items}
    return reply(shown)


def _items(
    jobs: list[JobRecord], now: datetime, start: datetime, until: datetime, by: str
) -> tuple[datetime, list[dict[str, Any]]]:
    if by == "none":
        listed = agenda(jobs, now, start, until, LISTED)
        return listed.complete_until, [entry._asdict() for entry in listed.entries]
    counted = forecast(jobs, now, start, until, _STEPS[by], BUDGET)
    return counted.complete_until, [{"at": at, "count": count} for at, count in counted.counts]


async def _jobs(tx: Transaction, project_id: str, where: JobFilter) -> tuple[list[JobRecord], datetime | None]:
    """Jobs that have a next run, and from when other jobs may have runs; None if these are all."""
    page = await tx.jobs.page(project_id, where, limit=JOBS, after=None, sort="next_run_at")
    jobs = [job for job in page.items if job.next_run_at is not None]
    last = page.items[-1].next_run_at if page.next is not None else None
    return jobs, last
