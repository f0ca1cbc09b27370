"""Reserves a queue for projects: only their jobs may name it, so a worker that serves it runs no other project's code.
A worker that is bound to projects serves only queues that are reserved for them alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from horae.domain.errors import Conflict, InvalidInput
from horae.domain.jobs.difference import Change
from horae.ports import Transaction


async def reserve_queue(tx: Transaction, *, name: str, slugs: Collection[str], actor: str) -> None:
    """Without projects it is open to all again. Refused while others use it: no worker would run their jobs."""
    ids = await project_ids(tx, slugs)
    await tx.queues.add(name)
    await tx.reservations.lock(name)
    before = (await tx.reservations.projects([name])).get(name, {})
    if before.keys() == ids.keys():
        return
    if ids and (others := await tx.reservations.strangers(name, ids)):
        raise Conflict(f"other projects use the queue {name!r}: {'; '.join(_uses(*one) for one in others.items())}")
    await tx.reservations.reserve(name, ids, actor)
    changes = [Change("projects", sorted(before.values()), sorted(ids.values()))]
    await tx.audit.add("queue.reserve", actor=actor, project_id=None, name=name, changes=changes)
    tx.hint("runs")


def _uses(slug: str, count: tuple[int, int]) -> str:
    jobs, runs = count
    parts = [f"{n} {what}{'' if n == 1 else 's'}" for n, what in ((jobs, "job"), (runs, "run")) if n]
    return f"{slug} ({', '.join(parts)})"


async def check_queue(tx: Transaction, project_id: str, queue: str) -> None:
    """For a job saved by this transaction: until it ends, the queue cannot be reserved for other projects."""
    await tx.reservations.hold(queue)
    allowed = (await tx.reservations.projects([queue])).get(queue)
    if allowed is not None and project_id not in allowed:
        raise InvalidInput("queue", f"the queue {queue!r} is reserved for other projects")


async def project_ids(tx: Transaction, slugs: Collection[str]) -> dict[str, str]:
    """Slugs by id. None of these projects can be deleted until the transaction ends."""
    found = {}
    for slug in slugs:
        project = await tx.access.project(slug)
        if project is None or not await tx.access.hold_project(project.id):
            raise InvalidInput("projects", f"there is no project {slug!r}")
        found[project.id] = project.slug
    return found


async def served(tx: Transaction, *, project_ids: Collection[str], queues: Sequence[str]) -> list[str]:
    """What a worker that is bound to projects serves: of these queues, or of all if none are named."""
    reserved = await tx.reservations.queues(project_ids)
    return [queue for queue in queues if queue in reserved] if queues else reserved
