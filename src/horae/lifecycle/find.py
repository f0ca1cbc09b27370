"""Finds the object of a verb, or raises NotFound; for jobs, with the name that was probably meant."""

from __future__ import annotations

from difflib import get_close_matches

from horae.domain.errors import NotFound, Unreadable
from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.operation import Operation
from horae.domain.runs.run_record import RunRecord
from horae.ports import Transaction


async def found(tx: Transaction, project_id: str, ref: str) -> JobRecord:
    job = await tx.jobs.find(project_id, ref)
    if job is None:
        raise await no_job(tx, project_id, ref)
    return job


async def locked(tx: Transaction, project_id: str, ref: str) -> JobRecord:
    """To change it: no other transaction can lock or fire it until this one ends."""
    job = await tx.jobs.find(project_id, ref, lock=True)
    if job is None:
        raise await no_job(tx, project_id, ref)
    return job


async def readable(tx: Transaction, project_id: str, ref: str, *, lock: bool = False) -> JobRecord:
    """Likewise for verbs that need the definition: refuses a job whose definition cannot be read."""
    return require_readable(await (locked if lock else found)(tx, project_id, ref))


def require_readable(job: JobRecord) -> JobRecord:
    if job.spec.fault:
        raise unreadable_job(job.spec.fault)
    return job


def unreadable_job(reason: str) -> Unreadable:
    """The error to raise, with the ways out."""
    return Unreadable(
        f"this version of Horae cannot read the definition of this job: {reason}; use the version that saved it, "
        "replace the definition, or roll back to an earlier version of the job"
    )


async def found_run(tx: Transaction, project_id: str, run_id: str) -> RunRecord:
    run = await tx.runs.find(project_id, run_id)
    if run is None:
        raise NotFound("there is no such run")
    return run


async def found_operation(
    tx: Transaction, project_id: str | None, operation_id: str, *, lock: bool = False
) -> Operation:
    operation = await tx.operations.find(project_id, operation_id, lock=lock)
    if operation is None:
        raise NotFound("there is no such operation")
    return operation


async def no_job(tx: Transaction, project_id: str, ref: str) -> NotFound:
    """The error to raise: no such job, with the closest name as a suggestion."""
    known = {name.casefold(): name for name in await tx.jobs.names_like(project_id, ref)}
    close = get_close_matches(ref.casefold(), known, n=1, cutoff=0.7)
    return NotFound(f"there is no job {ref!r}" + (f"; did you mean {known[close[0]]!r}?" if close else ""))
