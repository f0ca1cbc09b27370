"""Track: tasks of parked runs are taken by a worker, which sends them and follows them; what it finds out ends their
attempts. The token fences: an attempt that was ended by another process in the meantime stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from horae.domain.jobs.function import TASKS, switched_off
from horae.domain.runs.claim import Leased
from horae.domain.runs.ending import Ended, Ending
from horae.domain.runs.events import AttemptOver, AttemptsOver
from horae.domain.runs.log import LogLines
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import REMOTE_CHANGED, RemoteEnd, RemoteKey, TakenTasks
from horae.domain.runs.states import AttemptOutcome, RunStatus
from horae.domain.targets import CeleryTarget
from horae.lifecycle.ended import after_ends
from horae.lifecycle.settle import Settlement
from horae.ports import Transaction

_LAST = 900_000_000  # the position of a log line after everything that the worker of the attempt wrote


async def take_tasks(tx: Transaction, *, app: str, worker_id: str, limit: int, owner: str | None = None) -> TakenTasks:
    taken = await tx.remote_tasks.take(app, worker_id, limit, owner=owner)
    if gone := [task.key for task in taken if task.run is None and not task.sent]:
        await tx.remote_tasks.delete(gone)
    unsent = {task.key: task.run for task in taken if task.run is not None and not task.sent}
    specs = await tx.jobs.definitions({(run.job_id, run.version) for run in unsent.values()}) if unsent else {}
    names = {pair: TASKS + spec.target.task for pair, spec in specs.items() if isinstance(spec.target, CeleryTarget)}
    off = await tx.functions.disabled(set(names.values()))
    refused = [
        RemoteEnd(key, Outcome(AttemptOutcome.FAILED, error=switched_off(name), permanent=True))
        for key, run in unsent.items()
        if (name := names.get((run.job_id, run.version))) in off and name is not None
    ]
    left_out = {*gone, *(end.key for end in refused)}
    return TakenTasks([task for task in taken if task.key not in left_out], specs, refused, tx.repeated)


async def mark_sent(tx: Transaction, keys: Sequence[RemoteKey]) -> set[RemoteKey]:
    """Returns those to be sent: the attempts of the others are over."""
    return await tx.remote_tasks.mark_sent(keys)


async def dead_trackers(tx: Transaction, *, app: str, silent_after: float) -> list[str]:
    """Workers that have tasks of this app but no heartbeat any more."""
    owners = await tx.remote_tasks.owners(app)
    if not owners:
        return []
    live = {worker.id for worker in await tx.processes.workers(silent_after) if worker.there}
    return [owner for owner in owners if owner not in live]


async def end_tasks(tx: Transaction, *, ends: Sequence[RemoteEnd], chance: Callable[[], float]) -> int:
    """Ends attempts as their tasks have ended; returns how many runs are over."""
    outcomes = {(end.key.run_id, end.key.token): end.outcome for end in ends}
    rows = await tx.runs.leased(list(outcomes))
    now = await tx.now()
    settlement = Settlement(await tx.jobs.definitions({(row.job_id, row.version) for row in rows}), chance)
    good: list[Ending] = []
    for row in rows:
        outcome, took = outcomes[row.id, row.token], row.age_ms(now)
        if outcome.kind is AttemptOutcome.SUCCEEDED:
            tx.tell(AttemptsOver([AttemptOver(row, outcome, took)]))
            good.append(Ending(row.id, row.token, RunStatus.SUCCEEDED, None, outcome, took, row.started_at))
        else:
            settlement.add(row, outcome, took)
    await tx.logs.append(
        [line for row in rows if (line := _last_line(row, outcomes[row.id, row.token], now)) is not None]
    )
    ended = await tx.runs.end([*good, *settlement.endings])
    await settlement.write(tx)
    over = [
        Ended.of(
            row,
            settlement.statuses.get(row.id, RunStatus.SUCCEEDED),
            outcomes[row.id, row.token],
            row.age_ms(now),
            row.place,
        )
        for row in rows
        if row.id in ended
    ]
    await after_ends(tx, over, settlement.requeued)
    if going_on := [end.key for end in ends if end.doubtful]:
        await tx.remote_tasks.mark_over(going_on)
        tx.hint(REMOTE_CHANGED)
    await tx.remote_tasks.delete([end.key for end in ends if not end.doubtful])
    return len(ended)


def _last_line(row: Leased, outcome: Outcome, now: datetime) -> LogLines | None:
    text = outcome.traceback or outcome.error
    return None if text is None else LogLines(row.id, row.token, row.attempt, _LAST, now, "stderr", f"{text}\n")


async def tasks_over(tx: Transaction, *, app: str, worker_id: str, limit: int) -> list[RemoteKey]:
    """Sent tasks whose attempts are over, to be revoked."""
    return await tx.remote_tasks.over(app, worker_id, limit)


async def forget_tasks(tx: Transaction, keys: Sequence[RemoteKey]) -> None:
    await tx.remote_tasks.delete(keys)


async def release_tasks(tx: Transaction, *, app: str, worker_id: str, limit: int) -> int:
    """Another worker goes on with them; returns how many there were, at most `limit`."""
    return await tx.remote_tasks.release(worker_id, app, limit)
