"""Pause and resume, enable and disable, over the API."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from .conftest import CLOCK, ON_EVERY_DATABASE, Api
from .work import tick

HOURLY = {"every": "1h"}


def soon(**time: float) -> str:
    return (CLOCK.now() + timedelta(**time)).isoformat()


async def test_a_pause_holds_the_schedule_until_it_is_resumed(api: Api):
    made = await api.make(schedule=HOURLY)
    paused = await api.call("POST", "/jobs/hello/pause")
    assert (paused.status_code, paused.headers["etag"]) == (200, '"1"')  # no new version: the definition is the same
    shown = paused.json()
    assert (shown["status"], shown["paused"], shown["paused_until"], shown["enabled"]) == ("paused", True, None, True)
    await tick(api)
    assert (await api.call("GET", "/jobs/hello/runs")).json()["items"] == []
    assert (await api.call("POST", "/jobs/hello/run")).status_code == 202  # "run now" works all the same
    resumed = (await api.call("POST", "/jobs/hello/resume")).json()
    assert (resumed["status"], resumed["paused"], resumed["next_run_at"]) == ("scheduled", False, made["next_run_at"])
    await tick(api)
    assert "schedule" in {run["trigger"] for run in (await api.call("GET", "/jobs/hello/runs")).json()["items"]}


async def test_a_pause_may_have_an_end(api: Api):
    await api.make(schedule=HOURLY)
    until = (CLOCK.now() + timedelta(hours=2)).astimezone(UTC).replace(microsecond=0)
    body = {"until": until.isoformat()}
    shown = (await api.call("POST", "/jobs/hello/pause", json=body)).json()
    assert datetime.fromisoformat(shown["paused_until"]) == until
    again = (await api.call("POST", "/jobs/hello/pause", json={})).json()  # the last word counts
    assert (again["status"], again["paused_until"]) == ("paused", None)


async def test_disabled_is_off_and_enabled_goes_on_from_now(api: Api):
    await api.make(schedule=HOURLY)
    off = (await api.call("POST", "/jobs/hello/disable")).json()
    assert (off["status"], off["enabled"], off["next_run_at"], off["version"]) == ("disabled", False, None, 1)
    on = (await api.call("POST", "/jobs/hello/enable")).json()
    assert (on["status"], on["enabled"]) == ("scheduled", True)
    assert on["next_run_at"] is not None
    for path in ("enable", "enable", "disable", "disable"):  # asking twice is no error
        assert (await api.call("POST", f"/jobs/hello/{path}")).status_code == 200


async def test_a_paused_job_that_is_disabled_says_both(api: Api):
    await api.make(schedule=HOURLY)
    await api.call("POST", "/jobs/hello/pause")
    off = (await api.call("POST", "/jobs/hello/disable")).json()
    assert (off["status"], off["paused"], off["enabled"]) == ("disabled", True, False)
    assert (await api.call("POST", "/jobs/hello/enable")).json()["status"] == "paused"


async def test_an_edit_may_switch_in_the_same_transaction(api: Api):
    made = await api.make(schedule=HOURLY)
    off = await api.call("PATCH", "/jobs/hello", json={"enabled": False, "description": "off"})
    assert off.status_code == 200, off.text
    shown = off.json()
    assert (shown["enabled"], shown["description"], shown["version"]) == (False, "off", 2)
    on = (await api.call("PATCH", "/jobs/hello", json={"enabled": True})).json()
    assert (on["enabled"], on["version"], on["next_run_at"] is None) == (True, 2, False)
    put = (await api.call("PUT", "/jobs/hello", json={**made, "enabled": False, "priority": 9})).json()
    assert (put["enabled"], put["priority"], put["version"]) == (False, 9, 3)
    kept = {name: value for name, value in put.items() if name != "enabled"}
    assert (await api.call("PUT", "/jobs/hello", json=kept)).json()["enabled"] is False  # not named: left alone
    new = {"schedule": {"cron": "0 9 * * *"}, "enabled": True}
    both = (await api.call("PATCH", "/jobs/hello", json=new)).json()
    assert (both["status"], both["next_run_at"][11:19]) == ("scheduled", "09:00:00")


async def test_null_brings_back_the_default_of_a_switch_too(api: Api):
    await api.make(enabled=False)
    patched = await api.call("PATCH", "/jobs/hello", json={"enabled": None, "notify": None, "tags": None})
    assert (patched.status_code, patched.json()["enabled"], patched.json()["notify"]) == (200, True, [])


async def test_an_edit_that_is_refused_switches_nothing(api: Api):
    await api.make(schedule=HOURLY)
    for body, headers, status in (
        ({"enabled": False, "priority": 10}, {}, 422),
        ({"enabled": False, "priority": 9}, {"if-match": '"7"'}, 412),
        ({"enabled": False, "schedule": {"after": {"job": "nobody"}}}, {}, 422),
        ({"enabled": "no"}, {}, 422),
    ):
        answer = await api.call("PATCH", "/jobs/hello", json=body, headers=headers)
        assert answer.status_code == status, body
    shown = (await api.call("GET", "/jobs/hello")).json()
    assert (shown["enabled"], shown["version"]) == (True, 1)


@ON_EVERY_DATABASE
async def test_switches_at_the_same_time_leave_a_job_that_is_one_or_the_other(api: Api):
    await api.make(schedule=HOURLY)
    calls = [api.call("POST", f"/jobs/hello/{verb}") for verb in ("enable", "disable", "pause", "resume") * 4]
    assert {answer.status_code for answer in await asyncio.gather(*calls)} == {200}
    shown = (await api.call("GET", "/jobs/hello")).json()
    assert (shown["next_run_at"] is not None) == shown["enabled"]


@pytest.mark.parametrize("verb", ["pause", "resume", "enable", "disable"])
async def test_switching_what_is_not_there(api: Api, verb: str):
    for ref in ("nobody", "x" * 201, "a%00b"):
        answer = await api.call("POST", f"/jobs/{ref}/{verb}")
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


async def test_next_notes_why_a_paused_or_disabled_job_does_not_run(api: Api):
    await api.make(schedule=HOURLY, catch_up="all")
    assert "note" not in (await api.call("GET", "/jobs/hello/next")).json()
    await api.call("POST", "/jobs/hello/pause", json={"until": soon(hours=5)})
    held = (await api.call("GET", "/jobs/hello/next", params={"count": 3})).json()
    assert held["note"].startswith("the job is paused: none of these run before 20")
    assert held["note"].endswith("(then catch_up decides: all)")
    assert len(held["occurrences"]) == 3
    assert all(datetime.fromisoformat(one["at"]) > CLOCK.now() for one in held["occurrences"])
    await api.call("POST", "/jobs/hello/disable")
    off = (await api.call("GET", "/jobs/hello/next", params={"count": 3})).json()
    assert (len(off["occurrences"]), "disabled" in off["note"]) == (3, True)
