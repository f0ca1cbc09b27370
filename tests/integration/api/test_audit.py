"""The audit trail over the API: who, from where, in which request; page by page and as JSON lines."""

import json

from .conftest import ON_EVERY_DATABASE, Api, add_key
from .test_access import another_project


async def test_it_records_who_did_what_in_which_request(api: Api):
    await api.make(schedule={"every": "1h"})
    asked = await api.call("POST", "/jobs/hello/pause", role="operator", headers={"x-request-id": "request-0001"})
    assert asked.status_code == 200
    found = (await api.call("GET", "/audit", role="owner")).json()["items"]
    assert [one["action"] for one in found] == ["job.pause", "job.create"]
    paused = found[0]
    assert (paused["actor"], paused["request_id"], paused["address"]) == ("key:operator", "request-0001", "127.0.0.1")
    assert paused["subject"] == {"kind": "job", "id": asked.json()["id"], "name": "hello"}
    assert paused["changes"] == [{"path": "paused", "old": False, "new": True}]
    assert paused["at"].endswith("Z")


async def test_reading_and_refusals_leave_no_trace(api: Api):
    await api.make()
    await api.call("GET", "/jobs/hello")
    assert (await api.call("POST", "/jobs/hello/pause", role="viewer")).status_code == 403
    assert (await api.call("POST", "/jobs", json={"name": ""})).status_code == 422
    assert [one["action"] for one in (await api.call("GET", "/audit")).json()["items"]] == ["job.create"]


@ON_EVERY_DATABASE
async def test_filters_and_pages(api: Api):
    for n in range(5):
        await api.make(f"job-{n}")
    await api.call("POST", "/jobs/job-0/pause", role="operator")
    seen, cursor = [], None
    while True:
        params = {"limit": 2, "kind": "job", **({"cursor": cursor} if cursor else {})}
        page = (await api.call("GET", "/audit", params=params)).json()
        seen += [one["subject"]["name"] for one in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == ["job-0", "job-4", "job-3", "job-2", "job-1", "job-0"]
    for params, count in (
        ({"actor": "key:operator"}, 1),
        ({"action": "job.create"}, 5),
        ({"subject": "job-0"}, 2),
        ({"since": "2000-01-01T00:00:00Z", "until": "2100-01-01T00:00:00+01:00"}, 6),
        ({"until": "2001-01-01T00:00:00Z"}, 0),
    ):
        assert len((await api.call("GET", "/audit", params=params)).json()["items"]) == count, params
    for params in ({"since": "yesterday"}, {"until": "2026-01-01T00:00:00"}, {"actor": ""}, {"who": "me"}):
        answer = await api.call("GET", "/audit", params=params)
        assert (answer.status_code, answer.json()["field"]) == (422, next(iter(params)))


async def test_all_of_it_as_lines(api: Api):
    for n in range(3):
        await api.make(f"job-{n}")
    answer = await api.call("GET", "/audit", params={"format": "jsonl", "action": "job.create"})
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert "attachment" in answer.headers["content-disposition"]
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert lines == (await api.call("GET", "/audit")).json()["items"]
    empty = await api.call("GET", "/audit", params={"format": "jsonl", "kind": "none"})
    assert (empty.status_code, empty.text) == (200, "")


async def test_admins_get_that_of_every_project_and_of_those_that_are_gone(api: Api):
    await api.make()
    other = (await api.call("POST", "/projects", json={"slug": "short-lived"})).json()["id"]
    link = await api.call("POST", "/projects/short-lived/invitations", json={"role": "viewer"})
    assert (await api.call("DELETE", "/projects/short-lived")).status_code == 204
    actions = ["project.delete", "invitation.create", "project.create", "job.create"]
    seen, cursor = [], None
    while True:
        params = {"limit": 1, "all_projects": "true", **({"cursor": cursor} if cursor else {})}
        page = (await api.call("GET", "/audit", params=params)).json()
        seen += page["items"]
        if (cursor := page["next_cursor"]) is None:
            break
    assert [one["action"] for one in seen] == actions
    assert (seen[1]["project_id"], seen[1]["subject"]["id"]) == (other, link.json()["id"])
    lines = (await api.call("GET", "/audit", params={"format": "jsonl", "all_projects": "true"})).text.splitlines()
    assert [json.loads(line) for line in lines] == seen
    refused = await api.call("GET", "/audit", role="owner", params={"all_projects": "true"})
    assert (refused.status_code, "admins" in refused.json()["detail"]) == (403, True)


async def test_another_project_sees_nothing_of_it(api: Api):
    await api.make()
    api.tokens["stranger"] = await add_key(api.store, "owner", await another_project(api))
    assert (await api.call("GET", "/audit", role="stranger")).json()["items"] == []
    assert (await api.call("GET", "/audit", role="stranger", params={"format": "jsonl"})).text == ""
