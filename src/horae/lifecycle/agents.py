"""Agents: what workers without a database ask for, through the API. Nothing that they say is trusted: each verb checks
that the worker belongs to the key, and looks up the runs that it names among those that this worker holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from horae.accounts.usage import spend_log
from horae.domain.cluster.process import Beat, WorkerSign
from horae.domain.errors import NotFound
from horae.domain.jobs.function import NEEDS, FunctionSign
from horae.domain.people.worker_key import AgentRow, WorkerKeyRecord
from horae.domain.runs.claim import Claimed, ClaimRequest, Leased, Taken
from horae.domain.runs.ending import Finished, FinishReport
from horae.domain.runs.log import LogLines, Progress
from horae.domain.runs.outcome import Outcome
from horae.lifecycle.claim import claim, look
from horae.lifecycle.finish import finish
from horae.lifecycle.functions import register_functions
from horae.lifecycle.give_back import give_back
from horae.lifecycle.release import release
from horae.ports import Specs, Transaction

_OFFLINE_AFTER = 60.0  # seconds of silence after which another worker is not considered able to take a run
_LONGEST_WAIT = 3600.0  # seconds until the next run is due, if none is known

Pair = tuple[str, str]
"""A run and a token."""


class UnknownWorker(NotFound):
    """No worker of this key has this id; it registers again."""

    kind = "unknown-worker"

    def __init__(self) -> None:
        super().__init__("no worker of this key has this id: register it (again)")


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcome of an attempt as its agent reports it: durations, no times."""

    pair: Pair
    outcome: Outcome
    duration_ms: int
    ended_ms_ago: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Output of an attempt as its agent reports it."""

    pair: Pair
    seq: int
    stream: str
    text: str
    ms_ago: int


@dataclass(frozen=True, slots=True)
class Report:
    """What an agent says about runs that it holds. `wait`: for a quota that is locked."""

    outcomes: Sequence[Outcomes] = ()
    chunks: Sequence[Chunk] = ()
    progress: Sequence[Progress] = ()
    wait: bool = True

    @property
    def pairs(self) -> set[Pair]:
        said = {(one.run_id, one.token) for one in self.progress}
        return said | {one.pair for one in self.outcomes} | {chunk.pair for chunk in self.chunks}


@dataclass(frozen=True, slots=True)
class Reported:
    finish: FinishReport
    full: tuple[str, ...]  # runs of whose output no more is kept


async def register(
    tx: Transaction, *, sign: WorkerSign, key: WorkerKeyRecord, functions: Sequence[FunctionSign]
) -> None:
    """Functions belong to the whole installation: only those that the key names are registered."""
    if await tx.worker_keys.find(key.id, lock=True) is None:
        raise UnknownWorker
    await tx.processes.register_worker(sign)
    if named := [one for one in functions if key.names(NEEDS + one.name)]:
        await register_functions(tx, named)


async def claim_for(
    tx: Transaction, *, key: WorkerKeyRecord, request: ClaimRequest, again: bool, draining: bool
) -> tuple[Taken, float, bool]:
    """What was taken, the seconds until there may be more, and whether the agent should drain. The queues and offers of
    the request are ignored: those that the worker registered count, as far as the key allows them now."""
    worker_id = request.claimant.worker_id
    row = await _agent(tx, key, worker_id, write=draining)
    if draining:
        await tx.worker_keys.drain(worker_id)
    if again or tx.repeated:
        return await claim(tx, request, again=True), 0.0, row.is_to_drain
    nothing = Taken([], (), more=False)
    if draining or row.is_to_drain or row.is_gone or request.most < 1:
        return nothing, _LONGEST_WAIT, row.is_to_drain
    offers = key.offers(row.offers)
    waits = await look(tx, queues=await _served(tx, key, row), offers=offers)
    due = [queue for queue, wait in waits.items() if wait <= 0]
    if not due:
        return nothing, min(waits.values(), default=_LONGEST_WAIT), False
    claimant = replace(request.claimant, offers=offers, project_ids=key.project_ids)
    taken = await claim(tx, replace(request, claimant=claimant, queues=due))
    return taken, 0.0 if taken.more else min((w for w in waits.values() if w > 0), default=0.05), False


async def _served(tx: Transaction, key: WorkerKeyRecord, row: AgentRow) -> list[str] | None:
    """None: all queues."""
    queues = key.serves(row.queues)
    if not key.project_ids:
        return list(queues) or None
    reserved = await tx.reservations.queues(key.project_ids)
    return [queue for queue in queues if queue in reserved] if queues else list(reserved)


async def greet(tx: Transaction, *, key: WorkerKeyRecord, worker_id: str, beat: Beat) -> AgentRow:
    """A claim is a sign of life."""
    found = await _agent(tx, key, worker_id, write=True)
    if not found.is_gone:
        await tx.processes.beat_worker(worker_id, beat)
    return found


async def recognise(tx: Transaction, *, key: WorkerKeyRecord, worker_id: str) -> None:
    """Raises if this is not a worker of the key."""
    await _agent(tx, key, worker_id)


async def renew_for(
    tx: Transaction, *, key: WorkerKeyRecord, worker_id: str, lease: float, held: Sequence[Pair], beat: Beat
) -> tuple[list[tuple[str, str, bool]], bool]:
    """(run, token, cancel requested) for each that it still holds, and whether it should drain."""
    await _agent(tx, key, worker_id, write=True)
    is_to_drain = await tx.processes.beat_worker(worker_id, beat)
    pairs = set(held)
    renewed = await tx.runs.renew(worker_id, [run_id for run_id, _ in held], lease) if held else []
    return [one for one in renewed if (one[0], one[1]) in pairs], bool(is_to_drain)


async def report_for(
    tx: Transaction,
    *,
    key: WorkerKeyRecord,
    worker_id: str,
    report: Report,
    log_limit: int,
    chance: Callable[[], float],
) -> Reported:
    await _agent(tx, key, worker_id)
    rows = await _held(tx, worker_id, report.pairs)
    now = await tx.now()
    specs = await tx.jobs.definitions({(row.job_id, row.version) for row in rows.values()})
    logs, full = await _lines(tx, rows, report.chunks, log_limit, now)
    finished = [_finished(rows[one.pair], one, now) for one in report.outcomes if one.pair in rows]
    done = await finish(
        tx,
        finished=finished,
        specs=specs,
        chance=chance,
        logs=logs,
        progress=[one for one in report.progress if (one.run_id, one.token) in rows],
        wait=report.wait,
    )
    refused = (*done.refused, *(one.pair[0] for one in report.outcomes if one.pair not in rows))
    return Reported(replace(done, refused=refused), full)


async def release_for(
    tx: Transaction, *, key: WorkerKeyRecord, worker_id: str, pairs: Sequence[Pair], unreadable: Mapping[Pair, str]
) -> int:
    await _agent(tx, key, worker_id)
    rows = await _held(tx, worker_id, pairs)
    good = [_claimed(row) for pair, row in rows.items() if pair not in unreadable]
    bad = [row for pair, row in rows.items() if pair in unreadable]
    released = await release(tx, runs=good)
    if bad:
        reasons = {(row.job_id, row.version): unreadable[row.id, row.token] for row in bad}
        runs = [_claimed(row) for row in bad]
        await give_back(tx, worker_id=worker_id, runs=runs, reasons=reasons, offline_after=_OFFLINE_AFTER)
    return released + len(bad)


async def sign_off(tx: Transaction, *, key: WorkerKeyRecord, worker_id: str, runs_done: int) -> None:
    await _agent(tx, key, worker_id, write=True)
    await tx.processes.stop_worker(worker_id, runs_done)


async def definitions_of(tx: Transaction, runs: Sequence[Claimed]) -> Specs:
    return await tx.jobs.definitions({(run.job_id, run.version) for run in runs})


async def _agent(tx: Transaction, key: WorkerKeyRecord, worker_id: str, *, write: bool = False) -> AgentRow:
    found = await tx.worker_keys.agent(key.id, worker_id, write=write)
    if found is None:
        raise UnknownWorker
    return found


async def _held(tx: Transaction, worker_id: str, pairs: Collection[Pair]) -> dict[Pair, Leased]:
    """Those of these runs that this worker holds, their rows locked."""
    rows = await tx.runs.leased(sorted(pairs)) if pairs else []
    return {(row.id, row.token): row for row in rows if row.worker_id == worker_id}


def _finished(row: Leased, one: Outcomes, now: datetime) -> Finished:
    started = now - timedelta(milliseconds=one.duration_ms + one.ended_ms_ago)
    run = _claimed(row)._replace(started_at=min(max(started, row.due_at), now), ahead=True)
    return Finished(run, one.outcome, one.duration_ms)


def _claimed(row: Leased) -> Claimed:
    ids = (row.id, row.job_id, row.version, row.project_id, row.trigger, None, row.attempt, row.uncounted, None)
    return Claimed(*ids, row.due_at, row.started_at, row.token, False, row.traceparent)


async def _lines(
    tx: Transaction, rows: Mapping[Pair, Leased], chunks: Sequence[Chunk], limit: int, now: datetime
) -> tuple[list[LogLines], tuple[str, ...]]:
    """As much of the output as may be kept, and the runs of which no more is."""
    mine = [chunk for chunk in chunks if chunk.pair in rows]
    if not mine:
        return [], ()
    written = await tx.logs.lengths({run_id for run_id, _ in (chunk.pair for chunk in mine)})
    room = await spend_log(tx, spent={})
    spent: dict[str, int] = {}
    lines: list[LogLines] = []
    full: dict[str, None] = {}
    for chunk in mine:
        row = rows[chunk.pair]
        place = (row.id, row.attempt)
        left = min(limit - written.get(place, 0), room.get(row.project_id, limit) - spent.get(row.project_id, 0))
        data = chunk.text.encode()
        if len(data) >= left:
            full[row.id] = None
        text = data[: max(left, 0)].decode(errors="ignore")
        size = len(text.encode())
        if text:
            at = now - timedelta(milliseconds=min(chunk.ms_ago, 3_600_000))
            lines.append(LogLines(row.id, row.token, row.attempt, chunk.seq, at, chunk.stream, text))
        written[place] = written.get(place, 0) + size
        spent[row.project_id] = spent.get(row.project_id, 0) + size
    if counted := {project_id: size for project_id, size in spent.items() if project_id in room and size}:
        await spend_log(tx, spent=counted)
    return lines, tuple(full)
