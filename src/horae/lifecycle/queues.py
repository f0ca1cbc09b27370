"""Queues: no runs are claimed from a paused queue. Running ones continue, queued ones wait. A queue may have an engine
chosen by an admin. Queues that are no longer used are removed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from horae.domain.errors import NotFound
from horae.domain.jobs.difference import Change
from horae.domain.jobs.queue import QueueRecord, QueueUse
from horae.domain.pages import Page
from horae.domain.runs.engine_choice import EngineChoice
from horae.ports import Transaction

DEFAULT = "default"
PAGE = 1_000
RETENTION = 2 * 3600.0  # how long an unused queue is kept; longer than any request that names it takes


async def list_queues(
    tx: Transaction,
    project_id: str,
    use: QueueUse,
    *,
    everything: bool = False,
    limit: int = PAGE,
    after: str | None = None,
) -> Page[QueueRecord]:
    """Those that this project uses (`queue_use`) and those reserved for it; or `everything` that any project's jobs
    use, including names that may reveal what other projects do."""
    names: set[str] | None = None
    if not everything:
        kept = await tx.reservations.queues_of(project_id, limit=limit + 1, after=after)
        names = {DEFAULT, *use.named, *kept}  # only the database knows the order
    page = await tx.queues.page(use, limit=limit, after=after, names=names)
    reserved = await tx.reservations.projects([queue.name for queue in page.items])
    found = [replace(queue, projects=tuple(reserved.get(queue.name, {}).values())) for queue in page.items]
    return replace(page, items=found)


async def queue_use(tx: Transaction, project_id: str) -> QueueUse:
    """Reads every job of the project and every live run."""
    return await tx.queues.use_of(project_id)


async def pause_queue(tx: Transaction, *, project_id: str, name: str, actor: str) -> QueueRecord:
    queue = await _locked(tx, project_id, name)
    if queue.paused_at is None:
        await tx.queues.pause(name, actor)
        await _tell(tx, "queue.pause", name, actor, paused=True)
    return await _found(tx, project_id, name)


async def resume_queue(tx: Transaction, *, project_id: str, name: str, actor: str) -> QueueRecord:
    queue = await _locked(tx, project_id, name)
    if queue.paused_at is not None:
        await tx.queues.resume(name)
        await _tell(tx, "queue.resume", name, actor, paused=False)
    return await _found(tx, project_id, name)


async def choose_engine(tx: Transaction, *, project_id: str, name: str, engine: str | None, actor: str) -> QueueRecord:
    """None: the engine of the settings. All processes look at it within seconds; what was on its way by the old engine
    is claimed from the new one."""
    queue = await _locked(tx, project_id, name)
    if queue.engine != engine:
        await tx.queues.choose_engine(name, engine)
        changes = [Change("engine", queue.engine, engine)]
        await tx.audit.add("queue.engine", actor=actor, project_id=None, name=name, changes=changes)
        tx.hint("runs:")  # every worker looks at its queues
        tx.hint(f"publish:{name}")
    return await _found(tx, project_id, name)


async def chosen_engines(tx: Transaction) -> dict[str, str]:
    return await tx.queues.engines()


async def current_engines(tx: Transaction, configured: EngineChoice) -> EngineChoice:
    """`configured` by the settings."""
    return configured.with_chosen(await tx.queues.engines()) if configured.has_broker else configured


async def unused_queues(tx: Transaction) -> list[str]:
    """Those that no job and no run has named for hours, that are not paused and for which no engine was chosen."""
    return await tx.queues.unused(RETENTION)


async def forget_queues(tx: Transaction, *, names: Collection[str]) -> int:
    """Except those that a job has named meanwhile."""
    return await tx.queues.forget(names, RETENTION)


async def _tell(tx: Transaction, action: str, name: str, actor: str, *, paused: bool) -> None:
    changes = [Change("paused", not paused, paused)]
    await tx.audit.add(action, actor=actor, project_id=None, name=name, changes=changes)


async def _locked(tx: Transaction, project_id: str, name: str) -> QueueRecord:
    return _there(await tx.queues.find(project_id, name, lock=True))


async def _found(tx: Transaction, project_id: str, name: str) -> QueueRecord:
    return _there(await tx.queues.find(project_id, name))


def _there(queue: QueueRecord | None) -> QueueRecord:
    if queue is None:
        raise NotFound("no job uses this queue")
    return queue
