"""`/metrics`: for an admin's key or the metrics token, in Prometheus' text form."""

from __future__ import annotations

from dataclasses import replace

from prometheus_client.parser import text_string_to_metric_families

from tests.integration.api.conftest import Api


async def test_metrics_count_runs_by_status(api: Api) -> None:
    await api.make()
    await api.call("POST", "/jobs/hello/run", json={})
    answer = await api.call("GET", "/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    assert {name: family.type for name, family in families.items()} == {
        "horae_runs": "counter",
        "horae_retries": "counter",
        "horae_occurrences_skipped": "counter",
        "horae_runs_live": "gauge",
        "horae_auth_failures": "counter",
        "horae_quota_refusals": "counter",
    }
    numbers = {
        (sample.name, *sample.labels.items()): sample.value for one in families.values() for sample in one.samples
    }
    assert numbers["horae_runs_live", ("status", "queued")] == 1
    assert numbers["horae_runs_total", ("status", "succeeded")] == 0
    assert numbers["horae_retries_total",] == 0


async def test_the_metrics_token_opens_metrics_and_nothing_else(api: Api) -> None:
    context = api.app.state.context
    api.app.state.context = replace(context, settings=replace(context.settings, metrics_token="t0ken"))
    mine = {"authorization": "Bearer t0ken"}
    assert (await api.call("GET", "/metrics", role=None, headers=mine)).status_code == 200
    assert (await api.call("GET", "/jobs", role=None, headers=mine)).status_code == 401
    wrong = {"authorization": "Bearer other"}
    assert (await api.call("GET", "/metrics", role=None, headers=wrong)).status_code == 401
