"""Explanations of jobs for combinations of facts that are rare in a database. Contract tests force each gate."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from horae.domain.cluster.process import ShardView
from horae.domain.cluster.trouble import Trouble
from horae.domain.explain.answer import explain_job
from horae.domain.explain.explanation import Explanation, brief, command, named, span
from horae.domain.explain.facts import LiveRuns
from horae.domain.jobs.queue import QueueRecord
from tests.unit.domain.explain.situations import (
    HOUR,
    MINUTE,
    NOW,
    SCHEDULER,
    WORKER,
    closed,
    ended_run,
    gate,
    job,
    live_run,
    upstream,
)


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (timedelta(milliseconds=350), "350 ms"),
        (timedelta(seconds=12.9), "12 s"),
        (timedelta(seconds=125), "2 min 5 s"),
        (timedelta(hours=1), "1 h"),
        (timedelta(days=1, seconds=59), "1 d"),
        (timedelta(days=1, hours=3, minutes=5), "1 d 3 h"),
        (-timedelta(seconds=5), "5 s"),
        (timedelta(0), "0 ms"),
    ],
)
def test_spans(time, words):
    assert span(time) == words


def test_lists_are_short():
    assert named([]) == "none"
    assert named(["a"]) == "a"
    assert named("abc") == "a, b and c"
    assert named("abcde") == "a, b, c and 2 more"
    assert named("ab", 9) == "a, b and 7 more"
    assert named([], 2) == "2 others"


def test_errors_are_one_line():
    assert brief("first\nsecond") == "first"
    assert brief(None) == brief(" \n ") == "no reason given"
    assert len(brief("x" * 10_000)) == 201


def test_commands_can_be_copied():
    assert command("jobs", "run", "it's; rm -rf /") == """horae jobs run 'it'"'"'s; rm -rf /'"""


# Jobs


def test_problems_are_named_before_waiting():
    found = explain_job(job(paused=True, paused_until=NOW + HOUR, workers=()))
    assert closed(found) == ["paused", "queue"]
    assert found.summary == (
        "Job 'report' is blocked: no live worker serves queue 'default': no worker is alive; also blocked by paused."
    )


def test_a_limit_that_a_stuck_run_has_reached_is_not_the_root_cause():
    """A case from a review: the blocking run can never start, and only that needs a fix."""
    runs = LiveRuns(1, 1, 0, 0, (live_run(needs="container", queue="gpu"),))
    container = {"target": {"kind": "container", "image": "busybox"}, "queue": "gpu"}
    worker = replace(WORKER, queues=())
    found = explain_job(job(live=runs, recent=(ended_run(),), workers=(worker,), **container))
    assert closed(found) == ["overlap", "capability"]
    assert found.summary.startswith(
        "Job 'report' is blocked: no live worker that serves queue 'gpu' offers 'container'; alpha offers http"
    )
    assert "; also blocked by overlap" in found.summary
    assert (found.cause, found.level) == (gate(found, "capability"), "problem")
    assert gate(found, "overlap").level == "waiting"
    assert gate(found, "overlap").unblock == "fix what that run is stuck on, or cancel that run: horae runs cancel r1"


def test_a_stuck_run_of_an_earlier_version_is_explained_first():
    """The job's own gates are all open: what is stuck was queued where it used to go."""
    runs = LiveRuns(1, 1, 0, 0, (live_run(needs="container", queue="gpu"),))
    found = explain_job(job(live=runs, recent=(ended_run(),)))
    assert closed(found) == ["overlap"]
    assert found.summary.startswith("Job 'report' is blocked: run r1 is stuck: no live worker serves queue 'gpu'; ")
    assert "horae worker --queues gpu" in (gate(found, "overlap").unblock or "")
    paused = {"gpu": QueueRecord("gpu", NOW - MINUTE, "key:ops", 0, 0)}
    found = explain_job(job(live=runs, recent=(ended_run(),), paused_queues=paused))
    assert "run r1 is stuck: queue 'gpu' was paused 1 min ago by key:ops; " in found.summary


def test_a_run_in_the_way_whose_worker_is_lost():
    gone = live_run(status="running", started_at=NOW - HOUR, worker_id="w1", lease_until=NOW - MINUTE)
    found = explain_job(job(live=LiveRuns(1, 1, 0, 0, (gone,))))
    assert found.summary.startswith(
        "Job 'report' is blocked: run r1 is stuck: worker alpha is lost: its lease ran out 1 min ago; 1 of at most 1"
    )


