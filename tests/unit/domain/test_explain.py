"""Why a job does not run: what is said of facts that databases seldom show together. Contract tests force each gate."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from horae.domain.explain import explain_job
from horae.domain.explanation import Explanation, brief, command, named, span
from horae.domain.facts import LiveRuns
from horae.domain.records import ShardView
from tests.unit.domain.situations import HOUR, MINUTE, NOW, WORKER, closed, ended_run, gate, job, live_run, upstream


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
    assert brief(None) == brief(" \n ") == "it says nothing about why"
    assert len(brief("x" * 10_000)) == 201


def test_commands_can_be_copied():
    assert command("jobs", "run", "it's; rm -rf /") == """horae jobs run 'it'"'"'s; rm -rf /'"""


# Jobs


def test_what_somebody_must_do_comes_before_what_time_will_do():
    found = explain_job(job(paused=True, paused_until=NOW + HOUR, workers=()))
    assert closed(found) == ["paused", "queue"]
    assert found.summary == (
        "Job 'report' starts no new run: no live worker serves queue 'default': none is alive at all "
        "(closed too: paused)."
    )


def test_its_time_only_informs_beside_a_gate_that_is_in_the_way():
    found = explain_job(job(next_run_at=NOW + HOUR, workers=()))
    assert closed(found) == ["queue"]
    assert (gate(found, "due").state, gate(found, "due").unblock) == ("info", None)
    assert closed(explain_job(job(next_run_at=NOW + HOUR))) == ["due"]


def test_what_people_decided_is_told_in_full():
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
    assert "its one time was" in gate(explain_job(job(next_run_at=None, schedule=once)), "occurrences").detail


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
def test_which_blackout(blackout, words):
    schedule = {"cron": "0 * * * *", "blackouts": [blackout]}
    found = explain_job(job(next_run_at=NOW + 2 * HOUR, fired_through=NOW, schedule=schedule))
    assert closed(found) == ["blackout"]
    assert words in gate(found, "blackout").detail
    assert gate(found, "blackout").until == NOW + 2 * HOUR


def test_a_blackout_at_another_time_is_in_nobodys_way():
    schedule = {"cron": "0 6 * * *", "blackouts": [{"start": "02:00", "end": "05:00"}]}
    found = explain_job(job(next_run_at=NOW + 3 * HOUR, schedule=schedule))
    assert closed(found) == ["due"]
    assert gate(found, "blackout").state == "open"


def test_a_scheduler_that_owns_the_shard_and_does_not_fire():
    found = explain_job(job(next_run_at=NOW - 5 * MINUTE))
    assert gate(found, "scheduler").state == "unknown"
    assert "yet it is 5 min late" in found.summary


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


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"attempt": 2, "due_at": NOW + HOUR},
            "r1 in its backoff after attempt 2 until 2026-11-15 04:00:00 UTC (in 1 h)",
        ),
        ({"due_at": NOW + HOUR}, "r1 queued until 2026-11-15 04:00:00 UTC (in 1 h)"),
        ({"attempt": 1}, "r1 queued, made 1 min ago"),
    ],
)
def test_what_a_live_run_waits_for(fields, words):
    """Told of the job, too: a run that waits for its next attempt keeps the place that the next occurrence needs."""
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


def test_what_was_skipped_by_reason():
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
        ({"run_on": "failure", "live": 2}, "it waits for job 'load' to fail, 2 runs of it live now"),
        ({"enabled": False}, "which is disabled"),
        ({"paused": True}, "which is paused"),
        ({"last_status": None, "last_ended_at": None}, "which never ran yet"),
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
