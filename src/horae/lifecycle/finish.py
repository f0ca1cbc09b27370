"""Finish: outcomes end their runs, park them or requeue them. The fencing token must match: a worker that lost its
lease changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from horae.domain.runs.claim import NOWHERE, Claimed, Leased, Park, QueuePlace
from horae.domain.runs.ending import Ended, Ending, Finished, FinishReport
from horae.domain.runs.events import RunsParked
from horae.domain.runs.log import LogLines, Progress
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import SPARE, NewRemoteTask, RemoteKey
from horae.domain.runs.states import AttemptOutcome, RunStatus
from horae.lifecycle.ended import after_ends
from horae.lifecycle.settle import Settlement, Specs
from horae.ports import Transaction


class Parking(NamedTuple):
    """What is written about runs that wait for a callback or a remote task, and these runs."""

    parks: list[Park]
    runs: list[Leased]
    tasks: list[NewRemoteTask]


Latest = Mapping[str, Finished]  # by run


async def finish(
    tx: Transaction,
    *,
    finished: Sequence[Finished],
    specs: Specs,
    chance: Callable[[], float],
    logs: Sequence[LogLines] = (),
    progress: Sequence[Progress] = (),
    wait: bool = True,
) -> FinishReport:
    """Success needs only the token, not the row; anything else reads the row, since cancellation may have been
    requested. Without `wait`, raises QuotaContended if dependent jobs need places of a quota that another transaction
    has locked."""
    await append(tx, logs, progress)
    latest = _latest(finished)
    settlement, parking = Settlement(specs, chance), Parking([], [], [])
    failures = [item for item in latest.values() if item.outcome.kind is not AttemptOutcome.SUCCEEDED]
    if failures:
        await _settle(tx, latest, failures, settlement, parking)
    ended = await tx.runs.end([*_successes(latest), *settlement.endings])
    if failures:
        await settlement.write(tx)
        await tx.runs.park(parking.parks)
        await tx.remote_tasks.add(parking.tasks)
        tx.tell(RunsParked(parking.runs))
    await after_ends(tx, _over(latest, ended, settlement, specs), settlement.requeued, wait=wait)
    moved = ended | {requeue.id for requeue in settlement.requeues}
    refused = _refused(finished, latest, moved)
    if tx.repeated:
        refused = [x for x in refused if not await _was_written(tx, x)]
    return FinishReport(len(ended), len(settlement.requeues), tuple(x.run.id for x in refused))


async def append(tx: Transaction, logs: Sequence[LogLines], progress: Sequence[Progress] = ()) -> None:
    """Output and progress of attempts that go on."""
    await tx.logs.append(logs)
    await tx.logs.progress(progress)


async def _settle(
    tx: Transaction, latest: Latest, failures: Sequence[Finished], settlement: Settlement, parking: Parking
) -> None:
    # The whole batch, so that rows are locked in one order: see store/runs/endings.py.
    rows = {row.id: row for row in await tx.runs.leased([(x.run.id, x.run.token) for x in latest.values()])}
    for item in failures:
        row = rows.get(item.run.id)
        if row is None:
            continue
        if item.outcome.park_for is not None and row.cancel_requested_at is None:
            _park(parking, row, item.outcome, item.outcome.park_for, _start(item.run))
        else:
            row = replace(row, started_at=_start(item.run) or row.started_at)
            settlement.add(row, item.outcome, item.duration_ms)


def _park(parking: Parking, row: Leased, outcome: Outcome, seconds: float, started_at: datetime | None) -> None:
    spare = 0.0
    if outcome.remote is not None:
        spare = SPARE
        parking.tasks.append(NewRemoteTask(RemoteKey(row.id, row.attempt, row.token), outcome.remote, seconds))
    parking.parks.append(Park(row.id, row.token, seconds + spare, started_at))
    parking.runs.append(row)


def _successes(latest: Latest) -> list[Ending]:
    return [
        Ending(run.id, run.token, RunStatus.SUCCEEDED, None, outcome, duration_ms, _start(run))
        for run, outcome, duration_ms in latest.values()
        if outcome.kind is AttemptOutcome.SUCCEEDED
    ]


def _over(latest: Latest, ended: Collection[str], settlement: Settlement, specs: Specs) -> list[Ended]:
    statuses = settlement.statuses
    places = {version: QueuePlace(spec.queue, spec.target.kind) for version, spec in specs.items()}
    return [
        Ended.of(
            run,
            statuses.get(run.id, RunStatus.SUCCEEDED),
            outcome,
            duration_ms,
            places.get((run.job_id, run.version), NOWHERE),
        )
        for run, outcome, duration_ms in latest.values()
        if run.id in ended
    ]


def _refused(finished: Sequence[Finished], latest: Latest, moved: Collection[str]) -> list[Finished]:
    """A callback may overtake the answer that would have parked its run: then there is nothing left to park."""
    if len(moved) == len(finished):
        return []
    return [
        x
        for x in finished
        if latest[x.run.id] is not x or (x.run.id not in moved and x.outcome.kind is not AttemptOutcome.PARKED)
    ]


def _start(run: Claimed) -> datetime | None:
    """The start, if the run's row does not have it."""
    return run.started_at if run.ahead else None


async def _was_written(tx: Transaction, item: Finished) -> bool:
    """Whether an earlier try ended this attempt and its reply was lost, rather than the sweep or another worker."""
    over, outcome = await tx.runs.over(item.run.id, item.run.attempt), item.outcome
    if over is None:
        return False
    ended = outcome.kind if outcome.kind is AttemptOutcome.SUCCEEDED else RunStatus.FAILED
    return over.outcome in (outcome.kind, ended, RunStatus.CANCELLED) and over.error == outcome.error


def _latest(finished: Sequence[Finished]) -> dict[str, Finished]:
    """By run. A worker may lose a run and get it again before it could report the lost attempt: only the later of the
    two can still hold the run."""
    latest = {item.run.id: item for item in finished}
    if len(latest) < len(finished):
        for item in reversed(finished):
            if latest[item.run.id].run.attempt <= item.run.attempt:
                latest[item.run.id] = item
    return latest
