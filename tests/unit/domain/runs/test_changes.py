"""Changes of runs between two polls."""

from datetime import UTC, datetime, timedelta

from horae.domain.runs.changes import Glance, Seen, changed_runs, gone

NOW = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)
BEFORE, AFTER = NOW - timedelta(minutes=1), NOW + timedelta(seconds=1)


def seen(**runs: tuple[str, int, bool]) -> Seen:
    return Seen(runs, {})


def test_runs_that_were_never_seen_count_from_then_on():
    live = [Glance("old", "queued", 0, False, BEFORE), Glance("new", "queued", 0, False, AFTER)]
    ended = [Glance("quick", "succeeded", 1, False, AFTER)]
    assert changed_runs(seen(), live, ended, NOW) == {"new", "quick"}


def test_runs_that_were_seen_count_when_they_are_not_as_they_were():
    before = seen(a=("queued", 0, False), b=("queued", 0, False), c=("running", 1, False), d=("running", 1, False))
    live = [
        Glance("a", "queued", 0, False, BEFORE),
        Glance("b", "running", 1, False, BEFORE),
        Glance("c", "running", 1, True, BEFORE),  # someone asked it to stop
    ]
    ended = [Glance("d", "failed", 1, False, BEFORE)]
    assert changed_runs(before, live, ended, NOW) == {"b", "c", "d"}


def test_a_live_run_that_vanished_is_reported_as_gone():
    before = seen(a=("queued", 0, False), b=("running", 1, False), c=("succeeded", 1, False))
    assert gone(before, [Glance("a", "queued", 0, False, BEFORE)], []) == {"b"}
