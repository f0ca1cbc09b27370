"""Runs over the API."""

from typing import Any

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome

from .conftest import ON_EVERY_DATABASE, Api
from .work import work

RUN_FIELDS = (
    "id job_id job_name version project_id trigger scheduled_for due_at queue priority status outcome attempt "
    "uncounted max_attempts trace_id "
    "parked worker_id started_at finished_at duration_ms response_code exit_code result error reason occurrences "
    "scheduled_until input truncated progress parent_run_id rerun_of triggered_by scheduler_id created_at"
)
UNKNOWN = "01990000-0000-7000-8000-000000000000"


@ON_EVERY_DATABASE
async def test_a_run_has_every_field_of_the_interface(api: Api):
    job = await api.make(queue="mail", priority=7)
    answer = await api.call("POST", "/jobs/hello/run", json={"input": {"customer": 7}})
    assert answer.status_code == 202
    run = answer.json()
    assert set(run) == set(RUN_FIELDS.split())
    assert (run["job_id"], run["job_name"], run["version"]) == (job["id"], "hello", 1)
    assert (run["status"], run["trigger"], run["queue"], run["priority"]) == ("queued", "api", "mail", 7)
    assert run["input"] == {"customer": 7}
    assert run["triggered_by"] == "key:admin"
    assert run["created_at"].endswith("Z")
    assert run["started_at"] is None
    assert answer.headers["location"] == f"/api/v1/runs/{run['id']}"
    more = {
        "lease_until": None,
        "worker_heartbeat_at": None,
        "trace_url": None,
        "traceback": None,
        "cancel_requested_at": None,
        "dead_since": None,
    }
    assert (await api.call("GET", f"/runs/{run['id']}")).json() == {**run, **more}


async def test_people_start_runs_by_hand(api: Api):
    await api.make()
    answer = await api.call("POST", "/jobs/hello/run", headers={"horae-client": "cli"})
    assert answer.json()["trigger"] == "manual"


async def test_a_run_may_wait_for_its_time(api: Api):
    await api.make()
    body = {"run_at": "2030-01-01T01:00:00+01:00", "priority": 0}
    run = (await api.call("POST", "/jobs/hello/run", json=body)).json()
    assert (run["due_at"], run["priority"]) == ("2030-01-01T00:00:00Z", 0)


