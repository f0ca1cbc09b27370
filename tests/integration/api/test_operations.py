"""Backfills over the API."""

from typing import Any

from .conftest import Api
from .work import take, work

DAY = {"start": "2020-03-01T00:00:00Z", "end": "2020-03-01T23:59:59Z"}


async def start(api: Api, **body: Any) -> dict[str, Any]:
    answer = await api.call("POST", "/jobs/hello/backfill", json={**DAY, **body})
    assert answer.status_code == 202, answer.text
    found: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/api/v1/operations/{found['id']}"
    return found


async def look(api: Api, operation: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await api.call("GET", f"/operations/{operation['id']}")).json()
    return found


async def test_a_dry_run_shows_what_would_be_done(api: Api):
    await api.make(schedule={"cron": "0 */6 * * *"})
    answer = await api.call("POST", "/jobs/hello/backfill", json={**DAY, "dry_run": True})
    assert (answer.status_code, answer.json()) == (
        200,
        {"total": 4, "first": "2020-03-01T00:00:00Z", "last": "2020-03-01T18:00:00Z", "existing": None},
    )
    assert (await api.call("GET", "/operations")).json()["items"] == []
    empty = {"start": "2020-03-01T01:00:00Z", "end": "2020-03-01T02:00:00Z", "dry_run": True}
    answer = await api.call("POST", "/jobs/hello/backfill", json=empty)
    assert answer.json() == {"total": 0, "first": None, "last": None, "existing": None}
    year = {"start": "2020-01-01T00:00:00Z", "end": "2025-12-31T00:00:00Z", "dry_run": True}
    await api.call("PATCH", "/jobs/hello", json={"schedule": {"cron": "* * * * * *"}})
    assert (await api.call("POST", "/jobs/hello/backfill", json=year)).json()["total"] > 10**8


async def test_a_backfill_goes_on_by_itself_to_its_end(api: Api):
    job = await api.make(schedule={"cron": "0 */6 * * *"})
    operation = await start(api, parallelism=2)
    expected = {"kind": "backfill", "state": "running", "job_id": job["id"], "done": 0, "total": 4, "parallelism": 2}
    assert {name: operation[name] for name in expected} == expected
    assert (operation["start"], operation["end"]) == (DAY["start"], DAY["end"])
    assert (operation["version"], operation["created_by"], operation["finished_at"]) == (1, "key:admin", None)
    seen = []
    while count := await work(api):
        seen.append(count)
        now = await look(api, operation)
        assert (now["done"], now["state"]) == (sum(seen), "done" if sum(seen) == 4 else "running")
    assert seen == [2, 2]
    assert (await look(api, operation))["finished_at"] is not None
    runs = (await api.call("GET", "/jobs/hello/runs", params={"trigger": "backfill"})).json()["items"]
    assert sorted(run["scheduled_for"][11:13] for run in runs) == ["00", "06", "12", "18"]
    assert {run["triggered_by"] for run in runs} == {"key:admin"}


async def test_the_same_asked_for_again_is_the_same(api: Api):
    await api.make(schedule={"cron": "0 */6 * * *"})
    operation = await start(api)
    assert await start(api) == operation
    plan = (await api.call("POST", "/jobs/hello/backfill", json={**DAY, "dry_run": True})).json()
    assert plan["existing"] == operation["id"]
    assert (await start(api, again=True))["id"] != operation["id"]


async def test_nothing_to_do_is_done_at_once(api: Api):
    await api.make(schedule={"cron": "0 */6 * * *"})
    operation = await start(api, start="2020-03-01T01:00:00Z", end="2020-03-01T02:00:00Z")
    assert (operation["state"], operation["total"]) == ("done", 0)


async def test_a_cancelled_backfill_stops_and_says_when(api: Api):
    await api.make(schedule={"cron": "0 */6 * * *"})
    operation = await start(api, parallelism=2)
    (running,) = await take(api, limit=1)
    answer = await api.call("POST", f"/operations/{operation['id']}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (202, "cancelled")
    assert answer.json()["finished_at"] is not None
    runs = (await api.call("GET", "/jobs/hello/runs")).json()["items"]
    assert {run["id"]: run["status"] for run in runs}[running.id] == "running"  # asked to stop, and still at it
    assert sorted(run["status"] for run in runs) == ["cancelled", "running"]
    again = await api.call("POST", f"/operations/{operation['id']}/cancel")
    assert (again.status_code, again.json()["detail"]) == (409, "the operation is cancelled already")


async def test_operations_are_listed_newest_first(api: Api):
    await api.make(schedule={"cron": "0 */6 * * *"})
    made = [(await start(api, again=True))["id"] for _ in range(3)]
    first = (await api.call("GET", "/operations", params={"limit": 2})).json()
    rest = (await api.call("GET", "/operations", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    assert [one["id"] for one in first["items"] + rest["items"]] == made[::-1]
    assert rest["next_cursor"] is None


async def test_a_backfill_takes_no_place_from_the_schedule(api: Api):
    await api.make(schedule={"cron": "0 */6 * * *"}, max_instances=1)
    await start(api, parallelism=3)
    assert len(await take(api)) == 3
    await api.call("POST", "/jobs/hello/run")
    assert len(await take(api)) == 1
