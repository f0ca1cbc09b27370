"""Capacity: the gates between a queued run and a worker's slot.

A worker that has been silent for a while may be gone or merely slow: that is unknown until it counts as offline, so the
gates say `unknown` rather than guess."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from horae.domain.cluster.process import WorkerRecord
from horae.domain.explain.explanation import Gate, command, counted, named, span
from horae.domain.jobs.queue import QueueRecord
from horae.domain.runs.engine_choice import CELERY, DATABASE
from horae.domain.runs.states import WorkerStatus

SILENT_AFTER = timedelta(seconds=15)  # five heartbeats by default


def silent(heartbeat_at: datetime, now: datetime) -> bool:
    return now - heartbeat_at > SILENT_AFTER


def capacity_gates(
    workers: Sequence[WorkerRecord],
    *,
    queue: str,
    needs: str,
    now: datetime,
    wanted: bool,
    engine: str = DATABASE,
    ahead: int = 0,
    paused: QueueRecord | None = None,
) -> list[Gate]:
    """The gates `queue`, `capability` and `slots`. `wanted` is whether a run needs a slot now: otherwise busy slots are
    not a problem yet. `engine` carries the queue; `paused` is the queue, if it is paused."""
    if paused is not None and paused.paused_at is not None:
        since = f"{span(now - paused.paused_at)} ago by {paused.paused_by}"
        unasked = "unknown while the queue is paused"
        return [
            Gate(
                "queue",
                "closed",
                f"queue {queue!r} was paused {since}",
                command("queues", "resume", queue),
                meaning="intended",
            ),
            _unasked("capability", unasked),
            _unasked("slots", unasked),
        ]
    there = [worker for worker in workers if worker.there]
    serving = [worker for worker in there if worker.takes(queue, engine)]
    claiming = [w for w in serving if w.status != WorkerStatus.DRAINING and not silent(w.heartbeat_at, now)]
    gate = _queue(queue, engine, there, serving, claiming, now)
    if gate.state != "open":
        unasked = "unknown while no live worker serves the queue"
        return [gate, _unasked("capability", unasked), _unasked("slots", unasked)]
    able = [worker for worker in claiming if needs in worker.offers]
    if not able:
        closed = _incapable(queue, needs, claiming, there)
        return [gate, closed, _unasked("slots", f"unknown while no live worker offers {needs!r}")]
    capable = Gate("capability", "open", f"{_names(able)} {_verb(able, 'offer')} {needs!r}")
    working = [worker for worker in able if not _fails_to_claim(worker)]
    if not working:
        return [gate, capable, _failing(able, now), _unasked("slots", "unknown while no worker can claim runs")]
    return [gate, capable, _slots(working, wanted, ahead)]


def _fails_to_claim(worker: WorkerRecord) -> bool:
    return worker.trouble is not None and worker.trouble.loop == "claim"


def _failing(able: Sequence[WorkerRecord], now: datetime) -> Gate:
    """Their heartbeats are fine, yet they claim nothing."""
    reasons = [
        f"worker {worker.name} has failed to claim runs for {span(now - worker.trouble.since)}: {worker.trouble.reason}"
        for worker in able
        if worker.trouble is not None
    ]
    return Gate("claim", "closed", named(reasons), "fix the cause; its log has the full error, and it keeps trying")


def _unasked(name: str, why: str) -> Gate:
    return Gate(name, "unknown", why, meaning="consequence")


def _queue(
    queue: str,
    engine: str,
    there: Sequence[WorkerRecord],
    serving: Sequence[WorkerRecord],
    claiming: Sequence[WorkerRecord],
    now: datetime,
) -> Gate:
    if claiming:
        return Gate("queue", "open", f"{_names(claiming)} {_verb(claiming, 'serve')} queue {queue!r}")
    there_from = ("--engine", engine) if engine == CELERY or _elsewhere(queue, there, serving) else ()
    start = f"start a worker that serves queue {queue!r}: {command('worker', *there_from, '--queues', queue)}"
    quiet = [worker for worker in serving if silent(worker.heartbeat_at, now)]
    if quiet:
        only = f"{_names(quiet)}, which {_verb(quiet, 'serve')} queue {queue!r}"
        silence = span(now - max(worker.heartbeat_at for worker in quiet))
        has = "has" if len(quiet) == 1 else "have"
        return Gate(
            "queue", "unknown", f"{only}, {has} been silent for {silence}", f"make sure that it is running, or {start}"
        )
    if serving:
        only = f"{_names(serving)}, which {_verb(serving, 'serve')} queue {queue!r}"
        return Gate("queue", "closed", f"{only}, {'is' if len(serving) == 1 else 'are'} shutting down", start)
    if elsewhere := _elsewhere(queue, there, serving):
        return _other_engine(queue, engine, elsewhere, start)
    if there:
        others = named(f"{worker.name} ({_served(worker)})" for worker in there)
        return Gate("queue", "closed", f"no live worker serves queue {queue!r}; alive: {others}", start)
    return Gate("queue", "closed", f"no live worker serves queue {queue!r}: no worker is alive", start)


def _elsewhere(queue: str, there: Sequence[WorkerRecord], serving: Sequence[WorkerRecord]) -> Sequence[WorkerRecord]:
    """Workers that serve the queue, but not by the engine that carries it."""
    return [] if serving else [worker for worker in there if worker.serves(queue)]


def _other_engine(queue: str, engine: str, elsewhere: Sequence[WorkerRecord], start: str) -> Gate:
    if engine == CELERY:
        detail = f"queue {queue!r} is carried by celery, and no live worker consumes it from the broker"
        others = f"{_names(elsewhere)} {_verb(elsewhere, 'claim')} from the database"
        back = command("queues", "set", queue, "--engine", DATABASE)
        return Gate("queue", "closed", f"{detail}; {others}", f"{start}; or let the database carry it: {back}")
    detail = f"queue {queue!r} is carried by the database, and no live worker claims it from there"
    return Gate("queue", "closed", f"{detail}; {_names(elsewhere)} {_verb(elsewhere, 'consume')} from a broker", start)


def _incapable(queue: str, needs: str, claiming: Sequence[WorkerRecord], there: Sequence[WorkerRecord]) -> Gate:
    offered = named(f"{worker.name} offers {', '.join(worker.offers) or 'nothing'}" for worker in claiming)
    detail = f"no live worker that serves queue {queue!r} offers {needs!r}; {offered}"
    elsewhere = [worker for worker in there if needs in worker.offers and not worker.serves(queue)]
    if elsewhere:
        unblock = f"let {_names(elsewhere)}, which {_verb(elsewhere, 'offer')} it, serve queue {queue!r}"
    elif needs.startswith("python:"):
        unblock = f"start a worker that has this function: {command('worker', '--queues', queue, '--import', 'MODULE')}"
    else:
        unblock = (
            f"start a worker that runs {needs} targets: HORAE_EXECUTORS={needs} {command('worker', '--queues', queue)}"
        )
    return Gate("capability", "closed", detail, unblock)


def _slots(able: Sequence[WorkerRecord], wanted: bool, ahead: int) -> Gate:
    total = sum(worker.slots for worker in able)
    busy = sum(min(worker.busy, worker.slots) for worker in able)
    if busy < total:
        return Gate("slots", "open", f"{total - busy} of {counted(total, 'slot')} of {_names(able)} free")
    before = f"; {counted(ahead, 'run')} ahead of it in the queue" if ahead else ""
    which = f"all {total} slots of {_names(able)} are" if total > 1 else f"the one slot of {_names(able)} is"
    detail = f"{which} busy{before}"
    if not wanted:
        return Gate("slots", "info", detail)
    unblock = f"free a slot or add workers ({command('workers')} shows what each is doing)"
    return Gate("slots", "closed", detail, unblock, meaning="waiting")


def worker_name(workers: Sequence[WorkerRecord], worker_id: str | None) -> str:
    found = next((worker.name for worker in workers if worker.id == worker_id), None)
    return f"worker {found}" if found else f"worker {worker_id}" if worker_id else "a worker"


def _names(workers: Sequence[WorkerRecord]) -> str:
    return f"{'worker' if len(workers) == 1 else 'workers'} {named(worker.name for worker in workers)}"


def _verb(workers: Sequence[WorkerRecord], verb: str) -> str:
    return f"{verb}s" if len(workers) == 1 else verb


def _served(worker: WorkerRecord) -> str:
    if worker.queues:
        return "serves other queues"  # not which: their names may reveal what other projects do
    return "serves no queue: none is reserved for its projects" if worker.projects else "serves all queues"
