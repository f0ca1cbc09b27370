"""Time series over the API: of a project, of a queue, of a worker, and of everything for admins."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from horae.lifecycle.prune import roll_up

from .conftest import ON_EVERY_DATABASE, Api, add_key
from .test_access import another_project
from .test_monitoring import add_worker, some_history

HIDDEN = {"succeeded": 0, "failed": 0, "cancelled": 0, "skipped": 0, "retries": 0, "timed_out": 0}


async def recorded(api: Api) -> str:
    """A worker; and what schedulers do within two minutes."""
    worker = await add_worker(api, "default", busy=1, status="busy")
    await some_history(api)
    await api.store.transact(roll_up)
    sample = await api.store.read(lambda tx: tx.series.sample(180.0))
    assert sample is not None
    await api.store.transact(lambda tx: tx.series.record(sample))
    return worker


async def total(api: Api, query: str = "", role: str = "viewer") -> dict[str, Any]:
    """Everything of the last hour, as one point; the hour may end meanwhile."""
    points = (await api.call("GET", f"/monitoring/series?step=1d&{query}", role=role)).json()["points"]
    return points[-1]


@ON_EVERY_DATABASE
async def test_a_project_and_its_queue(api: Api):
    await recorded(api)
    found = (await api.call("GET", "/monitoring/series", role="viewer")).json()
    assert (found["step"], len(found["points"]) in (61, 62)) == (60, True)
    for query in ("", "queue=default"):
        point = await total(api, query)
        assert (point["ended"]["succeeded"], point["ended"]["failed"]) == (3, 1)
        assert (point["queued"]["max"], point["running"]["max"], point["running"]["slots"]) == (2, 1, 4)
        assert point["running"]["utilisation"] == 0.25
        assert point["lateness"]["count"] == point["duration"]["count"] == 4
        assert point["lateness"]["p50"] <= point["lateness"]["p99"]
    assert (await total(api, "queue=other"))["ended"] == HIDDEN


async def test_only_what_is_asked_for(api: Api):
    await recorded(api)
    assert set(await total(api, "metric=ended, lateness")) == {"at", "ended", "lateness"}


async def test_a_worker(api: Api):
    worker = await recorded(api)
    point = await total(api, f"worker={worker}")
    assert set(point) == {"at", "running", "done"}
    assert (point["running"]["max"], point["done"]) == (1, 0)


async def test_others_see_nothing_of_it(api: Api):
    await recorded(api)
    api.tokens["stranger"] = await add_key(api.store, "viewer", await another_project(api))
    for query in ("", "queue=default"):
        point = await total(api, query, role="stranger")
        assert (point["ended"], point["queued"]["max"], point["lateness"]["count"]) == (HIDDEN, 0, 0)
    assert (await api.call("GET", "/monitoring/series?all_projects=true", role="stranger")).status_code == 403
    assert (await api.call("GET", "/monitoring/series?all_projects=true", role="editor")).status_code == 403


async def test_admins_see_everything(api: Api):
    await recorded(api)
    for query in ("all_projects=true", "all_projects=true&queue=default"):
        assert (await total(api, query, role="admin"))["ended"]["succeeded"] == 3


async def test_before_anything_was_recorded_nothing_is_known(api: Api):
    point = await total(api)
    assert all(point[name] is None for name in ("ended", "queued", "running", "lateness", "duration"))


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("metric=speed", "metric"),
        ("metric=", "metric"),
        ("metric=done", "metric"),
        ("worker=w", "worker"),
        ("worker=01a1d9a4-02f1-7e0b-b6c1-64d1f2a7e801&queue=a", "worker"),
        ("worker=01a1d9a4-02f1-7e0b-b6c1-64d1f2a7e801&metric=ended", "metric"),
        ("step=30s", "step"),
        ("step=1.5m1ms", "step"),
        ("step=soon", "step"),
        ("step=0", "step"),
        ("since=yesterday", "since"),
        ("since=2026-01-01T00:00:00Z&until=2025-01-01T00:00:00Z", "until"),
        ("since=2020-01-01T00:00:00Z&step=1h", "step"),
        ("since=0001-01-01T00:00:00Z", "since"),
        ("from=2026-01-01T00:00:00Z", "from"),
    ],
)
async def test_bad_questions_are_refused_by_name(api: Api, query: str, field: str):
    answer = await api.call("GET", f"/monitoring/series?{query}")
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == field


async def test_the_future_and_the_far_past_are_empty_rather_than_wrong(api: Api):
    await recorded(api)
    now = await api.store.read(lambda tx: tx.now())
    later = (now + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    last = (now + timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = (await api.call("GET", f"/monitoring/series?since={later}&until={last}&step=1d")).json()
    assert all(point["ended"] is None for point in found["points"])
