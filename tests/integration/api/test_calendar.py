"""The calendar of all jobs over the API."""

from typing import Any

import pytest

from horae.api.routes import calendar

from .conftest import Api, add_key
from .test_access import another_project

DAY = {"start": "2090-06-01T00:00:00Z", "end": "2090-06-02T00:00:00Z"}


async def shown(api: Api, **params: Any) -> dict[str, Any]:
    answer = await api.call("GET", "/calendar", role=params.pop("role", "viewer"), params={**DAY, **params})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_occurrences_of_all_jobs_in_order(api: Api):
    one = await api.make("one", schedule={"cron": "0 */12 * * *"})
    await api.make("two", schedule={"cron": "0 6 * * *"}, tags=["x"], queue="mail")
    await api.make("off", schedule={"cron": "0 * * * *"}, enabled=False)
    await api.make("paused", schedule={"cron": "0 * * * *"})
    await api.call("POST", "/jobs/paused/pause")
    await api.make("manual")
    found = await shown(api)
    assert [(item["job_name"], item["at"]) for item in found["items"]] == [
        ("one", "2090-06-01T00:00:00Z"),
        ("two", "2090-06-01T06:00:00Z"),
        ("one", "2090-06-01T12:00:00Z"),
    ]
    assert found["items"][0]["job_id"] == one["id"]
    assert found["complete_until"] == found["end"] == DAY["end"]
    for params in ({"tag": "x"}, {"queue": "mail"}, {"q": "TW"}):
        assert [item["job_name"] for item in (await shown(api, **params))["items"]] == ["two"]
    for params in ({"q": "off"}, {"q": "paused"}, {"q": "one", "tag": "x"}):
        assert (await shown(api, **params))["items"] == []
    api.tokens["stranger"] = await add_key(api.store, "viewer", await another_project(api))
    assert (await shown(api, role="stranger"))["items"] == []


async def test_counted(api: Api):
    await api.make("often", schedule={"cron": "*/15 * * * * *"})
    await api.make("hourly", schedule={"cron": "0 0 * * * *"})
    hour = {"end": "2090-06-01T01:00:00Z"}
    found = (await shown(api, by="minute", **hour))["items"]
    assert [item["count"] for item in found] == [5] + [4] * 59
    assert found[1]["at"] == "2090-06-01T00:01:00Z"
    assert [item["count"] for item in (await shown(api, by="hour", **hour))["items"]] == [241]


async def test_it_says_what_it_leaves_out(api: Api):
    await api.make("often", schedule={"cron": "* * * * * *"})
    found = await shown(api)
    assert (len(found["items"]), found["complete_until"]) == (1_000, "2090-06-01T00:16:40Z")


@pytest.mark.parametrize("by", ["none", "hour"])
async def test_it_says_that_there_are_more_jobs_than_it_reads(api: Api, monkeypatch: pytest.MonkeyPatch, by: str):
    monkeypatch.setattr(calendar, "JOBS", 2)
    for hour in (3, 6, 9):
        await api.make(f"at-{hour}", schedule={"at": f"2090-06-01T0{hour}:00:00Z"})
    await api.make("manual")
    found = await shown(api, by=by)
    assert (found["truncated"], found["complete_until"]) == (True, "2090-06-01T06:00:00Z")
    begin = [item["at"] for item in found["items"] if item.get("count", 1)]
    assert begin == ["2090-06-01T03:00:00Z"]
    for params in ({"q": "at-3"}, {"q": "at-9"}):
        found = await shown(api, by=by, **params)
        assert (found["truncated"], found["complete_until"]) == (False, DAY["end"])


async def test_jobs_without_a_next_run_are_not_missing(api: Api, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(calendar, "JOBS", 2)
    await api.make("once", schedule={"at": "2090-06-01T03:00:00Z"})
    for name in ("by-hand", "also"):
        await api.make(name)
    found = await shown(api)
    assert (found["truncated"], found["complete_until"], len(found["items"])) == (False, DAY["end"], 1)


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"start": "soon"}, "start"),
        ({"end": "2090-05-01T00:00:00Z"}, "end"),
        ({"end": "2092-06-01T00:00:00Z"}, "end"),
        ({"end": "2090-07-01T00:00:00Z", "by": "minute"}, "end"),
        ({"by": "second"}, "by"),
    ],
)
async def test_bad_ranges(api: Api, params: dict[str, str], field: str):
    answer = await api.call("GET", "/calendar", params={**DAY, **params})
    assert (answer.status_code, answer.json()["field"]) == (422, field)
