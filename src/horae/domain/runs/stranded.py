"""Stranded runs: queued and due, while no live worker can execute them. They wait until one that can is started."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from horae.domain.cluster.process import WorkerRecord
from horae.domain.explain.capacity import capacity_gates
from horae.domain.explain.explanation import Gate, counted, span
from horae.domain.runs.engine_choice import DATABASE_ONLY, ENGINES, EngineChoice
from horae.domain.runs.states import WorkerStatus

Want = tuple[str, str]
"""A queue, and what its runs need."""

PATIENCE = 10.0  # seconds before a waiting run counts: workers restart
_WORKING = (WorkerStatus.IDLE, WorkerStatus.BUSY)


@dataclass(frozen=True, slots=True)
class Stranded:
    """Stranded runs of one project with the same requirements: how many, and since when the first of them is due."""

    project_id: str
    queue: str
    needs: str
    runs: int
    since: datetime


def unserved(
    wants: Iterable[Want], workers: Sequence[WorkerRecord], engines: EngineChoice = DATABASE_ONLY
) -> list[Want]:
    """Those that no live worker serves by their engine and supports. A worker that has merely gone silent still counts
    as live."""
    everywhere: dict[str, set[str]] = defaultdict(set)  # by engine
    offered: dict[tuple[str, str], set[str]] = defaultdict(set)  # by queue and engine
    for worker in workers:
        for engine in ENGINES if worker.status in _WORKING else ():
            if worker.serves_all and worker.engine in (None, engine):
                everywhere[engine].update(worker.offers)
            for queue in worker.queues:
                if worker.takes(queue, engine):
                    offered[queue, engine].update(worker.offers)
    by_engine = ((queue, needs, engines.of(queue)) for queue, needs in wants)
    return [
        (queue, needs)
        for queue, needs, engine in by_engine
        if needs not in everywhere[engine] and needs not in offered[queue, engine]
    ]


def why_stranded(
    queue: str,
    needs: str,
    workers: Sequence[WorkerRecord],
    now: datetime,
    engines: EngineChoice = DATABASE_ONLY,
) -> Gate:
    """The gate that they wait at, as an explanation would name it."""
    gates = capacity_gates(workers, queue=queue, needs=needs, now=now, wanted=False, engine=engines.of(queue))
    return next((gate for gate in gates if gate.state != "open"), gates[0])


def in_short(found: Collection[Stranded], now: datetime) -> str:
    """For everyone: only numbers, without names of queues or functions, which belong to projects."""
    return f"{_waiting(found)} for what no live worker offers, for {_since(found, now)}"


def in_words(found: Iterable[Stranded], now: datetime) -> dict[Want, str]:
    """For operators: one sentence for each requirement, across projects."""
    together: dict[Want, list[Stranded]] = defaultdict(list)
    for one in found:
        together[one.queue, one.needs].append(one)
    return {
        (queue, needs): f"{_waiting(same)} for what no live worker offers: {needs} (queue {queue}), "
        f"for {_since(same, now)}"
        for (queue, needs), same in together.items()
    }


def _waiting(found: Iterable[Stranded]) -> str:
    total = sum(one.runs for one in found)
    return f"{counted(total, 'run')} {'waits' if total == 1 else 'wait'}"


def _since(found: Iterable[Stranded], now: datetime) -> str:
    return span(now - min(one.since for one in found))