@ON_EVERY_DATABASE
async def test_many_runs_at_once_or_none(api: Api):
    await api.make()
    answer = await api.call("POST", "/jobs/hello/runs:batch", json={"runs": [{"input": n} for n in range(1000)]})
    assert answer.status_code == 202
    assert [run["input"] for run in answer.json()["items"]] == list(range(1000))
    for refused in ([], [{"input": n} for n in range(1001)], [{}, {"priority": 10}], [{}, {"inptu": 1}]):
        answer = await api.call("POST", "/jobs/hello/runs:batch", json={"runs": refused})
        assert answer.status_code == 422
    bad = (await api.call("POST", "/jobs/hello/runs:batch", json={"runs": [{}, {"priority": 10}]})).json()
    assert bad["field"] == "runs[1].priority"
    seen, cursor = [], None
    while True:
        page = (await api.call("GET", "/runs", params={"limit": 200, **({"cursor": cursor} if cursor else {})})).json()
        seen += [run["id"] for run in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert len(seen) == len(set(seen)) == 1000
    assert seen == sorted(seen, reverse=True)


@ON_EVERY_DATABASE
async def test_runs_are_filtered(api: Api):
    await api.make("a")
    await api.make("b")
    of_a = (await api.call("POST", "/jobs/a/run")).json()["id"]
    of_b = (await api.call("POST", "/jobs/b/run", headers={"horae-client": "portal"})).json()["id"]

    async def ids(path: str = "/runs", **params: str) -> set[str]:
        answer = await api.call("GET", path, params=params)
        assert answer.status_code == 200, answer.text
        return {run["id"] for run in answer.json()["items"]}

    assert await ids() == {of_a, of_b}
    assert await ids(job="a") == {of_a}
    assert await ids(trigger="manual") == {of_b}
    assert await ids(status="queued") == {of_a, of_b}
    assert await ids(status="failed") == set()
    assert await ids(worker=UNKNOWN) == set()
    assert await ids(since="2026-01-01T00:00:00+01:00") == await ids(until="2099-01-01T00:00:00Z") == {of_a, of_b}
    assert await ids("/jobs/a/runs", until="2026-01-01T00:00:00Z") == set()
    backwards = {"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}
    for params, field in (({"since": "yesterday"}, "since"), (backwards, "until"), ({"worker": "x"}, "worker")):
        refused = await api.call("GET", "/runs", params=params)
        assert (refused.status_code, refused.json()["field"]) == (422, field)
    assert await ids("/jobs/a/runs") == await ids("/jobs/a/executions") == {of_a}
    assert (await api.call("GET", "/runs", params={"job": "c"})).status_code == 404
    assert (await api.call("GET", "/jobs/c/runs")).status_code == 404


async def test_a_queued_run_is_cancelled_at_once(api: Api):
    await api.make()
    run = (await api.call("POST", "/jobs/hello/run")).json()
    for _ in range(2):  # asking twice changes nothing
        cancelled = await api.call("POST", f"/runs/{run['id']}/cancel")
        assert (cancelled.status_code, cancelled.json()["status"]) == (202, "cancelled")
    shown = (await api.call("GET", f"/runs/{run['id']}")).json()
    assert shown["finished_at"] is not None


async def test_a_run_that_was_never_claimed_has_no_attempts_and_no_log(api: Api):
    await api.make()
    run = (await api.call("POST", "/jobs/hello/run")).json()
    for path in ("attempts", "log"):
        answer = await api.call("GET", f"/runs/{run['id']}/{path}")
        assert answer.json() == {"items": [], "next_cursor": None}


async def test_unknown_runs(api: Api):
    for run in (UNKNOWN, "x", "%2e%2e", "1" * 500, UNKNOWN.upper().replace("0", "A"), "a%00b"):
        for path in ("", "/attempts", "/log"):
            answer = await api.call("GET", f"/runs/{run}{path}")
            assert answer.status_code == 404, (run, path)
            assert answer.headers["content-type"] == "application/problem+json"
        assert (await api.call("POST", f"/runs/{run}/cancel")).status_code == 404


async def test_nothing_to_recover(api: Api):
    assert (await api.call("POST", "/runs:recover")).json() == {"recovered": 0}


async def test_without_processes_the_lists_are_empty(api: Api):
    nobody: dict[str, Any] = {"items": [], "next_cursor": None}
    assert (await api.call("GET", "/workers")).json() == nobody
    assert (await api.call("GET", "/schedulers")).json() == {**nobody, "shard_count": 64}


async def test_runs_are_found_by_the_outcome_of_their_last_attempt(api: Api):
    await api.make(retry={"max_attempts": 2, "delay": 0})
    run = (await api.call("POST", "/jobs/hello/run")).json()
    down = Outcome(AttemptOutcome.FAILED, result='{"body": "upstream is down"}', response_code=503)
    await work(api, outcome=down)
    await work(api, outcome=Outcome(AttemptOutcome.TIMED_OUT, error="too slow"))
    for path in ("/runs", "/jobs/hello/runs"):
        (found,) = (await api.call("GET", f"{path}?outcome=timed_out")).json()["items"]
        assert (found["id"], found["status"], found["outcome"]) == (run["id"], "failed", "timed_out")
        assert (await api.call("GET", f"{path}?outcome=lost")).json()["items"] == []
        refused = await api.call("GET", f"{path}?outcome=parked")
        assert (refused.status_code, refused.json()["field"]) == (422, "outcome")
    attempts = (await api.call("GET", f"/runs/{run['id']}/attempts")).json()["items"]
    assert [(one["n"], one["outcome"], one["response_code"], one["result"]) for one in attempts] == [
        (1, "failed", 503, {"body": "upstream is down"}),
        (2, "timed_out", None, None),
    ]
