"""Redrive and discard dead letters: one, many or all that match a filter. An operation's row holds its progress;
schedulers continue it step by step, so it survives the process that started it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from horae.domain.errors import Conflict, DuplicateKey, InvalidInput, NotFound, QuotaReached
from horae.domain.people.audit import differing
from horae.domain.runs.dead_letter import DeadFilter, DeadLetter, allowance
from horae.domain.runs.operation import NewOperation, Operation
from horae.domain.text.ids import NIL
from horae.lifecycle.find import found_operation
from horae.lifecycle.rerun import NewInput, rerun
from horae.ports import Transaction

REDRIVE, DISCARD = "redrive", "discard"
DAMAGED = "its record in the database cannot be read"
STEP = 500  # dead letters in one transaction
_TOGETHER = 20  # operations in one sweep


@dataclass(frozen=True, slots=True)
class Resolution:
    """What to do with dead letters. `rate` is in runs per second."""

    kind: str
    where: DeadFilter
    input: NewInput | None = None
    rate: float | None = None
    reason: str | None = None


async def resolve(
    tx: Transaction, *, operation_id: str, project_id: str, resolution: Resolution, actor: str
) -> Operation:
    """Starts the operation with a first batch; repeating the call with the same id returns the same operation. Runs
    that fail from now on are not part of it."""
    known = await tx.operations.find(project_id, operation_id)
    if known is not None:
        return known
    now = await tx.now()
    # By time: ids encode when runs were queued, by the caller's clock, not when they failed.
    where = replace(resolution.where, until=min(resolution.where.until or now, now))
    total = await tx.dead_letters.count(project_id, where, of_jobs=resolution.kind == REDRIVE)
    if not total and resolution.where.ids is not None:
        gone = " of a job that is still there" if resolution.kind == REDRIVE else ""
        raise NotFound(f"there is no such dead letter{gone}")
    asked = {
        "filter": resolution.where.to_json(),
        "rate": resolution.rate,
        "reason": resolution.reason,
        **({} if resolution.input is None else {"input": resolution.input.text}),
    }
    through = await tx.dead_letters.newest(project_id) or NIL
    at = now - timedelta(seconds=1)  # the first second's share is queued at once
    details = {**asked, "filter": where.to_json(), "after": NIL, "through": through, "at": at.isoformat()}
    operation = NewOperation(operation_id, project_id, resolution.kind, None, details, total, actor)
    try:
        await tx.operations.insert(operation)
    except DuplicateKey:
        raise Conflict("an operation with this id exists already") from None
    await tx.audit.add(
        f"dead_letter.{resolution.kind}",
        actor=actor,
        project_id=project_id,
        id=operation_id,
        changes=differing({}, {**asked, "total": total}),
    )
    await _step(tx, operation_id, STEP)
    return await found_operation(tx, project_id, operation_id)


async def carry_on(tx: Transaction, *, limit: int = STEP) -> int:
    """Continues running operations; returns how many dead letters were processed."""
    moved = 0
    for operation_id in await tx.operations.under_way((REDRIVE, DISCARD), _TOGETHER):
        moved += await _step(tx, operation_id, limit - moved)
        if moved >= limit:
            break
    return moved


async def _step(tx: Transaction, operation_id: str, most: int) -> int:
    operation = await tx.operations.find(None, operation_id, lock=True)
    if operation is None or operation.state != "running":
        return 0
    details, now = operation.details, await tx.now()
    try:
        rate, since, where = details["rate"], datetime.fromisoformat(details["at"]), _filter(details)
    except (KeyError, TypeError, ValueError):
        await tx.operations.finish(operation_id, "failed", DAMAGED)
        return 0
    places = allowance(rate, (now - since).total_seconds(), most)
    if not places:
        return 0
    letters = await tx.dead_letters.take(
        operation.project_id,
        where,
        of_jobs=operation.kind == REDRIVE,
        after=details["after"],
        through=details["through"],
        limit=places,
    )
    refused: list[str] = []
    if operation.kind == REDRIVE:
        refused = await _redrive(tx, operation, letters)
    else:
        await tx.dead_letters.resolve([letter.id for letter in letters])
    if letters:
        paid = _paid_until(rate, since, len(letters), now)
        details = {**details, "after": letters[-1].id, "at": paid.isoformat()}
    if refused:
        details = {**details, "refused": details.get("refused", 0) + len(refused), "why": refused[0]}
    done = operation.done + len(letters) - len(refused)
    await tx.operations.progress(operation_id, done=done, details=details)
    if len(letters) < places:
        await tx.operations.finish(operation_id, "done", _left(details))
    return len(letters)


def _filter(details: dict[str, Any]) -> DeadFilter:
    """Raises one of several errors if the row is damaged."""
    if not isinstance(details["after"], str) or not isinstance(details["through"], str):
        raise TypeError
    return DeadFilter.from_json(details["filter"])


def _left(details: dict[str, Any]) -> str | None:
    return f"{details['refused']} stay dead letters: {details['why']}" if "refused" in details else None


async def _redrive(tx: Transaction, operation: Operation, letters: list[DeadLetter]) -> list[str]:
    """Reruns what its job accepts; returns why it does not accept the others, which stay dead letters."""
    refused: list[str] = []
    for job_id, mine in _by_job(letters):
        if await tx.jobs.head(operation.project_id, job_id) is None:
            refused += ["its job was deleted"] * len(mine)
            continue
        try:
            await _rerun(tx, operation, job_id, mine)
        except (Conflict, InvalidInput):  # raised before anything is written; names the one it is about
            for place, letter in enumerate(mine):
                try:
                    await _rerun(tx, operation, job_id, [letter])
                except QuotaReached as error:  # and so for all later ones
                    refused += [str(error)] * (len(mine) - place)
                    break
                except (Conflict, InvalidInput) as error:
                    refused.append(str(error))
    return refused


async def _rerun(tx: Transaction, operation: Operation, job_id: str, letters: list[DeadLetter]) -> None:
    details = operation.details
    given = NewInput(details["input"]) if "input" in details else None
    runs = [(tx.new_id(), letter) for letter in letters]
    await rerun(tx, operation.project_id, job_id, runs, actor=operation.created_by, input=given)


def _by_job(letters: list[DeadLetter]) -> Iterator[tuple[str, list[DeadLetter]]]:
    """In the order of the jobs' ids: gates are always locked in this order."""
    jobs: dict[str, list[DeadLetter]] = defaultdict(list)
    for letter in letters:
        jobs[letter.job_id].append(letter)
    return iter(sorted(jobs.items()))


def _paid_until(rate: float | None, since: datetime, count: int, now: datetime) -> datetime:
    """The instant up to which the rate has been used; a fraction of a run is not lost between two steps."""
    if rate is None:
        return now
    used = since + timedelta(seconds=count / rate)
    return max(used, now - timedelta(seconds=1 / rate))
