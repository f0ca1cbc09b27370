"""The rules for occurrences that come while the job's places are taken, as a table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from horae.domain.runs.firing import Firing, Occurrence, SkippedRange, finished
from horae.domain.runs.gate import JobGate
from horae.domain.runs.overlap import admit
from horae.domain.runs.states import SkipReason

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
NEXT = START + timedelta(hours=1)


def _at(number: int) -> datetime:
    return START + timedelta(seconds=number)


def _firing(count: int, in_order: bool = False, left: int | None = None) -> Firing:
    occurrences = tuple(Occurrence(_at(n), _at(n), in_order) for n in range(count))
    whole = Firing(occurrences, (), NEXT, _at(count - 1))
    return whole if left is None else finished(whole, left)._replace(whole=whole)


# How many come, how many run and wait already; then: which are let in (h: held), which are skipped, who is cancelled.
@pytest.mark.parametrize(
    ("overlap", "limit", "count", "active", "waiting", "admitted", "skipped", "cancel"),
    [
        ("skip", 1, 1, 0, 0, "0", "", False),
        ("skip", 1, 1, 1, 0, "", "0", False),
        ("skip", 1, 3, 0, 0, "0", "1-2", False),
        ("skip", 1, 3, 1, 5, "", "0-2", False),
        ("skip", 2, 3, 1, 0, "0", "1-2", False),
        ("skip", 3, 3, 0, 0, "0 1 2", "", False),
        ("skip", 1, 1, 4, 0, "", "0", False),  # the limit was lowered meanwhile
        ("queue_one", 1, 1, 0, 0, "0", "", False),
        ("queue_one", 1, 1, 1, 0, "0h", "", False),
        ("queue_one", 1, 1, 1, 1, "", "0", False),
        ("queue_one", 1, 3, 0, 0, "0 1h", "2", False),
        ("queue_one", 1, 3, 1, 0, "0h", "1-2", False),
        ("queue_one", 1, 3, 1, 2, "", "0-2", False),
        ("queue_one", 2, 4, 1, 0, "0 1h", "2-3", False),
        ("queue_all", 1, 1, 0, 0, "0", "", False),
        ("queue_all", 1, 3, 0, 0, "0 1h 2h", "", False),
        ("queue_all", 1, 3, 1, 7, "0h 1h 2h", "", False),
        ("queue_all", 2, 3, 1, 0, "0 1h 2h", "", False),
        ("cancel_running", 1, 1, 0, 0, "0", "", False),
        ("cancel_running", 1, 1, 1, 0, "0h", "", True),
        ("cancel_running", 1, 1, 1, 1, "0h", "", True),
        ("cancel_running", 1, 3, 0, 0, "2", "0-1", False),
        ("cancel_running", 1, 3, 1, 0, "2h", "0-1", True),
        ("cancel_running", 2, 3, 1, 0, "1 2h", "0", True),
        ("cancel_running", 2, 1, 1, 0, "0", "", False),
        ("allow", None, 3, 9, 0, "0 1 2", "", False),
        ("skip", None, 3, 9, 0, "0 1 2", "", False),
    ],
)
def test_rules(overlap, limit, count, active, waiting, admitted, skipped, cancel):
    found = admit(_firing(count), overlap, JobGate(limit, active, waiting > 0))
    assert _said(found) == admitted
    assert " ".join(_range(row) for row in found.skipped) == skipped
    assert found.cancel_running == cancel
    assert found.to_cancel == (admitted.count("h") if cancel else 0)
    assert found.next_run_at == NEXT
    assert len(found.admitted) + sum(row.count for row in found.skipped) == count


@pytest.mark.parametrize(
    ("overlap", "limit", "active", "admitted", "skipped", "cancel"),
    [
        ("skip", 1, 0, "0 1h 2h", "", False),
        ("skip", 1, 1, "1h 2h", "0", False),
        ("skip", 5, 0, "0 1h 2h", "", False),
        ("skip", 5, 1, "0h 1h 2h", "", False),  # what is under way may be one of those before it
        ("cancel_running", 5, 1, "0h 1h 2h", "", False),
        ("queue_one", 1, 0, "0 1h 2h", "", False),
        ("queue_one", 1, 1, "0h 1h 2h", "", False),
        ("queue_all", 1, 1, "0h 1h 2h", "", False),
        ("cancel_running", 1, 0, "0 1h 2h", "", False),
        ("cancel_running", 1, 1, "0h 1h 2h", "", True),
        ("skip", None, 1, "0 1 2", "", False),
    ],
)
def test_caught_up_runs_are_admitted_in_order(overlap, limit, active, admitted, skipped, cancel):
    found = admit(_firing(3, in_order=True), overlap, JobGate(limit, active))
    assert _said(found) == admitted
    assert " ".join(_range(row) for row in found.skipped) == skipped
    assert found.cancel_running == cancel
    assert found.to_cancel == cancel
    assert found.contested == (limit == 5 and active > 0)


def test_nothing_fires():
    firing = Firing((), (), NEXT, START)
    assert admit(firing, "skip", JobGate(1, 1)) == ((), False, (), NEXT, START, False)


# So many come, `max_runs` leaves so many; then: which are let in, which are skipped, and whether that was the end.
@pytest.mark.parametrize(
    ("overlap", "limit", "active", "count", "left", "admitted", "skipped", "ends"),
    [
        ("skip", 1, 0, 3, 1, "0", "", True),
        ("skip", 1, 0, 3, 2, "0", "1-2", False),
        ("skip", 1, 1, 3, 1, "", "0-2", False),
        ("skip", 3, 0, 9, 2, "0 1", "", True),
        ("queue_one", 1, 1, 3, 1, "0h", "", True),
        ("queue_all", 1, 1, 9, 2, "0h 1h", "", True),
        ("cancel_running", 1, 1, 3, 1, "2h", "0-1", True),
        ("cancel_running", 2, 1, 3, 1, "1", "0", True),
        ("allow", None, 9, 3, 2, "0 1", "", True),
    ],
)
def test_what_is_skipped_does_not_use_up_max_runs(overlap, limit, active, count, left, admitted, skipped, ends):
    found = admit(_firing(count, left=left), overlap, JobGate(limit, active))
    assert _said(found) == admitted
    assert " ".join(_range(row) for row in found.skipped) == skipped
    assert found.next_run_at == (None if ends else NEXT)
    assert found.fired_through == (found.admitted[-1].occurrence.at if ends else _at(count - 1))
    assert found.cancel_running == (overlap == "cancel_running" and "h" in admitted)


def test_caught_up_ones_get_in_for_the_one_that_is_skipped():
    found = admit(_firing(9, in_order=True, left=2), "skip", JobGate(1, 1))
    assert _said(found) == "1h 2h"
    assert [_range(row) for row in found.skipped] == ["0"]
    assert (found.next_run_at, found.fired_through) == (None, _at(2))


def test_a_row_does_not_reach_over_others():
    """Blackouts between two skipped occurrences part them."""
    blackout = SkippedRange(SkipReason.BLACKOUT, _at(1), _at(1), 1)
    occurrences = tuple(Occurrence(_at(n), _at(n)) for n in (0, 2, 3))
    found = admit(Firing(occurrences, (blackout,), NEXT, _at(3)), "skip", JobGate(1, 1))
    assert [_range(row) for row in found.skipped if row != blackout] == ["0", "2-3"]


def _said(admission) -> str:
    return " ".join(f"{(one.occurrence.at - START).seconds}{'h' if one.held else ''}" for one in admission.admitted)


def _range(row: SkippedRange) -> str:
    assert row.reason is SkipReason.OVERLAP
    first, last = (row.first - START).seconds, (row.last - START).seconds
    assert row.count == last - first + 1
    return f"{first}" if first == last else f"{first}-{last}"
