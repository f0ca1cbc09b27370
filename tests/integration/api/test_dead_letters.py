"""Dead letters over the API: listed, grouped, redriven, discarded; and retries."""

from typing import Any

import pytest

from .conftest import IDS, ON_EVERY_DATABASE, Api, add_key
from .test_access import another_project
from .work import FAILED, INTERRUPTED, work


async def fail(api: Api, name: str = "hello", count: int = 1, **body: Any) -> list[str]:
    """So many failed runs of a job, oldest first."""
    batch = {"runs": [body] * count}
    made = (await api.call("POST", f"/jobs/{name}/runs:batch", json=batch)).json()["items"]
    assert await work(api, outcome=FAILED) == count
    return [run["id"] for run in made]


async def listed(api: Api, path: str = "/dead-letters", **params: Any) -> list[dict[str, Any]]:
    answer = await api.call("GET", path, params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


@ON_EVERY_DATABASE
async def test_lists_and_groups(api: Api):
    job = await api.make(retry={"max_attempts": 1})
    failed = await fail(api, count=3, input={"n": 1})
    found = await listed(api)
    assert [one["id"] for one in found] == failed[::-1]
    assert (found[0]["job_name"], found[0]["error"], found[0]["input"]) == ("hello", "it broke", {"n": 1})
    (group,) = await listed(api, "/dead-letters/groups")
    assert (group["count"], group["error"], group["last_run_id"]) == (3, "it broke", failed[-1])
    assert group["jobs"] == [{"id": job["id"], "name": "hello", "count": 3}]
    assert len(await listed(api, fingerprint=group["fingerprint"], job="hello")) == 3
    assert await listed(api, fingerprint="none") == []
    assert await listed(api, until="2001-01-01T00:00:00Z") == []
    page = (await api.call("GET", "/dead-letters", params={"limit": 2})).json()
    rest = (await api.call("GET", "/dead-letters", params={"limit": 2, "cursor": page["next_cursor"]})).json()
    assert [one["id"] for one in page["items"] + rest["items"]] == failed[::-1]
    assert rest["next_cursor"] is None


async def test_redrive_with_another_input(api: Api):
    await api.make()
    failed = await fail(api, count=2)
    body = {"ids": failed, "input": {"fixed": True}}
    answer = await api.call("POST", "/dead-letters/redrive", role="operator", json=body)
    operation = answer.json()
    assert (answer.status_code, operation["kind"], operation["state"]) == (202, "redrive", "done")
    assert (operation["done"], operation["total"]) == (2, 2)
    assert answer.headers["location"] == f"/api/v1/operations/{operation['id']}"
    assert (await api.call("GET", f"/operations/{operation['id']}")).json() == operation
    again = (await api.call("GET", "/runs", params={"trigger": "retry"})).json()["items"]
    assert sorted(run["rerun_of"] for run in again) == failed
    assert [run["input"] for run in again] == [{"fixed": True}] * 2
    assert await listed(api) == []
    assert await work(api) == 2


async def test_null_is_an_input_too(api: Api):
    await api.make()
    await fail(api, input=[1])
    await api.call("POST", "/dead-letters/redrive", json={"filter": {}, "input": None})
    (again,) = (await api.call("GET", "/runs", params={"trigger": "retry"})).json()["items"]
    assert again["input"] is None


async def test_discard_says_why(api: Api):
    await api.make()
    failed = await fail(api, count=2)
    body = {"filter": {"job": "hello"}, "reason": "a known fault, repaired by hand"}
    operation = (await api.call("POST", "/dead-letters/discard", json=body)).json()
    assert (operation["state"], operation["done"], operation["reason"]) == ("done", 2, body["reason"])
    assert await listed(api) == []
    assert (await api.call("GET", f"/runs/{failed[0]}")).json()["status"] == "failed"
    (entry,) = (await api.call("GET", "/audit", params={"action": "dead_letter.discard"})).json()["items"]
    assert {"path": "reason", "old": None, "new": body["reason"]} in entry["changes"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "ids"),
        ({"ids": []}, "ids"),
        ({"ids": ["x"]}, "ids[0]"),
        ({"ids": ["01a1de05-bc6e-7493-ac17-5c90c59c6a0f"], "filter": {}}, "ids"),
        ({"filter": {"jobs": "hello"}}, "filter.jobs"),
        ({"filter": {"since": "yesterday"}}, "filter.since"),
        ({"filter": {"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}}, "until"),
        ({"filter": {}, "rate": 0}, "rate"),
        ({"filter": {}, "rate": True}, "rate"),
        ({"filter": {}, "rate": 1e9}, "rate"),
    ],
)
async def test_bad_redrives(api: Api, body: dict[str, Any], field: str):
    await api.make()
    await fail(api)
    answer = await api.call("POST", "/dead-letters/redrive", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, field), answer.text
    assert len(await listed(api)) == 1
    assert (await api.call("GET", "/operations")).json()["items"] == []


async def test_what_is_not_dead_is_not_found(api: Api):
    for path, more in (("redrive", {}), ("discard", {"reason": "x"})):
        answer = await api.call("POST", f"/dead-letters/{path}", json={"ids": [IDS.new()], **more})
        assert answer.status_code == 404
    answer = await api.call("POST", "/dead-letters/redrive", json={"filter": {"job": "nobody"}})
    assert answer.status_code == 404


async def test_a_run_once_more(api: Api):
    await api.make()
    (run,) = await fail(api, input=1)
    answer = await api.call("POST", f"/runs/{run}/retry", role="operator")
    new = answer.json()
    assert (answer.status_code, new["rerun_of"], new["trigger"], new["input"]) == (202, run, "retry", 1)
    assert (new["triggered_by"], answer.headers["location"]) == ("key:operator", f"/api/v1/runs/{new['id']}")
    assert await listed(api) == []
    assert (await api.call("POST", f"/runs/{new['id']}/retry")).status_code == 409
    changed = (await api.call("POST", f"/runs/{run}/retry", json={"input": {"a": 1}})).json()
    assert changed["input"] == {"a": 1}


async def test_the_latest_failed_run_of_a_job(api: Api):
    await api.make()
    assert (await api.call("POST", "/jobs/hello/retry")).status_code == 409
    failed = await fail(api, count=3)
    new = (await api.call("POST", "/jobs/hello/retry")).json()
    assert new["rerun_of"] == failed[-1]
    assert (await api.call("POST", "/jobs/nobody/retry")).status_code == 404


async def test_another_project_has_none_of_them(api: Api):
    await api.make()
    (run,) = await fail(api)
    api.tokens["stranger"] = await add_key(api.store, "owner", await another_project(api))
    for path in ("/dead-letters", "/dead-letters/groups"):
        assert (await api.call("GET", path, role="stranger")).json()["items"] == []
    for body in ({"ids": [run]}, {"filter": {"job": "hello"}}):
        assert (await api.call("POST", "/dead-letters/redrive", role="stranger", json=body)).status_code == 404
    assert (await api.call("POST", f"/runs/{run}/retry", role="stranger")).status_code == 404
    assert len(await listed(api)) == 1


async def test_a_run_shows_whether_it_is_a_dead_letter(api: Api):
    await api.make()
    run = (await api.call("POST", "/jobs/hello/run")).json()
    await work(api, outcome=FAILED)
    assert (await api.call("GET", f"/runs/{run['id']}")).json()["dead_since"] is not None
    await api.call("POST", "/dead-letters/discard", json={"ids": [run["id"]], "reason": "known"})
    assert (await api.call("GET", f"/runs/{run['id']}")).json()["dead_since"] is None


async def test_uncounted_attempts_are_reported_separately(api: Api):
    await api.make(retry={"max_attempts": 1})
    run = (await api.call("POST", "/jobs/hello/run", json={})).json()["id"]
    await work(api, outcome=INTERRUPTED)
    await work(api, outcome=INTERRUPTED)
    assert await work(api, outcome=FAILED) == 1
    for found in ((await api.call("GET", f"/runs/{run}")).json(), *await listed(api, "/runs"), *await listed(api)):
        assert (found["attempt"], found["uncounted"], found["max_attempts"]) == (3, 2, 1)
