"""Admission of runs that are not occurrences: triggered ones, and those that follow another job."""

from __future__ import annotations

import pytest

from horae.domain.runs.gate import NO_GATE, JobGate, Places


@pytest.mark.parametrize(
    ("gate", "count", "places"),
    [
        (NO_GATE, 3, Places(placed=3)),
        (JobGate(2), 3, Places(placed=2, held=1)),
        (JobGate(2, 1), 1, Places(placed=1)),
        (JobGate(2, 2), 3, Places(held=3)),
        (JobGate(2, 5), 1, Places(held=1)),  # the limit was lowered meanwhile
        (JobGate(2, 2, waiting=True), 1, Places(held=1)),
        (JobGate(2, 1, waiting=True), 3, Places(held=3, contested=True)),
        (JobGate(2, 1, waiting=True), 0, Places()),  # all of them are for later
    ],
)
def test_triggered_runs_are_never_skipped_and_keep_their_order(gate, count, places):
    assert gate.admit(count, "in_turn") == places


def test_followers_in_one_batch_are_admitted_one_by_one():
    gate, seen = JobGate(2, 1), []
    for _ in range(3):
        places = gate.admit(1, "queue_one")
        gate = gate.with_(places)
        seen.append(places)
    assert seen == [Places(placed=1), Places(held=1), Places()]
    assert gate == JobGate(2, 2, waiting=True)


def test_a_limit_that_was_lowered_leaves_a_surplus():
    assert (JobGate(2, 5).free, JobGate(2, 5).surplus) == (0, 3)
    assert (JobGate(2, 1).free, JobGate(2, 1).surplus) == (1, 0)
