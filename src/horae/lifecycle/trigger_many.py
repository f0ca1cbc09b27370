"""Trigger many: requests for runs of any jobs of a project, each with its own idempotency key and its own answer, in
one transaction. The keys commit together with the runs, so a key that exists means that its request took effect."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from horae.domain.errors import Conflict, HoraeError, InvalidInput, QuotaReached
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobHead
from horae.domain.runs.firing import Plan
from horae.domain.runs.run import NewRun
from horae.domain.runs.states import Trigger
from horae.lifecycle import submit
from horae.lifecycle.find import no_job
from horae.lifecycle.functions import check_inputs, with_defaults
from horae.ports import Transaction


class Verdict(StrEnum):
    SUBMITTED = "submitted"
    DUPLICATE = "duplicate"  # it took effect earlier
    REFUSED = "refused"
    LATER = "later"  # a quota has no place for it now


class Answer(NamedTuple):
    verdict: Verdict
    error: HoraeError | None = None


class OnceKey(NamedTuple):
    """The digest of an idempotency key, and all digests that its request may have been stored under, the current one
    first."""

    digest: str
    known_as: Sequence[str]


@dataclass(frozen=True, slots=True)
class KeyedTrigger:
    key: OnceKey
    ref: str
    run: submit.TriggerRequest


class Apart(HoraeError):
    """Some of these jobs lock a gate or a quota: each needs its own transaction, so that no two wait for each other."""

    def __init__(self, refs: Collection[str]) -> None:
        super().__init__()
        self.refs = refs


@dataclass(slots=True)
class _Batch:
    project_id: str
    actor: str
    answers: dict[str, Answer] = field(default_factory=dict)  # by the digest of the key
    new: list[NewRun] = field(default_factory=list)

    def answer(self, asked: Collection[KeyedTrigger], verdict: Verdict, error: HoraeError | None = None) -> None:
        for one in asked:
            self.answers[one.key.digest] = Answer(verdict, error)


_DONE, _DUPLICATE = Answer(Verdict.SUBMITTED), Answer(Verdict.DUPLICATE)
_REUSED = Answer(Verdict.REFUSED, Conflict("its id was used for another request: a new request needs a new id"))


async def trigger_many(
    tx: Transaction, *, project_id: str, actor: str, holder: str, asked: Sequence[KeyedTrigger]
) -> list[Answer]:
    """`holder` identifies this call. Raises Apart, without any effect, if the jobs must not share a transaction."""
    first: dict[str, KeyedTrigger] = {}
    for one in asked:
        first.setdefault(one.key.digest, one)
    claims = await _claimed(tx, project_id, holder, [one.key for one in first.values()])
    batch = _Batch(project_id, actor)
    groups: dict[str, list[KeyedTrigger]] = {}
    for one in first.values():
        if (said := claims[one.key.digest]) is None:
            groups.setdefault(one.ref, []).append(one)
        else:
            batch.answers[one.key.digest] = said
    await _queue(tx, batch, groups)
    undone = [one.key.digest for group in groups.values() for one in group if not _taken(batch.answers[one.key.digest])]
    await tx.idempotency.delete_all(project_id, holder, undone)
    return [_its_own(one, first[one.key.digest], batch.answers[one.key.digest]) for one in asked]


@dataclass(frozen=True, slots=True)
class KeyedCreation:
    """A job to create. `given`: the fields that the request set."""

    key: OnceKey
    job_id: str
    spec: JobSpec
    enabled: bool
    given: Collection[str]


async def create_once(tx: Transaction, *, project_id: str, actor: str, holder: str, creation: KeyedCreation) -> Answer:
    """Creates a job under a key."""
    key = creation.key
    said = (await _claimed(tx, project_id, holder, [key]))[key.digest]
    if said is not None:
        return said
    spec = await with_defaults(tx, creation.spec, creation.given)
    job = {"job_id": creation.job_id, "project_id": project_id}
    await submit.create_job(tx, **job, spec=spec, enabled=creation.enabled, actor=actor)
    return _DONE


async def _claimed(tx: Transaction, project_id: str, holder: str, keys: Sequence[OnceKey]) -> dict[str, Answer | None]:
    """The answers to those that took effect earlier; None for those that are ours to do."""
    keys = sorted(keys)  # in order: transactions with the same keys wait for each other, and never in a circle
    digests = [key.digest for key in keys]
    # An earlier try of this very transaction may have committed although its reply was lost.
    before = await tx.idempotency.holders(project_id, digests) if tx.repeated else {}
    await tx.idempotency.insert_all(project_id, holder, [(key.digest, key.known_as[0]) for key in keys])
    now = await tx.idempotency.holders(project_id, digests)
    answers: dict[str, Answer | None] = {}
    for digest, known_as in keys:
        request, its_holder = now[digest]
        if its_holder == holder:
            answers[digest] = _DONE if digest in before else None
        else:
            answers[digest] = _DUPLICATE if request in known_as else _REUSED
    return answers


def _taken(answer: Answer) -> bool:
    return answer.verdict not in (Verdict.REFUSED, Verdict.LATER)


def _its_own(one: KeyedTrigger, first: KeyedTrigger, answer: Answer) -> Answer:
    """Of two with the same key in one batch, the second is the duplicate."""
    if one is first or not _taken(answer):
        return answer
    return _DUPLICATE if first.key.known_as[0] in one.key.known_as else _REUSED


async def _queue(tx: Transaction, batch: _Batch, groups: dict[str, list[KeyedTrigger]]) -> None:
    apart = set()
    for ref in sorted(groups):
        job = await tx.jobs.head(batch.project_id, ref)
        if job is None:
            batch.answer(groups[ref], Verdict.REFUSED, await no_job(tx, batch.project_id, ref))
            continue
        try:
            plan = await submit.plan_for(tx, job)
        except Conflict as error:
            batch.answer(groups[ref], Verdict.REFUSED, error)
            continue
        if submit.gated(job, plan) and len(groups) > 1:
            apart.add(ref)
            continue
        valid = await _valid(tx, batch, job, plan, groups[ref])
        await _admit(tx, batch, job, plan, valid)
    if apart:
        raise Apart(apart)
    await tx.runs.insert(batch.new)


async def _valid(
    tx: Transaction, batch: _Batch, job: JobHead, plan: Plan, asked: Sequence[KeyedTrigger]
) -> list[KeyedTrigger]:
    valid = []
    for one in asked:
        try:
            await check_inputs(tx, job, plan.needs, {"input": one.run.input})
            valid.append(one)
        except (Conflict, InvalidInput) as error:
            batch.answer([one], Verdict.REFUSED, error)
    return valid


async def _admit(tx: Transaction, batch: _Batch, job: JobHead, plan: Plan, asked: list[KeyedTrigger]) -> None:
    """As many as the quota has places for, in order; the others later."""
    while asked:
        try:
            runs = [one.run for one in asked]
            admitted = await submit.admit(tx, job, plan, runs, trigger=Trigger.API, actor=batch.actor)
        except QuotaReached as error:
            room = max(0, min(len(asked) - 1, int(error.limit - error.used)))
            batch.answer(asked[room:], Verdict.LATER, error)
            asked = asked[:room]
            continue
        batch.new += admitted.runs
        if admitted.contested or admitted.delayed:  # of a gated job, which is alone here
            await tx.runs.insert(batch.new)
            batch.new.clear()
            await submit.settled(tx, job, admitted)
        batch.answer(asked, Verdict.SUBMITTED)
        return
