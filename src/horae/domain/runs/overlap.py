"""Overlap: which fired occurrences start, which wait and which are skipped, when a job limits concurrent runs or its
project limits live runs. Pure: the verb counts under the lock of the job's gate and of the project's quota."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from horae.domain.jobs.policy import Overlap
from horae.domain.runs.firing import Firing, Occurrence, SkippedRange
from horae.domain.runs.gate import JobGate
from horae.domain.runs.states import SkipReason


class Admitted(NamedTuple):
    """A run to be queued; `held` until a place is free."""

    occurrence: Occurrence
    held: bool


class Admission(NamedTuple):
    admitted: tuple[Admitted, ...]
    cancel_running: bool  # running and waiting runs yield to the admitted ones
    skipped: tuple[SkippedRange, ...]
    next_run_at: datetime | None
    fired_through: datetime
    contested: bool = False  # the first is held until the gate decides whether it may start

    @property
    def to_cancel(self) -> int:
        """How many of the active runs yield to held ones."""
        held = [entry for entry in self.admitted if entry.held] if self.cancel_running else []
        # Caught-up runs come one after the other: together they need one place.
        return 1 if held and held[0].occurrence.in_order else len(held)


def admit(firing: Firing, overlap: Overlap, gate: JobGate, places: int | None = None) -> Admission:
    """`places` is how many more live runs the project may have; None: any number."""
    if firing.whole is None:
        return _within(places, _admit(firing, overlap, gate))
    # Skipped occurrences do not use up `max_runs`: later ones take their place, if there are any.
    found, left = _within(places, _admit(firing.whole, overlap, gate)), len(firing.occurrences)
    if len(found.admitted) < left:
        return found
    admitted = found.admitted[:left]
    last = admitted[-1].occurrence.at
    return Admission(
        admitted=admitted,
        cancel_running=found.cancel_running and any(entry.held for entry in admitted),
        skipped=tuple(row for row in found.skipped if row.first < last),
        next_run_at=None,
        fired_through=last,
        contested=found.contested,
    )


def _admit(firing: Firing, overlap: Overlap, gate: JobGate) -> Admission:
    if gate.limit is None:  # as for most jobs
        admitted = tuple(Admitted(occurrence, False) for occurrence in firing.occurrences)
        return Admission(admitted, False, firing.skipped, firing.next_run_at, firing.fired_through)
    # Caught-up runs come one after the other: the rule decides about the first, the others wait behind it.
    in_order = bool(firing.occurrences) and firing.occurrences[0].in_order
    decided = firing.occurrences[:1] if in_order else firing.occurrences
    places = gate.admit(len(decided), overlap, in_order=in_order)
    start, wait = places.superseded, places.superseded + places.placed
    end = wait + places.held
    held = (*decided[wait:end], *firing.occurrences[len(decided) :])
    return Admission(
        admitted=(*(Admitted(one, False) for one in decided[start:wait]), *(Admitted(one, True) for one in held)),
        cancel_running=overlap == "cancel_running" and places.held > 0 and not places.contested,
        skipped=(*firing.skipped, *_overlapping((*decided[:start], *decided[end:]), firing)),
        next_run_at=firing.next_run_at,
        fired_through=firing.fired_through,
        contested=places.contested,
    )


def _within(places: int | None, found: Admission) -> Admission:
    """The runs that fit into the project's quota, oldest first: held runs count as live too."""
    if places is None or len(found.admitted) <= places:
        return found
    kept, dropped = found.admitted[: max(places, 0)], found.admitted[max(places, 0) :]
    others = sorted([*(entry.occurrence.at for entry in kept), *(row.first for row in found.skipped)])
    ranges = _ranges(SkipReason.QUOTA, [entry.occurrence for entry in dropped], others)
    return found._replace(
        admitted=kept,
        cancel_running=found.cancel_running and any(entry.held for entry in kept),
        skipped=(*found.skipped, *ranges),
        contested=found.contested and bool(kept),
    )


def _overlapping(dropped: Sequence[Occurrence], firing: Firing) -> tuple[SkippedRange, ...]:
    if not dropped:
        return ()
    others = sorted([*(o.at for o in firing.occurrences if o not in dropped), *(s.first for s in firing.skipped)])
    return _ranges(SkipReason.OVERLAP, dropped, others)


def _ranges(reason: SkipReason, dropped: Sequence[Occurrence], others: Sequence[datetime]) -> tuple[SkippedRange, ...]:
    """One row for each consecutive series of occurrences."""
    rows: list[SkippedRange] = []
    for occurrence in dropped:
        at = occurrence.at
        if rows and not any(rows[-1].last < other < at for other in others):
            rows[-1] = replace(rows[-1], last=at, count=rows[-1].count + 1)
        else:
            rows.append(SkippedRange(reason, at, at, 1))
    return tuple(rows)
