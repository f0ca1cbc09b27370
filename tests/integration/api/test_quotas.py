"""Quotas over the API: who may see and set them, and the error when one is reached."""

from typing import Any

from horae.api.app import build
from horae.api.context import ApiSettings

from .conftest import CLOCK, IDS, SECRET, Api, add_key
from .people import add_user
from .test_access import another_project

QUOTAS = ["jobs", "live_runs", "fires_per_minute", "log_bytes_per_day", "secrets", "api_keys"]


async def limit(api: Api, **limits: int | None) -> dict[str, Any]:
    answer = await api.call("PATCH", "/projects/default/quotas", json=limits)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_admins_set_them_and_members_read_them(api: Api):
    found = await limit(api, jobs=2, live_runs=0)
    assert list(found) == QUOTAS
    assert found["jobs"] == {"limit": 2, "used": 0, "refused_at": None}
    assert found["log_bytes_per_day"] == {"limit": None, "used": None, "refused_at": None}
    for role in ("viewer", "owner"):
        assert (await api.call("GET", "/quotas", role=role)).json() == found
        assert (await api.call("GET", "/projects/default/quotas", role=role)).json() == found
        refused = await api.call("PATCH", "/projects/default/quotas", role=role, json={"jobs": 99})
        assert refused.status_code == 403, refused.text
    assert (await limit(api, jobs=None))["jobs"]["limit"] is None
    entries = (await api.call("GET", "/audit?action=project.quotas")).json()["items"]
    assert [entry["changes"] for entry in entries] == [
        [{"path": "jobs", "old": 2, "new": None}],
        [{"path": "jobs", "old": None, "new": 2}, {"path": "live_runs", "old": None, "new": 0}],
    ]


async def test_invalid_limits_are_refused(api: Api):
    for body, field in (
        ({"jobs": -1}, "jobs"),
        ({"jobs": "many"}, "jobs"),
        ({"jobs": 1.5}, "jobs"),
        ({"live_runs": 10**16}, "live_runs"),
        ({"beer": 1}, "beer"),
    ):
        answer = await api.call("PATCH", "/projects/default/quotas", json=body)
        assert (answer.status_code, answer.json()["field"]) == (422, field), answer.text
    assert (await api.call("GET", "/quotas")).json()["jobs"]["limit"] is None


async def test_a_refusal_names_the_quota_and_is_remembered(api: Api):
    job = await api.make()
    await limit(api, jobs=1, live_runs=1, secrets=0, api_keys=5)
    key = {"idempotency-key": "once"}
    assert (await api.call("POST", f"/jobs/{job['id']}/run")).status_code == 202
    for method, path, body, quota, most in (
        ("POST", "/jobs", {"name": "two", "target": job["target"]}, "jobs", 1),
        ("POST", f"/jobs/{job['id']}/run", {}, "live_runs", 1),
        ("POST", f"/jobs/{job['id']}/runs:batch", {"runs": [{}, {}]}, "live_runs", 1),
        ("PUT", "/secrets/TOKEN", {"value": "x"}, "secrets", 0),
        ("POST", "/api-keys", {"name": "ci"}, "api_keys", 5),
    ):
        answer = await api.call(method, path, json=body, headers=key if path.endswith("/run") else {})
        problem = answer.json()
        assert answer.status_code == 409, (path, answer.text)
        assert problem["type"] == "urn:horae:problem:quota-reached"
        assert problem["quota"]["name"] == quota
        assert problem["quota"]["limit"] == most
        assert f"quota {quota} is {most}" in problem["detail"]
    found = (await api.call("GET", "/quotas")).json()
    assert found["live_runs"]["refused_at"] is not None
    assert 'horae_quota_refusals_total{quota="live_runs"} 2' in (await api.call("GET", "/metrics")).text
    assert (await api.call("GET", "/jobs")).json()["items"][0]["name"] == "hello"
    (run,) = (await api.call("GET", "/runs")).json()["items"]
    assert (await api.call("POST", f"/runs/{run['id']}/cancel")).status_code == 202
    assert (await api.call("POST", f"/jobs/{job['id']}/run", json={}, headers=key)).status_code == 202


async def test_quotas_of_other_projects_are_neither_used_nor_visible(api: Api):
    other = await another_project(api)
    api.tokens["stranger"] = await add_key(api.store, "owner", other)
    api.tokens["foreigner"] = await add_user(api.store, "foreigner", other="owner")
    await limit(api, jobs=1)
    for role in ("stranger", "foreigner"):
        for method, path in (("GET", "/projects/default/quotas"), ("PATCH", "/projects/default/quotas")):
            answer = await api.call(method, path, role=role, json={"jobs": 0} if method == "PATCH" else None)
            assert answer.status_code == 404, answer.text
    for name in ("one", "two"):
        made = {"name": name, "target": {"kind": "http", "url": "https://example.org/"}}
        assert (await api.call("POST", "/jobs", role="stranger", json=made)).status_code == 201
    assert (await api.call("GET", "/quotas", role="stranger")).json()["jobs"] == {
        "limit": None,
        "used": 2,
        "refused_at": None,
    }
    await api.make()
    assert (await api.call("GET", "/quotas")).json()["jobs"]["used"] == 1


async def test_new_projects_start_with_those_of_the_setting(api: Api):
    settings = ApiSettings(SECRET, project_quotas={"jobs": 3, "secrets": 0})
    api.app = build(api.store, settings, IDS, CLOCK)
    assert (await api.call("POST", "/projects", json={"slug": "fresh"})).status_code == 201
    found = (await api.call("GET", "/projects/fresh/quotas")).json()
    assert {name: one["limit"] for name, one in found.items() if one["limit"] is not None} == {"jobs": 3, "secrets": 0}
    (entry,) = (await api.call("GET", "/audit?action=project.create&all_projects=true")).json()["items"]
    assert [change["path"] for change in entry["changes"]] == ["jobs", "secrets"]
