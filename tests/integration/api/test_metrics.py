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
    assert 'horae_runs_live{status="queued"} 1' in lines
    assert 'horae_runs_total{status="succeeded"} 0' in lines
    assert "# TYPE horae_occurrences_skipped_total counter" in lines
    assert "horae_retries_total 0" in lines


async def test_the_metrics_token_opens_metrics_and_nothing_else(api: Api) -> None:
    context = api.app.state.context
    api.app.state.context = replace(context, settings=replace(context.settings, metrics_token="t0ken"))
    mine = {"authorization": "Bearer t0ken"}
    assert (await api.call("GET", "/metrics", role=None, headers=mine)).status_code == 200
    assert (await api.call("GET", "/jobs", role=None, headers=mine)).status_code == 401
    wrong = {"authorization": "Bearer other"}
    assert (await api.call("GET", "/metrics", role=None, headers=wrong)).status_code == 401
