"""Pings through the API: signals of external jobs without an account, and abuse by strangers."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from horae.api.routes import signals

from .conftest import ON_EVERY_DATABASE, Api, add_key
from .test_access import another_project
from .test_refusals import counted

HOURLY = {"cron": "0 * * * *", "timezone": "Europe/Berlin"}


async def make(api: Api, name: str = "backup", **fields: Any) -> dict[str, Any]:
    answer = await api.call("POST", "/pings", json={"name": name, "schedule": HOURLY, **fields})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def path(ping: dict[str, Any], outcome: str = "") -> str:
    return str(ping["url"]).removeprefix("http://horae") + outcome


async def send(api: Api, ping: dict[str, Any], outcome: str = "", method: str = "GET", **how: Any) -> httpx.Response:
    return await api.call(method, path(ping, outcome), role=None, **how)


async def get(api: Api, what: str = "", name: str = "backup", **how: Any) -> Any:
    answer = await api.call("GET", f"/pings/{name}{what}", **how)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def events(api: Api, name: str = "backup") -> list[Any]:
    found: list[Any] = (await get(api, "/events", name))["items"]
    return found


async def test_a_ping_is_made_pinged_changed_and_deleted(api: Api):
    ping = await make(api, tags=["db"], grace="30m", timeout="2h")
    assert (ping["state"], ping["grace"], ping["timeout"], ping["version"]) == ("new", 1800, 7200, 1)
    assert re.fullmatch(r"http://horae/ping/[0-9A-Za-z_-]{32}", ping["url"])
    assert ping["words"] == "Every hour on the hour, Europe/Berlin" or "hour" in ping["words"].lower()
    answer = await send(api, ping)
    assert (answer.status_code, answer.text, answer.headers["content-type"]) == (
        200,
        "OK",
        "text/plain; charset=utf-8",
    )
    found = await get(api)
    assert (found["state"], found["events"], found["url"]) == ("up", 1, ping["url"])
    assert found["expected_at"] < found["deadline_at"]
    edited = await api.call("PATCH", "/pings/backup", json={"schedule": {"every": "1d"}, "timeout": None})
    assert edited.json()["schedule"]["every"] == "1d"
    assert edited.json()["timeout"] is None
    assert edited.headers["etag"] == '"2"'
    stale = await api.call("PATCH", "/pings/backup", json={"grace": 60}, headers={"if-match": '"1"'})
    assert stale.status_code == 412
    assert (await api.call("POST", "/pings", json={"name": "backup"})).status_code == 409
    assert (await api.call("DELETE", "/pings/backup")).status_code == 204
    assert (await send(api, ping)).status_code == 404
    assert (await api.call("GET", f"/pings/{ping['id']}")).status_code == 404


async def test_every_outcome(api: Api):
    ping = await make(api)
    wanted = [
        ("", "success", None, "up"),
        ("/start", "start", None, "started"),
        ("/0", "success", 0, "up"),
        ("/fail", "fail", None, "down"),
        ("/1", "fail", 1, "down"),
        ("/255", "fail", 255, "down"),
        ("/007", "fail", 7, "down"),
    ]
    found: dict[str, Any] = {}
    for outcome, kind, code, state in wanted:
        assert (await send(api, ping, outcome)).status_code == 200
        newest = (await events(api))[0]
        assert (newest["kind"], newest["exit_code"]) == (kind, code)
        found = await get(api)
        assert (found["state"], found["last_exit_code"] if kind != "start" else code) == (state, code)
    assert found["reason"] == "failed"
    for outcome in (
        "/256",
        "/999",
        "/-1",
        "/1.5",
        "/0x1",
        "/¹",
        "/stop",
        "/START",
        "/1e2",
        "/%00",
        "/start%0d%0aX-Evil:1",
    ):
        answer = await send(api, ping, outcome)
        assert answer.status_code in (404, 422), (outcome, answer.text)
        assert "evil" not in str(answer.headers).lower()
    assert (await send(api, ping, "/1/2")).status_code == 404
    assert (await get(api))["events"] == len(wanted)


async def test_get_head_and_post_do_the_same(api: Api):
    ping = await make(api)
    for method in ("GET", "HEAD", "POST"):
        answer = await send(api, ping, method=method)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"
    for method in ("PUT", "PATCH", "DELETE"):
        assert (await send(api, ping, method=method)).status_code == 405
    assert [event["kind"] for event in await events(api)] == ["success"] * 3


async def test_a_body_is_kept_from_its_end(api: Api):
    ping = await make(api)
    log = "".join(f"line {n} ü\x00\x1b[31m\n" for n in range(5_000))
    answer = await send(api, ping, "/3", "POST", content=log.encode() + b"\xff\xfeend")
    assert answer.status_code == 200
    event = await get(api, "/events/1")
    assert event["body"].endswith("line 4999 ü\ufffd\x1b[31m\n\ufffd\ufffdend")
    assert event["truncated"]
    assert event["body_bytes"] == len(log.encode()) + 5
    assert len(event["body"].encode()) < 13_000
    await send(api, ping, method="POST", content=b"short", headers={"user-agent": "x" * 500 + "\x7f"})
    short = await get(api, "/events/2")
    assert (short["body"], short["truncated"], short["method"], short["agent"]) == ("short", False, "POST", "x" * 200)
    assert (await api.call("GET", "/pings/backup/events/3")).status_code == 404


async def test_of_a_huge_body_the_rest_is_not_read_and_the_signal_counts(api: Api):
    ping = await make(api)
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        for _ in range(1_000):
            read += 1 << 16
            yield b"x" * (1 << 16)

    answer = await send(api, ping, method="POST", content=endless())
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")
    assert (await get(api))["state"] == "up"
    assert len((await get(api, "/events/1"))["body"]) == 10_000


async def test_a_body_that_does_not_come_is_not_waited_for(api: Api, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(signals, "PATIENCE", 0.05)
    ping = await make(api)

    async def stuck() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.Event().wait()

    scope_body = stuck()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": await anext(scope_body), "more_body": True}

    sent: list[dict[str, Any]] = []

    async def collect(message: dict[str, Any]) -> None:
        sent.append(message)

    where = path(ping)
    scope = {
        "type": "http",
        "method": "POST",
        "path": where,
        "raw_path": where.encode(),
        "query_string": b"",
        "headers": [],
        "client": ("127.0.0.1", 1),
        "server": ("horae", 80),
        "scheme": "http",
        "http_version": "1.1",
        "root_path": "",
    }
    await api.app(scope, receive, collect)
    assert sent[0]["status"] == 408
    assert (await get(api))["events"] == 0


async def test_run_ids_tell_runs_apart(api: Api):
    ping = await make(api)
    for outcome, rid in (("/start", "a"), ("/start", "b"), ("/0", "a")):
        assert (await send(api, ping, outcome, params={"rid": rid})).status_code == 200
    newest = (await events(api))[0]
    assert (newest["rid"], newest["duration_ms"] is not None) == ("a", True)
    assert (await get(api))["state"] == "started"
    for rid in ("", "a" * 65, "a b", "a\n", "ü", "a/b"):
        assert (await send(api, ping, "/start", params={"rid": rid})).status_code == 422, rid
    assert (await send(api, ping, params={"colour": "red"})).status_code == 422


async def test_unknown_tokens_learn_nothing_and_are_counted(api: Api):
    ping = await make(api)
    real = path(ping).rpartition("/")[2]
    tokens = [
        "x",
        "A" * 32,
        real[:-1] + ("A" if real[-1] != "A" else "B"),
        real + "A",
        real.swapcase(),
        "%00",
        "ü" * 32,
    ]
    with capture_logs() as logged:
        answers = [await api.call("POST", f"/ping/{token}/fail", role=None, content=b"x") for token in tokens]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.json()["detail"] for answer in answers}) <= 2
    assert (await counted(api))["ping"] >= len(tokens) - 1
    assert real not in str(logged)
    assert (await get(api))["events"] == 0


async def test_guessing_tokens_is_throttled_but_known_pings_are_not(api: Api):
    ping = await make(api)
    assert (await send(api, ping)).status_code == 200
    api.app.state.authenticator.strangers._rate = 0.001  # a slow machine would guess no faster than is allowed
    statuses = [(await api.call("GET", f"/ping/{n:032}", role=None)).status_code for n in range(130)]
    assert set(statuses) == {404, 429}
    assert (await send(api, ping)).status_code == 200  # of the same address


async def test_a_flood_for_one_ping_is_limited(api: Api):
    ping, other = await make(api), await make(api, "other")
    api.app.state.url_tokens.ping_limit._rate = 0.001  # a slow machine would send no faster than is allowed
    answers = [await send(api, ping) for _ in range(80)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) == 30
    assert int(refused[0].headers["retry-after"]) >= 1
    assert (await send(api, other)).status_code == 200
    assert (await get(api))["events"] == 80 - len(refused)


@ON_EVERY_DATABASE
async def test_pings_at_the_same_time(api: Api):
    ping = await make(api)
    answers = await asyncio.gather(*(send(api, ping, "/start", params={"rid": str(n)}) for n in range(12)))
    assert [answer.status_code for answer in answers] == [200] * 12
    assert sorted(event["n"] for event in await events(api)) == list(range(1, 13))


async def test_a_paused_ping_still_records_signals(api: Api):
    ping = await make(api)
    paused = await api.call("POST", "/pings/backup/pause", json={"until": "2099-01-01T00:00:00Z"})
    assert (paused.json()["state"], paused.json()["deadline_at"]) == ("paused", None)
    assert (await send(api, ping, "/fail")).status_code == 200
    assert (await get(api))["state"] == "paused"
    assert len(await events(api)) == 1
    past = await api.call("POST", "/pings/backup/pause", json={"until": "2020-01-01T00:00:00Z"})
    assert (past.status_code, past.json()["field"]) == (422, "until")
    assert (await api.call("POST", "/pings/backup/resume")).json()["state"] == "new"


async def test_a_new_url_replaces_the_old_one(api: Api):
    ping = await make(api)
    assert (await send(api, ping)).status_code == 200
    rotated = (await api.call("POST", "/pings/backup/rotate")).json()
    assert rotated["url"] != ping["url"]
    assert (await send(api, ping)).status_code == 404
    assert (await send(api, rotated)).status_code == 200


async def test_only_who_may_write_sees_the_url(api: Api):
    await make(api)
    urls = {role: (await get(api, role=role))["url"] for role in ("viewer", "operator", "editor", "owner", "admin")}
    assert [role for role, url in urls.items() if url is None] == ["viewer", "operator"]
    listed = (await api.call("GET", "/pings", role="viewer")).json()["items"]
    assert [item["url"] for item in listed] == [None]
    assert "/ping/" not in str((await api.call("GET", "/audit", role="owner")).json())


async def test_another_project_sees_and_changes_nothing(api: Api):
    ping = await make(api)
    await send(api, ping)
    await api.call("POST", "/badges", json={"kind": "ping", "subject": "backup"})
    stranger = {"authorization": f"Bearer {await add_key(api.store, 'owner', await another_project(api))}"}
    for method, where, body in (
        ("GET", "", None),
        ("PATCH", "", {"grace": 5}),
        ("DELETE", "", None),
        ("POST", "/pause", {}),
        ("POST", "/resume", None),
        ("POST", "/rotate", None),
        ("GET", "/events", None),
        ("GET", "/events/1", None),
    ):
        for ref in ("backup", ping["id"]):
            answer = await api.call(method, f"/pings/{ref}{where}", role=None, headers=stranger, json=body)
            assert answer.status_code == 404, (method, where, answer.text)
    for where in ("/pings", "/badges"):
        assert (await api.call("GET", where, role=None, headers=stranger)).json()["items"] == []
    made = await api.call("POST", "/badges", role=None, headers=stranger, json={"kind": "ping", "subject": ping["id"]})
    assert made.status_code == 404
    counts = (await api.call("GET", "/monitoring/pings", role=None, headers=stranger)).json()
    assert set(counts.values()) == {0}
    assert (await api.call("GET", "/monitoring/pings")).json()["up"] == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "a\u0000"}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "x", "grace": 0}, "grace"),
        ({"name": "x", "grace": "soon"}, "grace"),
        ({"name": "x", "timeout": "9999d"}, "timeout"),
        ({"name": "x", "schedule": {"cron": "99 * * * *"}}, "schedule.cron"),
        ({"name": "x", "schedule": {"after": {"job": "y"}}}, "schedule"),
        ({"name": "x", "schedule": {"every": "1h", "jitter": 5}}, "schedule.jitter"),
        ({"name": "x", "schedule": {"every": "1h", "max_runs": 5}}, "schedule.max_runs"),
        ({"name": "x", "schedule": {"cron": "0 0 * * *", "timezone": "Mars/Base"}}, "schedule.timezone"),
        ({"name": "x", "url": "http://mine"}, "url"),
        ({"name": "x", "tags": ["a"] * 51}, "tags"),
    ],
)
async def test_bad_definitions_are_refused_by_field(api: Api, body: dict[str, Any], field: str):
    answer = await api.call("POST", "/pings", json=body)
    assert answer.status_code == 422
    assert answer.json()["field"] == field
    assert (await api.call("GET", "/pings")).json()["items"] == []


@ON_EVERY_DATABASE
async def test_lists_by_state_tag_and_page(api: Api):
    for name in ("c", "a", "b"):
        await make(api, name, tags=["db"] if name != "b" else [])
    await send(api, await get(api, name="a"))
    first = (await api.call("GET", "/pings", params={"limit": 2})).json()
    rest = (await api.call("GET", "/pings", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    assert [item["name"] for item in (*first["items"], *rest["items"])] == ["a", "b", "c"]

    async def names(**params: str) -> list[str]:
        return [item["name"] for item in (await api.call("GET", "/pings", params=params)).json()["items"]]

    assert await names(state="up") == ["a"]
    assert await names(state="new", tag="db") == ["c"]
    assert await names(q="B") == ["b"]
    assert (await api.call("GET", "/pings", params={"state": "gone"})).status_code == 422


async def test_read_only_fields_are_refused_in_a_patch(api: Api):
    await make(api)
    for name in ("url", "state", "version", "id", "expected_at"):
        answer = await api.call("PATCH", "/pings/backup", json={name: "x"})
        assert (answer.status_code, answer.json()["field"]) == (422, name)


async def test_a_browser_that_opens_the_url_gets_no_page_of_the_portal(api: Api):
    ping = await make(api)
    answer = await send(api, ping, headers={"accept": "text/html"})
    assert (answer.text, answer.headers["content-type"]) == ("OK", "text/plain; charset=utf-8")
    unknown = await api.call("GET", "/ping/nothing", role=None, headers={"accept": "text/html"})
    assert (unknown.status_code, unknown.headers["content-type"]) == (404, "application/problem+json")
