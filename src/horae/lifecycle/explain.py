"""Explain: collects everything that can block a job or a run, and explains it. Read-only."""

from __future__ import annotations

from horae.accounts.usage import live_quota
from horae.domain.explain import answer as explain
from horae.domain.explain.explanation import Explanation
from horae.domain.explain.facts import JobFacts, RunFacts
from horae.domain.runs.engine_choice import DATABASE_ONLY, EngineChoice
from horae.domain.runs.states import RunStatus, Trigger
from horae.domain.time.schedule import AfterSchedule
from horae.lifecycle.find import found, found_run
from horae.lifecycle.functions import called_function
from horae.lifecycle.queues import current_engines
from horae.ports import Transaction

OFFLINE_AFTER = 180.0
_RECENT = 100  # rows of history: enough to see a pattern


async def explain_job(
    tx: Transaction,
    *,
    project_id: str,
    ref: str,
    offline_after: float = OFFLINE_AFTER,
    engines: EngineChoice = DATABASE_ONLY,
) -> Explanation:
    """`engines` are those of the settings."""
    now = await tx.now()
    job = await found(tx, project_id, ref)
    after = isinstance(job.spec.schedule, AfterSchedule)
    live = await tx.facts.live_runs(job.id)
    return explain.explain_job(
        JobFacts(
            now=now,
            job=job,
            live=live,
            recent=tuple(await tx.history.newest(job.id, _RECENT)),
            workers=tuple(await tx.processes.workers(offline_after)),
            schedulers=tuple(await tx.facts.schedulers()) if job.spec.scheduled or job.spec.fault else (),
            shard=await tx.facts.shard(job.shard) if job.spec.scheduled else None,
            upstream=tuple(await tx.facts.upstream(project_id, job.id)) if after else (),
            paused_queues=await tx.queues.paused({job.spec.queue, *(run.queue for run in live.first)}),
            unreadable=tuple(await tx.unreadable.of([(job.id, job.version)])),
            live_quota=await live_quota(tx, project_id),
            function=await called_function(tx, job.spec),
            engines=await current_engines(tx, engines),
        )
    )


async def explain_run(
    tx: Transaction,
    *,
    project_id: str,
    run_id: str,
    offline_after: float = OFFLINE_AFTER,
    engines: EngineChoice = DATABASE_ONLY,
) -> Explanation:
    now = await tx.now()
    run = await found_run(tx, project_id, run_id)
    version = (run.job_id, run.version)
    waits = run.status == RunStatus.QUEUED and not run.held
    backfill = run.trigger == Trigger.BACKFILL
    live = await tx.facts.live_runs(run.job_id, backfill=backfill, before=run_id) if run.held else None
    queues = {run.queue, *(one.queue for one in live.first)} if live else {run.queue}
    return explain.explain_run(
        RunFacts(
            now=now,
            run=run,
            spec=(await tx.jobs.definitions([version])).get(version),
            attempts=tuple(await tx.runs.attempts(run_id)),
            workers=tuple(await tx.processes.workers(offline_after)),
            schedulers=tuple(await tx.facts.schedulers()),
            live=live,
            ahead=await tx.facts.ahead(run) if waits else 0,
            dead_since=await tx.facts.dead_since(run_id) if run.status == RunStatus.FAILED else None,
            paused_queues=await tx.queues.paused(queues) if run.status == RunStatus.QUEUED else {},
            unreadable=tuple(await tx.unreadable.of([version])) if run.status == RunStatus.QUEUED else (),
            engines=await current_engines(tx, engines),
        )
    )
