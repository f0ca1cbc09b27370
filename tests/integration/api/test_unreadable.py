"""A job with an unreadable definition, among others, over the API."""

import json
from typing import Any

import pytest

from horae.domain.jobs.fault import LeftOut

from .conftest import Api

READS = (
    "/jobs",
    "/jobs?include=recent,words&sort=next_run_at",
    "/jobs?tag=x",
    "/runs",
    "/calendar?start=2030-01-01T00:00:00Z&end=2030-01-02T00:00:00Z",
    "/dead-letters",
    "/monitoring/jobs",
    "/queues",
    "/audit",
)
ITS_OWN = ("", "/versions", "/versions/1", "/next", "/explain", "/runs", "/stats")


async def damaged(api: Api, **change: Any) -> dict[str, Any]:
    job = await api.make("bad", schedule={"every": "1h"}, tags=["x"])
    await api.call("POST", "/jobs/bad/run")
    spec = {"name": "bad", "target": job["target"], "schedule": job["schedule"], **change}
    plan = {"schedule": spec["schedule"]}

    async def put(tx: Any) -> None:
        await tx._db.execute("UPDATE job_versions SET spec = :text", {"text": json.dumps(spec)})
        await tx._db.execute("UPDATE jobs SET plan = :text", {"text": json.dumps(plan)})

    await api.store.transact(put)
    await api.make("good", tags=["x"])
    return job


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        pytest.param({"target": {"kind": "pigeon"}}, "target", id="kind"),
        pytest.param({"schedule": {"cron": "0 9 * * *", "timezone": "Mars/Olympus"}}, "schedule", id="zone"),
    ],
)
async def test_it_is_shown_as_unreadable_and_everything_else_goes_on(api: Api, change: dict[str, Any], missing: str):
    await damaged(api, **change)
    for path in READS:
        answer = await api.call("GET", path)
        assert answer.status_code == 200, f"{path}: {answer.text}"
    for path in ITS_OWN:
        answer = await api.call("GET", f"/jobs/bad{path}")
        assert answer.status_code == 200, f"{path}: {answer.text}"
    bad, good = (await api.call("GET", "/jobs")).json()["items"]
    assert (bad["name"], bad[missing], good["unreadable"]) == ("bad", None, None)
    assert bad["unreadable"].startswith(missing)
    why = (await api.call("GET", "/jobs/bad/explain")).json()
    assert "cannot read its definition (version 1)" in why["summary"]
    (run,) = (await api.call("GET", "/jobs/bad/runs")).json()["items"]
    assert "cannot read its definition" in (await api.call("GET", f"/runs/{run['id']}/explain")).json()["summary"]


async def test_actions_that_need_the_definition_are_refused_with_a_fix(api: Api):
    await damaged(api, target={"kind": "pigeon"}, schedule={"every": "1h", "timezone": "Mars/Olympus"})
    for method, path, body in (
        ("POST", "/jobs/bad/run", {}),
        ("PATCH", "/jobs/bad", {"priority": 7}),
        ("POST", "/jobs/bad/rollback", {"version": 1}),
    ):
        answer = await api.call(method, path, json=body)
        assert answer.status_code == 409, f"{path}: {answer.text}"
        assert "cannot read" in answer.json()["detail"]
    for verb in ("pause", "resume", "disable"):
        assert (await api.call("POST", f"/jobs/bad/{verb}")).status_code == 200
    assert (await api.call("POST", "/jobs/bad/enable")).status_code == 409
    whole = {"name": "bad", "target": {"kind": "http", "url": "https://example.org/"}, "schedule": {"every": "1h"}}
    mended = await api.call("PUT", "/jobs/bad", json=whole)
    assert (mended.status_code, mended.json()["unreadable"], mended.json()["version"]) == (200, None, 2)
    older = (await api.call("GET", "/jobs/bad/versions")).json()["items"][1]
    assert older["definition"]["target"] is None


async def test_health_counts_what_some_process_cannot_read(api: Api):
    job = await damaged(api, target={"kind": "pigeon"})
    assert (await api.call("GET", "/health/detailed")).json()["unreadable_jobs"] == 0
    process = "0190b3f0-0000-7000-8000-000000000001"
    await api.store.transact(lambda tx: tx.unreadable.note(process, [LeftOut(job["id"], 1, "target is odd")]))
    found = (await api.call("GET", "/health/detailed")).json()
    assert found["unreadable_jobs"] == 1
    assert any("cannot be read" in reason for reason in found["reasons"])
    assert "bad" not in json.dumps(found)
    assert (await api.call("DELETE", "/jobs/bad")).status_code == 204
    assert (await api.call("GET", "/health/detailed")).json()["unreadable_jobs"] == 0