@pytest.mark.parametrize(
    ("facts", "level"),
    [
        (job(), "ok"),
        (job(next_run_at=NOW + HOUR), "waiting"),
        (job(schedule={"after": {"job": "load"}}, next_run_at=None, upstream=(upstream(),)), "waiting"),
        (job(schedule={"every": "1h", "start_at": (NOW + HOUR).isoformat()}, next_run_at=NOW + HOUR), "waiting"),
        (job(schedule={"manual": True}, next_run_at=None), "ok"),
        (job(enabled=False, next_run_at=None), "intended"),
        (job(paused=True), "intended"),
        (job(workers=(replace(WORKER, busy=4),)), "waiting"),
        (job(workers=(replace(WORKER, heartbeat_at=NOW - MINUTE),)), "warning"),
        (job(workers=()), "problem"),
        (job(schedule={"after": {"job": "load"}}, next_run_at=None), "problem"),
    ],
)
def test_only_gates_that_need_a_fix_are_problems(facts, level):
    found = explain_job(facts)
    assert found.level == level
    assert ("problem" in {one.level for one in found.gates}) == (level == "problem")


def test_its_time_only_informs_beside_a_gate_that_is_in_the_way():
    found = explain_job(job(next_run_at=NOW + HOUR, workers=()))
    assert closed(found) == ["queue"]
    assert (gate(found, "due").state, gate(found, "due").unblock) == ("info", None)
    assert closed(explain_job(job(next_run_at=NOW + HOUR))) == ["due"]


def test_disabled_and_paused_are_both_named():
    found = explain_job(job(enabled=False, paused=True, next_run_at=None))
    assert closed(found) == ["enabled", "paused"]
    assert gate(found, "occurrences").state == "open", "it has some as soon as it is enabled"


def test_a_disabled_job_may_have_nothing_left_either():
    over = {"every": "1h", "end_at": (NOW - HOUR).isoformat()}
    assert closed(explain_job(job(enabled=False, next_run_at=None, schedule=over))) == ["enabled", "occurrences"]
    used_up = {"every": "1h", "max_runs": 2}
    found = explain_job(job(enabled=False, next_run_at=None, fired_count=2, schedule=used_up))
    assert "max_runs (2) is reached" in gate(found, "occurrences").detail


def test_one_time_is_over():
    once = {"at": (NOW - HOUR).isoformat()}
    assert "its only time was" in gate(explain_job(job(next_run_at=None, schedule=once)), "occurrences").detail


@pytest.mark.parametrize(
    ("blackout", "words"),
    [
        ({"start": "03:30", "end": "05:00", "days": ["SUN"]}, "from 03:30 to 05:00 on SUN, UTC"),
        ({"start": "23:00", "end": "05:00"}, "from 23:00 to 05:00 every day, UTC"),
        (
            {"start": "2026-11-15T03:30:00Z", "end": "2026-11-15T05:00:00Z"},
            "from 2026-11-15 03:30:00 UTC to 2026-11-15 05:00:00 UTC",
        ),
    ],
)
def test_the_blackout_in_force_is_named(blackout, words):
    schedule = {"cron": "0 * * * *", "blackouts": [blackout]}
    found = explain_job(job(next_run_at=NOW + 2 * HOUR, fired_through=NOW, schedule=schedule))
    assert closed(found) == ["blackout"]
    assert words in gate(found, "blackout").detail
    assert gate(found, "blackout").until == NOW + 2 * HOUR


def test_a_blackout_at_another_time_blocks_nothing():
    schedule = {"cron": "0 6 * * *", "blackouts": [{"start": "02:00", "end": "05:00"}]}
    found = explain_job(job(next_run_at=NOW + 3 * HOUR, schedule=schedule))
    assert closed(found) == ["due"]
    assert gate(found, "blackout").state == "open"


def test_a_scheduler_that_owns_the_shard_and_does_not_fire():
    found = explain_job(job(next_run_at=NOW - 5 * MINUTE))
    assert gate(found, "scheduler").state == "unknown"
    assert "yet it is 5 min late" in found.summary


def test_a_scheduler_whose_firing_fails():
    trouble = Trouble("fire", "OperationalError: no", NOW - 5 * MINUTE)
    found = explain_job(job(next_run_at=NOW - 5 * MINUTE, schedulers=(replace(SCHEDULER, trouble=trouble),)))
    assert closed(found) == ["scheduler"]
    assert "beta (process 7) has failed to fire schedules for 5 min: OperationalError: no" in found.summary
    other = replace(SCHEDULER, trouble=replace(trouble, loop="upkeep"))
    assert explain_job(job(schedulers=(other,))).level == "ok"


