"""Rerun: runs an ended run again, as a new run with the job's current definition. The old one is unchanged, but no
longer a dead letter."""

from __future__ import annotations

import json
from dataclasses import dataclass

from horae.domain.errors import Conflict
from horae.domain.jobs.difference import Change
from horae.domain.runs.dead_letter import DeadLetter
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import LIVE, RunStatus, Trigger
from horae.lifecycle.find import found, found_run
from horae.lifecycle.submit import TriggerRequest, trigger
from horae.ports import Transaction


@dataclass(frozen=True, slots=True)
class NewInput:
    """The input of the new run, instead of the old one's; JSON text."""

    text: str | None


async def retry_run(
    tx: Transaction, *, project_id: str, run_id: str, new_id: str, actor: str, input: NewInput | None = None
) -> RunRecord:
    if tx.repeated and (made := await tx.runs.find(project_id, new_id)):
        return made
    old = await found_run(tx, project_id, run_id)
    if old.status in LIVE:
        raise Conflict(f"the run is {old.status}: it can be retried once it has ended")
    if old.status == RunStatus.SKIPPED:
        raise Conflict("the run was skipped: there is nothing to repeat")
    if await tx.jobs.head(project_id, old.job_id) is None:
        raise Conflict("its job was deleted")
    given = None if old.input is None else json.dumps(old.input, ensure_ascii=False)
    letter = DeadLetter(old.id, old.job_id, given, old.scheduled_for)
    (run,) = await rerun(tx, project_id, old.job_id, [(new_id, letter)], actor=actor, input=input)
    await tx.audit.add(
        "run.retry",
        actor=actor,
        project_id=project_id,
        id=run_id,
        name=old.job_name,
        changes=[Change("run", None, new_id)],
    )
    return run


async def retry_job(
    tx: Transaction, *, project_id: str, ref: str, new_id: str, actor: str, input: NewInput | None = None
) -> RunRecord:
    """Reruns its latest failed run."""
    if tx.repeated and (made := await tx.runs.find(project_id, new_id)):
        return made
    job = await found(tx, project_id, ref)
    run_id = await tx.dead_letters.latest_failed(job.id)
    if run_id is None:
        raise Conflict("no run of this job has failed")
    return await retry_run(tx, project_id=project_id, run_id=run_id, new_id=new_id, actor=actor, input=input)


async def rerun(
    tx: Transaction,
    project_id: str,
    job_id: str,
    runs: list[tuple[str, DeadLetter]],
    *,
    actor: str,
    input: NewInput | None = None,
) -> list[RunRecord]:
    """Queues runs of one job again, each with its new id, and resolves those that were dead letters."""
    requests = [
        TriggerRequest(
            new_id,
            input=old.input if input is None else input.text,
            rerun_of=old.id,
            scheduled_for=old.scheduled_for,
        )
        for new_id, old in runs
    ]
    made = await trigger(tx, project_id=project_id, ref=job_id, runs=requests, trigger=Trigger.RETRY, actor=actor)
    await tx.dead_letters.resolve([old.id for _, old in runs])
    return made
