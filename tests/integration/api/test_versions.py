"""Versions, their changes, and rollback, over the API."""

import asyncio
from typing import Any

from .conftest import Api


async def edit(api: Api, **changes: Any) -> dict[str, Any]:
    answer = await api.call("PATCH", "/jobs/hello", json=changes)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def versions(api: Api, **params: Any) -> dict[str, Any]:
    answer = await api.call("GET", "/jobs/hello/versions", params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_each_version_says_who_made_it_and_what_it_changed(api: Api):
    await api.make(schedule={"cron": "0 9 * * *", "timezone": "Europe/Berlin"}, tags=["a"])
    await edit(api, schedule={"cron": "30 9 * * *"}, tags=["a", "b"])
    await edit(api, schedule={"every": "5m"}, timeout=60, retry={"delay": 5})
    newest, middle, first = (await versions(api))["items"]
    assert [one["version"] for one in (newest, middle, first)] == [3, 2, 1]
    assert {one["created_by"] for one in (newest, middle, first)} == {"key:admin"}
    assert first["changes"] == []
    assert middle["changes"] == [
        {"path": "tags", "old": ["a"], "new": ["a", "b"]},
        {"path": "schedule.cron", "old": "0 9 * * *", "new": "30 9 * * *"},
    ]
    assert newest["changes"] == [
        {
            "path": "schedule",
            "old": {"cron": "30 9 * * *", "timezone": "Europe/Berlin"},
            "new": {"every": "5m"},
        },
        {"path": "retry.delay", "old": 60, "new": 5},
        {"path": "timeout", "old": 300, "new": 60},
    ]
    assert newest["definition"]["schedule"]["every"] == "5m"
    assert newest["created_at"].endswith("Z")
    alone = await api.call("GET", "/jobs/hello/versions/2")
    assert alone.json() == middle
    assert (await api.call("GET", "/jobs/hello/versions/1")).json() == first


async def test_a_long_list_goes_on_and_compares_across_its_pages(api: Api):
    await api.make()
    for n in range(5):
        await edit(api, priority=n)
    whole = (await versions(api))["items"]
    pages, cursor = [], None
    while True:
        page = await versions(api, limit=2, **({"cursor": cursor} if cursor else {}))
        pages += page["items"]
        if (cursor := page["next_cursor"]) is None:
            break
    assert pages == whole
    assert [one["version"] for one in pages] == [6, 5, 4, 3, 2, 1]
    assert all(one["changes"] for one in pages[:-1])


async def test_a_rollback_saves_an_old_definition_as_a_new_version(api: Api):
    made = await api.make(schedule={"cron": "0 9 * * *"}, description="first")
    await edit(api, schedule={"every": "5m"}, description="second")
    await api.call("POST", "/jobs/hello/pause")
    back = await api.call("POST", "/jobs/hello/rollback", json={"version": 1}, headers={"if-match": '"2"'})
    assert (back.status_code, back.headers["etag"]) == (200, '"3"')
    shown = back.json()
    assert (shown["description"], shown["schedule"], shown["version"]) == ("first", made["schedule"], 3)
    assert shown["paused"] is True  # not part of a version
    assert (await versions(api))["items"][0]["note"] == "rollback to version 1"
    same = await api.call("POST", "/jobs/hello/rollback", json={"version": 3})
    assert same.json()["version"] == 3  # nothing to change


async def test_what_cannot_be_rolled_back(api: Api):
    await api.make("upstream")
    await api.make(schedule={"after": {"job": "upstream"}})
    await edit(api, schedule={"manual": True})
    await edit(api, name="renamed")
    for version in (99, 999_999_999):
        answer = await api.call("POST", "/jobs/renamed/rollback", json={"version": version})
        assert (answer.status_code, answer.json()["detail"]) == (404, f"the job has no version {version}")
        assert (await api.call("GET", f"/jobs/renamed/versions/{version}")).status_code == 404
    await api.make("hello")
    taken = await api.call("POST", "/jobs/renamed/rollback", json={"version": 2})
    assert taken.status_code == 409
    stale = await api.call("POST", "/jobs/renamed/rollback", json={"version": 2}, headers={"if-match": '"2"'})
    assert stale.status_code == 412
    assert (await api.call("DELETE", "/jobs/hello")).status_code == 204
    assert (await api.call("DELETE", "/jobs/upstream")).status_code == 204
    gone = await api.call("POST", "/jobs/renamed/rollback", json={"version": 1})
    assert (gone.status_code, gone.json()["field"]) == (422, "schedule.after.job")
    assert (await api.call("GET", "/jobs/renamed")).json()["version"] == 3


async def test_of_many_edits_of_one_version_one_wins(api: Api):
    await api.make(schedule={"every": "1h"})
    seen = {"if-match": '"1"'}
    calls = [api.call("PATCH", "/jobs/hello", json={"priority": n}, headers=seen) for n in range(5)]
    calls += [
        api.call("PATCH", "/jobs/hello", json={"enabled": False, "description": f"by {n}"}, headers=seen)
        for n in range(5)
    ]
    answers = await asyncio.gather(*calls)
    assert sorted(answer.status_code for answer in answers) == [200] + [412] * 9
    (won,) = [answer.json() for answer in answers if answer.status_code == 200]
    shown = (await api.call("GET", "/jobs/hello")).json()
    assert shown["version"] == 2
    assert (shown["priority"], shown["description"]) == (won["priority"], won["description"])
    assert shown["enabled"] is (shown["description"] == "")  # all of the edit, or nothing


async def test_rollbacks_and_edits_of_one_version_at_the_same_time(api: Api):
    await api.make(description="first")
    await edit(api, description="second")
    seen = {"if-match": '"2"'}
    calls = [api.call("POST", "/jobs/hello/rollback", json={"version": 1}, headers=seen) for _ in range(3)]
    calls += [api.call("PATCH", "/jobs/hello", json={"description": f"third {n}"}, headers=seen) for n in range(3)]
    answers = await asyncio.gather(*calls)
    assert {answer.status_code for answer in answers} == {200, 412}
    shown = (await api.call("GET", "/jobs/hello")).json()
    assert shown["version"] == 3
    assert {a.json()["description"] for a in answers if a.status_code == 200} == {shown["description"]}