def test_workers_whose_claims_fail():
    broken = replace(WORKER, trouble=Trouble("claim", "OperationalError: no", NOW - 5 * MINUTE))
    found = explain_job(job(workers=(broken,)))
    assert closed(found) == ["claim"]
    assert "worker alpha has failed to claim runs for 5 min: OperationalError: no" in found.summary
    assert (found.level, gate(found, "slots").level) == ("problem", "info")
    assert explain_job(job(workers=(broken, replace(WORKER, id="w2", name="beta")))).level == "ok"


def test_an_owner_that_is_not_known_any_more():
    found = explain_job(job(shard=ShardView(3, "s9", 1, NOW - MINUTE), schedulers=()))
    assert "scheduler s9 did, but its lease ran out 1 min ago" in gate(found, "scheduler").detail


def test_overlap_is_felt_when_something_is_skipped():
    under_way = LiveRuns(1, 1, 0, 0, (live_run(status="running", started_at=NOW - MINUTE, worker_id="w1"),))
    calm = explain_job(job(live=under_way, next_run_at=NOW + HOUR))
    assert closed(calm) == ["due"]
    assert "has work under way: r1 started 1 min ago on worker alpha" in calm.summary
    felt = explain_job(job(live=under_way, next_run_at=NOW + HOUR, recent=(ended_run(),)))
    assert closed(felt) == ["overlap"]


def test_a_run_for_later_is_not_under_way():
    later = LiveRuns(1, 0, 1, 0, (live_run(held=True, due_at=NOW + HOUR),))
    found = explain_job(job(live=later, next_run_at=NOW + HOUR))
    assert "has work waiting: r1 scheduled for 2026-11-15 04:00:00 UTC (in 1 h)" in found.summary


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"attempt": 2, "due_at": NOW + HOUR},
            "r1 backing off after attempt 2 until 2026-11-15 04:00:00 UTC (in 1 h)",
        ),
        ({"due_at": NOW + HOUR}, "r1 scheduled for 2026-11-15 04:00:00 UTC (in 1 h)"),
        ({"attempt": 1}, "r1 queued, created 1 min ago"),
    ],
)
def test_the_overlap_gate_says_what_the_live_run_waits_for(fields, words):
    """Also for the job: a run that waits for its next attempt keeps the place that the next occurrence needs."""
    runs = LiveRuns(1, 1, 0, 0, (live_run(**fields),))
    found = explain_job(job(live=runs, recent=(ended_run(),)))
    assert closed(found) == ["overlap"]
    assert f"1 of at most 1 run under way ({words})" in found.summary
    assert gate(found, "runs").detail == words


def test_queue_one_lets_one_wait_and_no_more():
    def places(held: int) -> Explanation:
        runs = LiveRuns(1, 1, held, 0, (live_run(), *[live_run(id="r2", held=True)] * held))
        return explain_job(job(live=runs, overlap="queue_one"))

    assert closed(places(0)) == ["max_instances"]
    assert closed(places(1)) == ["overlap"]


def test_skipped_occurrences_are_summed_by_reason():
    rows = (
        ended_run(occurrences=5, reason="missed", scheduled_for=NOW - HOUR),
        ended_run(),
        ended_run(id="r9", status="failed", reason="attempts", error="it broke\nbadly"),
        ended_run(),
    )
    found = explain_job(job(next_run_at=NOW + HOUR, recent=rows))
    assert gate(found, "skipped").detail == (
        "7 occurrences were skipped since 2026-11-15 02:00:00 UTC: missed 5, overlap 2"
    )
    assert gate(found, "last_run").detail == "r9 failed 1 min ago: it broke"
    assert found.summary.endswith("its latest occurrence, 2026-11-15 02:59:00 UTC, was skipped: missed.")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "it waits for job 'load' to end, whose last run was cancelled 1 h ago"),
        ({"run_on": "failure", "live": 2}, "it waits for job 'load' to fail, 2 runs live now"),
        ({"enabled": False}, "which is disabled"),
        ({"paused": True}, "which is paused"),
        ({"last_status": None, "last_ended_at": None}, "which has never run"),
    ],
)
def test_waiting_for_another_job(fields, words):
    after = {"after": {"job": "load", "on": "any"}}
    found = explain_job(job(schedule=after, next_run_at=None, upstream=(upstream(**fields),)))
    assert closed(found) == ["after"]
    assert words in found.summary


def test_a_capable_worker_of_another_queue():
    elsewhere = replace(WORKER, name="gamma", queues=("web",))
    found = explain_job(job(workers=(replace(WORKER, offers=("http",)), elsewhere)))
    assert gate(found, "capability").unblock == "let worker gamma, which offers it, serve queue 'default'"
    script = explain_job(job(target={"kind": "script", "source": "true"}))
    assert "HORAE_EXECUTORS=script horae worker --queues default" in (gate(script, "capability").unblock or "")
