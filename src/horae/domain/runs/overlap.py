"""Which of the occurrences that fire find a place, which wait and which are skipped, when a job is limited to so
many runs at a time, or its project to so many live runs. Pure: the verb counts under the lock of the job's gate and of
the project's quota."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from horae.domain.jobs.policy import Overlap
from horae.domain.runs.firing import Firing, Occurrence, Plan, SkippedRange
from horae.domain.runs.states import SkipReason


class Admitted(NamedTuple):
    """A run to be queued; `held` until a place is free."""

    occurrence: Occurrence
    held: bool


class Admission(NamedTuple):
    admitted: tuple[Admitted, ...]
    cancel_running: bool  # what runs or waits already makes way for what is admitted
    skipped: tuple[SkippedRange, ...]
    next_run_at: datetime | None
    fired_through: datetime


def admit(firing: Firing, plan: Plan, active: int, waiting: int, places: int | None = None) -> Admission:
    """`active` runs are under way (queued unheld, running or waiting for a retry), `waiting` ones are held. `places` is
    how many more live runs the project may have; None: any number."""
    if firing.whole is None:
        return _within(places, _admit(firing, plan, active, waiting))
    # What is skipped does not use up `max_runs`: others get in for it, as far as there are any.
    found, left = _within(places, _admit(firing.whole, plan, active, waiting)), len(firing.occurrences)
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
    )


def _admit(firing: Firing, plan: Plan, active: int, waiting: int) -> Admission:
    limit = None if plan.overlap == "allow" else plan.max_instances
    if limit is None:
        admitted = tuple(Admitted(occurrence, False) for occurrence in firing.occurrences)
        return Admission(admitted, False, firing.skipped, firing.next_run_at, firing.fired_through)
    # Caught-up runs come one after the other: the rule decides about the first, the others wait behind it.
    in_order = firing.occurrences[1:] if firing.occurrences[:1] and firing.occurrences[0].in_order else ()
    usual = firing.occurrences[: len(firing.occurrences) - len(in_order)]
    free = max(0, limit - active)
    dropped: Sequence[Occurrence] = ()
    if plan.overlap == "cancel_running":
        # Of several at once only the newest would survive the others.
        dropped, usual = usual[: max(0, len(usual) - limit)], usual[max(0, len(usual) - limit) :]
    placed, rest = usual[:free], usual[free:]
    if plan.overlap == "skip":
        dropped, rest = rest, ()
    elif plan.overlap == "queue_one":
        room = 0 if waiting else 1
        dropped, rest = rest[room:], rest[:room]
    admitted = (
        *(Admitted(occurrence, False) for occurrence in placed),
        *(Admitted(occurrence, True) for occurrence in (*rest, *in_order)),
    )
    return Admission(
        admitted=admitted,
        cancel_running=plan.overlap == "cancel_running" and bool(rest),
        skipped=(*firing.skipped, *_ranges(SkipReason.OVERLAP, dropped, _beside(dropped, firing))),
        next_run_at=firing.next_run_at,
        fired_through=firing.fired_through,
    )


def admit_one(overlap: Overlap, limit: int, active: int, waiting: int) -> bool | SkipReason:
    """The same rule for a run that no occurrence stands for: whether it is held, or why there is none."""
    if active < limit:
        return False
    if overlap == "skip" or (overlap == "queue_one" and waiting):
        return SkipReason.OVERLAP
    return True


def _within(places: int | None, found: Admission) -> Admission:
    """What fits into the project's quota, the oldest first: held runs are live as well."""
    if places is None or len(found.admitted) <= places:
        return found
    kept, dropped = found.admitted[: max(places, 0)], found.admitted[max(places, 0) :]
    others = sorted([*(entry.occurrence.at for entry in kept), *(row.first for row in found.skipped)])
    ranges = _ranges(SkipReason.QUOTA, [entry.occurrence for entry in dropped], others)
    return found._replace(
        admitted=kept,
        cancel_running=found.cancel_running and any(entry.held for entry in kept),
        skipped=(*found.skipped, *ranges),
    )


def _beside(dropped: Sequence[Occurrence], firing: Firing) -> list[datetime]:
    return sorted([*(o.at for o in firing.occurrences if o not in dropped), *(s.first for s in firing.skipped)])


def _ranges(reason: SkipReason, dropped: Sequence[Occurrence], others: Sequence[datetime]) -> tuple[SkippedRange, ...]:
    """One row for each unbroken row of occurrences."""
    rows: list[SkippedRange] = []
    for occurrence in dropped:
        at = occurrence.at
        if rows and not any(rows[-1].last < other < at for other in others):
            rows[-1] = replace(rows[-1], last=at, count=rows[-1].count + 1)
        else:
            rows.append(SkippedRange(reason, at, at, 1))
    return tuple(rows)
