"""Why a run waits or how it ended, and what happened to it in order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from horae.domain.explain.answer import explain_job, explain_run
from horae.domain.explain.explanation import Explanation
from horae.domain.explain.facts import LiveRuns
from tests.unit.domain.explain.situations import (
    ENDED,
    HOUR,
    MINUTE,
    NOW,
    PARKED,
    RUNNING,
    WORKER,
    closed,
    gate,
    job,
    live_run,
    run,
    spec,
    tried,
)


def test_an_interrupted_attempt_is_not_counted():
    found = explain_run(run(attempt=2, uncounted=1, due_at=NOW + MINUTE, attempts=(tried(), tried(2))))
    assert "attempt 2 (1 of 3 that count) failed: it broke;" in gate(found, "backoff").detail


def test_a_run_whose_definition_is_gone():
    assert closed(explain_run(run(spec=None))) == ["definition"]
    ended = run(spec=None, status="failed", reason="definition", error=None, **ENDED)
    assert closed(explain_run(ended)) == ["definition"]


def test_held_in_a_backfill():
    live = LiveRuns(1, 2, 1, 0, (live_run(id="a"), live_run(id="b")))
    found = explain_run(run(held=True, trigger="backfill", live=live))
    assert "behind 2 runs under way (a and b) of the same backfill" in gate(found, "held").detail
    soon = explain_run(run(held=True, live=replace(live, under_way=0, first=())))
    assert "its turn is about to come" in soon.summary


def test_a_held_run_names_what_the_run_before_it_is_stuck_on():
    stuck = live_run(id="a", needs="container")
    live = LiveRuns(1, 1, 1, 0, (stuck,))
    same = explain_run(run(held=True, live=live, spec=spec(target={"kind": "container", "image": "busybox"})))
    assert closed(same) == ["held", "capability"]
    assert "is queued: no live worker that serves queue 'default' offers 'container'" in same.summary
    assert same.summary.endswith("; also blocked by held.")
    edited = explain_run(run(held=True, live=live))
    assert "is queued: run a is stuck: no live worker that serves queue 'default' offers 'container'" in edited.summary
    assert (edited.cause, edited.level) == (gate(edited, "held"), "problem")


@pytest.mark.parametrize(
    ("facts", "level"),
    [
        (run(), "ok"),
        (run(due_at=NOW + HOUR), "waiting"),
        (run(held=True, live=LiveRuns(1, 1, 1, 0, (live_run(),))), "waiting"),
        (run(**RUNNING), "ok"),
        (run(**{**RUNNING, "cancel_requested_at": NOW}), "intended"),
        (run(**PARKED), "waiting"),
        (run(status="cancelled", **ENDED), "intended"),
        (run(status="skipped", reason="overlap", **ENDED), "intended"),
        (run(status="skipped", reason="missed", **ENDED), "warning"),
        (run(status="succeeded", **ENDED), "ok"),
        (run(status="failed", reason="attempts", **ENDED), "problem"),
        (run(workers=()), "problem"),
    ],
)
def test_only_what_went_wrong_is_a_problem(facts, level):
    found = explain_run(facts)
    assert found.level == level
    assert ("problem" in {one.level for one in found.gates}) == (level == "problem")


def test_a_run_that_waits_though_nothing_is_in_its_way():
    found = explain_run(run(due_at=NOW - 5 * MINUTE))
    assert closed(found) == []
    assert "nothing known blocks it: see the logs of the workers" in found.summary


def test_the_actor_of_a_cancellation_is_named():
    asked = {**RUNNING, "cancel_requested_at": NOW, "cancel_requested_by": "key:boss"}
    assert "key:boss asked it to stop" in explain_run(run(**asked)).summary


def test_an_unknown_worker_means_the_run_may_be_stuck():
    found = explain_run(run(**RUNNING, workers=()))
    assert gate(found, "worker").state == "unknown"
    assert "may be stuck: worker w1 has it, but that worker is unknown" in found.summary
    leaving = explain_run(run(**RUNNING, workers=(replace(WORKER, status="draining"),)))
    assert "which is shutting down," in gate(leaving, "worker").detail


def test_a_parked_run_waits_for_its_callback():
    found = explain_run(run(**PARKED))
    assert closed(found) == ["callback"]
    assert "it is parked, and waits for its callback until 2026-11-15 04:00:00 UTC (in 1 h)" in found.summary
    assert gate(found, "callback").until == NOW + HOUR
    assert "horae runs cancel r1" in str(gate(found, "callback").unblock)
    assert {one.name for one in found.gates}.isdisjoint({"worker", "lease"}), "no worker has it"
    assert told(found)[-2:] == ["now: running", "callback: attempt 1 times out unless the callback has come"]


def test_a_parked_run_whose_callback_did_not_come():
    found = explain_run(run(**{**PARKED, "lease_until": NOW - MINUTE}))
    assert closed(found) == ["callback"]
    assert "no callback came by 2026-11-15 02:59:00 UTC (1 min ago)" in found.summary
    assert "scheduler beta" in str(gate(found, "callback").unblock)


def test_a_job_mentions_a_parked_run():
    parked = live_run(status="running", started_at=NOW - MINUTE, parked=True)
    found = explain_job(job(live=LiveRuns(1, 1, 0, 0, (parked,))))
    assert "r1 started 1 min ago, and waits for its callback" in gate(found, "runs").detail


def test_a_skipped_row_with_a_reason_of_later_times():
    found = explain_run(run(status="skipped", reason="eclipse", scheduled_for=NOW, finished_at=NOW))
    assert closed(found) == ["eclipse"]


# Timelines


def told(found: Explanation) -> list[str]:
    return [f"{entry.event}: {entry.detail}" for entry in found.timeline]


def waits(found: Explanation) -> list[tuple[int | None, str | None]]:
    return [(entry.waited_ms, entry.waited_for) for entry in found.timeline]


def test_a_caught_up_run_from_beginning_to_end():
    fields = {**ENDED, "status": "succeeded", "trigger": "schedule", "scheduler_id": "s1", "triggered_by": None}
    found = explain_run(run(**fields, scheduled_for=NOW - HOUR, due_at=NOW - HOUR, spec=spec(schedule={"every": "1h"})))
    assert told(found) == [
        "due: its occurrence",
        "created: fired by scheduler beta (process 7)",
        "claimed: attempt 1 by worker alpha",
        "attempt: attempt 1 succeeded",
        "ended: succeeded",
    ]
    assert waits(found) == [
        (None, None),
        (3_540_000, "its scheduler: it was not fired on time, so it was caught up"),
        (30_000, "its turn, or a worker"),
        (30_000, "its work"),
        (0, None),
    ]


def test_a_retry_waits_for_its_backoff_and_then_for_a_worker():
    first = tried(started_at=NOW - MINUTE, finished_at=NOW - MINUTE * 0.75)
    found = explain_run(
        run(**{**ENDED, "attempt": 2}, status="failed", reason="permanent", error="no", due_at=NOW - MINUTE * 0.55,
            attempts=(first,))
    )  # fmt: skip
    assert told(found)[2:] == [
        "attempt: attempt 1 failed: it broke",
        "due: attempt 2",
        "claimed: attempt 2 by worker alpha",
        "attempt: attempt 2 failed: no",
        "ended: failed (permanent)",
    ]
    assert waits(found)[3:5] == [(12_000, "its backoff"), (3_000, "a worker")]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"trigger": "manual"}, "triggered by key:ops (manual)"),
        ({"trigger": "retry", "rerun_of": "r0"}, "run again by key:ops, after r0"),
        ({"trigger": "after", "parent_run_id": "r0", "triggered_by": None}, "started by the end of run r0"),
        ({"scheduler_id": "s9"}, "fired by scheduler s9"),
    ],
)
def test_where_a_run_comes_from(fields, words):
    assert f"created: {words}" in told(explain_run(run(**fields)))


def test_the_timeline_omits_a_due_time_after_the_end():
    found = explain_run(run(status="cancelled", due_at=NOW + HOUR, finished_at=NOW - MINUTE / 2))
    assert told(found) == ["created: triggered by key:ops (api)", "ended: cancelled"]
    assert waits(found)[-1] == (30_000, "its time")


@pytest.mark.parametrize(("limit", "words"), [(1, "its turn, or a worker"), (None, "a worker")])
def test_a_cancelled_run_says_what_it_had_waited_for(limit, words):
    """Whether it was held is not on record any more: the limit says whether it may have been."""
    found = explain_run(run(status="cancelled", finished_at=NOW, spec=spec(max_instances=limit)))
    assert waits(found)[-1] == (60_000, words)


def test_a_cancelled_attempt_is_listed_once():
    found = explain_run(run(status="cancelled", error="cancelled", **ENDED))
    assert told(found)[-2:] == ["attempt: attempt 1 cancelled", "ended: cancelled"]


def test_a_row_for_many_occurrences():
    fields = {"scheduled_for": NOW - 3 * HOUR, "scheduled_until": NOW - HOUR, "occurrences": 3}
    found = explain_run(run(status="skipped", reason="missed", finished_at=NOW, scheduler_id="s1", **fields))
    assert told(found) == [
        "due: 3 occurrences, up to 2026-11-15 02:00:00 UTC",
        "ended: skipped (missed)",
    ]
