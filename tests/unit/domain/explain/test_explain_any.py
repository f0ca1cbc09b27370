"""For any facts, an explanation is one sentence, and has an `unblock` for each closed gate."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from horae.domain.cluster.process import ShardView
from horae.domain.explain.answer import explain_job, explain_run
from horae.domain.explain.facts import LiveRuns
from tests.unit.domain.explain.situations import (
    ENDED,
    MINUTE,
    NOW,
    PARKED,
    RUNNING,
    WORKER,
    ended_run,
    job,
    live_run,
    run,
    spec,
    tried,
    upstream,
)

near = st.integers(-7_200, 7_200).map(lambda seconds: NOW + timedelta(seconds=seconds))
maybe = st.none() | near
worker = st.builds(
    lambda **fields: replace(WORKER, **fields),
    queues=st.sampled_from([(), ("default",), ("web",)]),
    offers=st.sampled_from([(), ("http",), ("http", "python:work")]),
    status=st.sampled_from(["idle", "busy", "draining", "offline"]),
    busy=st.integers(0, 9),
    heartbeat_at=near,
)
schedules = st.sampled_from(
    [
        {"every": "1h"},
        {"cron": "0 * * * *", "timezone": "Europe/Berlin", "blackouts": [{"start": "02:00", "end": "06:00"}]},
        {
            "every": 60,
            "jitter": 30,
            "max_runs": 3,
            "start_at": "2026-11-15T02:30:00Z",
            "end_at": "2026-11-15T05:00:00Z",
        },
        {"at": "2026-11-15T04:00:00Z"},
        {"manual": True},
        {"after": {"job": "load"}},
    ]
)
live_runs = st.builds(
    live_run, status=st.sampled_from(["queued", "running"]), held=st.booleans(), due_at=near, started_at=maybe
)
lives = st.builds(
    lambda first, more: LiveRuns(1, sum(not r.held for r in first) + more, sum(r.held for r in first), 1, tuple(first)),
    st.lists(live_runs, max_size=5),
    st.integers(0, 2),
)
rows = st.builds(
    ended_run,
    status=st.sampled_from(["succeeded", "failed", "cancelled", "skipped"]),
    reason=st.none() | st.sampled_from(["overlap", "missed"]),
    scheduled_for=maybe,
    scheduled_until=maybe,
    error=st.none() | st.text(),
)
job_facts = st.builds(
    job,
    schedule=schedules,
    overlap=st.sampled_from(["skip", "queue_one", "queue_all", "cancel_running", "allow"]),
    enabled=st.booleans(),
    paused=st.booleans(),
    paused_until=maybe,
    next_run_at=maybe,
    fired_through=maybe,
    fired_count=st.integers(0, 4),
    live=lives,
    recent=st.lists(rows, max_size=4).map(tuple),
    workers=st.lists(worker, max_size=3).map(tuple),
    shard=st.builds(ShardView, st.just(3), st.sampled_from([None, "s1", "s2"]), st.just(1), maybe),
    upstream=st.sampled_from([(), (upstream(),)]),
)
run_facts = st.builds(
    lambda shape, **fields: run(**{**fields, **shape}),
    shape=st.sampled_from(
        [
            {},
            RUNNING,
            PARKED,
            {**PARKED, "lease_until": NOW - MINUTE},
            *({**ENDED, "status": status} for status in ("succeeded", "failed", "cancelled")),
            {"status": "skipped", "finished_at": NOW, "scheduled_for": NOW - MINUTE, "attempt": 0},
        ]
    ),
    attempt=st.integers(0, 3),
    uncounted=st.integers(0, 1),
    held=st.booleans(),
    due_at=near,
    start_by=maybe,
    lease_until=maybe,
    cancel_requested_at=maybe,
    reason=st.none() | st.sampled_from(["attempts", "permanent", "expired", "overlap", "blackout", "dst_gap"]),
    scheduled_for=maybe,
    error=st.none() | st.text(),
    spec=st.none() | schedules.map(lambda schedule: spec(schedule=schedule)),
    attempts=st.lists(st.builds(tried, error=st.none() | st.text()), max_size=2).map(tuple),
    workers=st.lists(worker, max_size=3).map(tuple),
    live=st.none() | lives,
)


@settings(max_examples=500)
@given(job_facts.map(explain_job) | run_facts.map(explain_run))
def test_every_explanation_is_one_sentence_and_says_what_to_do(found):
    assert found.summary.endswith(".")
    assert len(found.summary.splitlines()) == 1
    assert len({one.name for one in found.gates}) == len(found.gates)
    for one in found.gates:
        assert one.detail
        assert one.unblock or not one.closed
    ats = [entry.at for entry in found.timeline]
    assert ats == sorted(ats)
    closed_ones = [one for one in found.gates if one.closed]
    assert found.cause is None or found.cause in found.gates
    assert not closed_ones or (found.cause is not None and found.cause.detail in found.summary)
