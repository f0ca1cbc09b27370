"""`/metrics`: for an admin's key or the metrics token, in Prometheus' text form."""

from __future__ import annotations

from dataclasses import replace

from tests.integration.api.conftest import Api


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


async def test_no_path_that_somebody_sends_becomes_a_label(api: Api) -> None:
    for number in range(3):
        await api.call("GET", f"/jobs/absent-{number}")
        await api.call("GET", f"/nowhere/{number}")
    text = (await api.call("GET", "/metrics")).text
    assert "absent" not in text
    assert 'route="(none)",status="404"} 3.0' in text


async def test_the_queues_with_the_most_to_do_are_told_apart(api: Api) -> None:
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
