"""`/metrics`: for an admin's key or the metrics token, in Prometheus' text form."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from horae.lifecycle.prune import roll_up
from tests.integration.api.conftest import ON_EVERY_DATABASE, Api
from tests.integration.api.test_monitoring import add_worker, some_history
from tests.integration.api.work import FAILED, work


@ON_EVERY_DATABASE
async def test_metrics_count_runs_by_status(api: Api) -> None:
    await api.make()
    await api.call("POST", "/jobs/hello/run", json={})
    answer = await api.call("GET", "/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    assert 'horae_runs_live{status="queued"} 1.0' in lines
    assert 'horae_queue_depth{queue="default"} 1.0' in lines
    assert 'horae_runs_total{status="succeeded"} 0.0' in lines
    assert "# TYPE horae_occurrences_skipped_total counter" in lines
    assert "horae_retries_total 0.0" in lines
    assert 'horae_requests_total{method="POST",route="/api/v1/jobs/{id}/run",status="202"} 1.0' in lines


async def test_request_paths_never_become_labels(api: Api) -> None:
    for number in range(3):
        await api.call("GET", f"/jobs/absent-{number}")
        await api.call("GET", f"/nowhere/{number}")
    text = (await api.call("GET", "/metrics")).text
    assert "absent" not in text
    assert 'route="(none)",status="404"} 3.0' in text


async def test_only_the_longest_queues_have_their_own_label(api: Api) -> None:
    for number in range(102):
        await api.make(f"job-{number}", queue=f"queue-{number:03}")
        await api.call("POST", f"/jobs/job-{number}/run", json={})
    await api.call("POST", "/jobs/job-101/run", json={})
    lines = [line for line in (await api.call("GET", "/metrics")).text.splitlines() if line.startswith("horae_queue_d")]
    assert len(lines) == 101
    assert 'horae_queue_depth{queue="queue-101"} 2.0' in lines
    assert 'horae_queue_depth{queue="(others)"} 2.0' in lines


async def test_openmetrics_for_those_who_ask_for_it(api: Api) -> None:
    answer = await api.call("GET", "/metrics", headers={"accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    assert answer.text.endswith("# EOF\n")


async def test_the_metrics_token_opens_metrics_and_nothing_else(api: Api) -> None:
    context = api.app.state.context
    api.app.state.context = replace(context, settings=replace(context.settings, metrics_token="t0ken"))
    mine = {"authorization": "Bearer t0ken"}
    assert (await api.call("GET", "/metrics", role=None, headers=mine)).status_code == 200
    assert (await api.call("GET", "/jobs", role=None, headers=mine)).status_code == 401
    wrong = {"authorization": "Bearer other"}
    assert (await api.call("GET", "/metrics", role=None, headers=wrong)).status_code == 401


def choose(api: Api, *jobs: tuple[str, str]) -> None:
    context = api.app.state.context
    api.app.state.context = replace(context, settings=replace(context.settings, metrics_jobs=frozenset(jobs)))


async def of_jobs(api: Api) -> dict[str, float]:
    lines = (await api.call("GET", "/metrics")).text.splitlines()
    found = (line.removeprefix("horae_job_").rpartition(" ") for line in lines if line.startswith("horae_job_"))
    return {name: float(value) for name, _, value in found}


async def test_no_job_is_a_label_unless_it_was_chosen(api: Api) -> None:
    await some_history(api)
    assert await of_jobs(api) == {}
    choose(api, ("default", "held"), ("other", "hello"), ("default", "absent"))
    statuses = ("succeeded", "failed", "cancelled", "skipped")
    assert (await of_jobs(api)).keys() == {
        *(f'runs_total{{job="held",project="default",status="{status}"}}' for status in statuses),
        'overdue_seconds{job="held",project="default"}',
    }, "a paused job is not due, and one that never succeeded has no such time"


@ON_EVERY_DATABASE
@pytest.mark.parametrize("summed", [False, True])
async def test_the_numbers_of_a_chosen_job(api: Api, summed: bool) -> None:
    await api.make("nightly", schedule={"cron": "0 0 1 1 *"})
    choose(api, ("default", "nightly"))
    for outcome in (None, FAILED):
        await api.call("POST", "/jobs/nightly/run")
        await (work(api) if outcome is None else work(api, outcome=outcome))
        if summed:
            await api.store.transact(roll_up)
    found, labels = await of_jobs(api), '{job="nightly",project="default"'
    assert found[f'runs_total{labels},status="succeeded"}}'] == 1
    assert found[f'runs_total{labels},status="failed"}}'] == 1
    now = (await api.store.read(lambda tx: tx.now())).timestamp()
    assert now - 300 < found[f"last_success_timestamp_seconds{labels}}}"] <= now
    assert now < found[f"next_run_timestamp_seconds{labels}}}"] <= now + 366 * 86_400
    assert found[f"overdue_seconds{labels}}}"] == 0


async def in_json(api: Api) -> dict[str, Any]:
    found: dict[str, Any] = (await api.call("GET", "/metrics", headers={"accept": "application/json"})).json()
    return found


async def test_the_json_form_has_what_it_always_had(api: Api) -> None:
    await add_worker(api, "default", busy=1, status="busy")
    await some_history(api)
    found = await in_json(api)
    assert set(found["jobs"]) >= {"total", "enabled", "disabled"}
    first = {"total", "queued", "running", "success", "failure", "dead_letter", "success_rate", "avg_duration_ms"}
    assert set(found["executions"]) >= first | {"timed_out", "retries", "stuck"}
    assert (found["executions"]["success"], found["executions"]["success_rate"]) == (3, 75.0)
    assert found["workers"] == {"total": 1, "alive": 1, "slots": 4, "slots_busy": 1, "runs_per_minute": 0}
    assert found["scheduler"] == {"lag_seconds": 0.0}


async def test_the_json_form_knows_throughput_and_lag(api: Api) -> None:
    await api.make("late", schedule={"every": "1h"})
    await some_history(api)

    async def ago(tx: Any, seconds: float) -> datetime:
        now: datetime = await tx.now()
        return now - timedelta(seconds=seconds)

    async def move(tx: Any) -> None:
        await tx._db.execute("UPDATE stat_deltas SET at = :at", {"at": await ago(tx, 60)})
        await tx._db.execute("UPDATE jobs SET next_run_at = :at WHERE name = 'late'", {"at": await ago(tx, 90)})

    await api.store.transact(move)
    await api.store.transact(roll_up)
    found = await in_json(api)
    assert found["workers"]["runs_per_minute"] in (4, 0)  # 0: the next minute has begun meanwhile
    assert 90 <= found["scheduler"]["lag_seconds"] < 300


async def test_a_damaged_worker_keeps_nothing_else_from_being_shown(api: Api) -> None:
    fine, damaged = await add_worker(api, "default", busy=1, status="busy"), await add_worker(api, "default")

    async def damage(tx: Any) -> None:
        torn = {"torn": json.dumps(7), "id": damaged}  # PostgreSQL takes nothing there that is not JSON
        columns = "queues = :torn, offers = :torn, isolation = :torn, trouble = 'x', status = 'pupating'"
        await tx._db.execute(f"UPDATE workers SET {columns} WHERE id = :id", torn)

    await api.store.transact(damage)
    for accept in ("text/plain", "application/json"):
        assert (await api.call("GET", "/metrics", headers={"accept": accept})).status_code == 200
    lines = (await api.call("GET", "/metrics")).text.splitlines()
    assert 'horae_workers{status="busy"} 1.0' in lines
    assert 'horae_workers{status="unknown"} 1.0' in lines
    assert not any("pupating" in line for line in lines), "labels are bounded"
    assert fine in (await api.call("GET", "/workers")).text
