"""Channels over the API: what can be sent, what is never returned, and who sees what."""

from typing import Any

import pytest

from .conftest import Api, add_key
from .test_access import another_project

SLACK = {"kind": "slack", "url": "https://hooks.example.org/services/very-secret-token"}
MAIL = {"kind": "email", "to": ["ops@example.org"]}


async def create(api: Api, name: str = "ops", role: str = "editor", **fields: Any) -> dict[str, Any]:
    answer = await api.call("POST", "/channels", role=role, json={"name": name, "target": SLACK, **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_from_creation_to_deletion(api: Api):
    made = await create(api, quiet={"windows": [{"start": "22:00", "end": "07:00"}], "timezone": "Europe/Berlin"})
    assert (made["kind"], made["address"], made["target"]) == (
        "slack",
        "https://hooks.example.org/…",
        {"kind": "slack"},
    )
    assert (made["has_secret"], made["signing_key"], made["last_delivery"]) == (True, None, None)
    changed = await api.call("PATCH", "/channels/ops", json={"quiet": None, "events": ["alert"], "digest": "10m"})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["quiet"], changed.json()["events"], changed.json()["digest"]) == (None, ["alert"], 600)
    assert changed.json()["has_secret"]
    (listed,) = (await api.call("GET", "/channels", role="viewer")).json()["items"]
    assert listed == changed.json() == (await api.call("GET", f"/channels/{made['id']}", role="viewer")).json()
    assert (await api.call("DELETE", "/channels/ops", role="editor")).status_code == 204
    assert (await api.call("GET", "/channels/ops")).status_code == 404


async def test_secret_fields_are_never_returned(api: Api):
    answers = []
    for name, target in {
        "a": SLACK,
        "b": {"kind": "webhook", "url": "https://example.org/very-secret", "key": "very-secret-key"},
        "c": {**MAIL, "server": {"host": "mail.example.org", "username": "u"}, "password": "very-secret"},
        "d": {"kind": "pagerduty", "routing_key": "very-secret"},
        "e": {"kind": "opsgenie", "api_key": "very-secret"},
        "f": {"kind": "apprise", "url": "discord://very-secret/very-secret"},
    }.items():
        answers.append(await api.call("POST", "/channels", json={"name": name, "target": target}))
        assert answers[-1].status_code == 201, answers[-1].text
        answers.append(await api.call("PATCH", f"/channels/{name}", json={"target": {"password": "very-secret-2"}}))
        answers.append(await api.call("POST", f"/channels/{name}/test"))
    answers += [
        await api.call("GET", path) for path in ("/channels", "/channels/a", "/channels/a/deliveries", "/audit")
    ]
    assert [answer.text for answer in answers if "very-secret" in answer.text] == []


async def test_the_key_of_a_webhook_is_made_and_shown_once(api: Api):
    made = await create(api, target={"kind": "webhook", "url": "https://example.org/hook"})
    assert made["signing_key"].startswith("whsec_")
    assert "signing_key" not in (await api.call("GET", "/channels/ops")).json()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"target": {"kind": "slack"}}, "target.url"),
        ({"target": {"kind": "slack", "url": "ftp://example.org"}}, "target.url"),
        ({"target": {"kind": "slack", "url": "http://169.254.169.254/latest"}}, "target.url"),
        ({"target": {"kind": "pagerduty", "routing_key": "x", "url": "http://0x7f.1/"}}, "target.url"),
        ({"target": {"kind": "apprise", "url": "http://[::1"}}, "target.url"),
        ({"target": {"kind": "apprise", "url": "no-scheme"}}, "target.url"),
        ({"target": {"kind": "pigeon"}}, "target"),
        ({"target": {"kind": "email", "to": []}}, "target.to"),
        ({"target": {"kind": "email", "to": ["ops@example.org\r\nBcc: all@example.org"]}}, "target.to[0]"),
        ({"target": {**MAIL, "password": "x"}}, "target.password"),
        ({"target": {**MAIL, "server": {"host": "h", "username": "u"}}}, "target.password"),
        (
            {"target": {**MAIL, "server": {"host": "h", "username": "u", "security": "none"}, "password": "x"}},
            "target.server.security",
        ),
        ({"target": {"kind": "pagerduty", "routing_key": "x"}, "digest": 60}, "digest"),
        ({"events": ["everything"]}, "events[0]"),
        ({"events": []}, "events"),
        ({"severity": "fatal"}, "severity"),
        ({"quiet": {"windows": [{"start": "25:00", "end": "07:00"}]}}, "quiet.windows[0].start"),
        ({"quiet": {"windows": [{"start": "00:00", "end": "24:00"}]}}, "quiet.windows"),
        ({"quiet": {"windows": [{"start": "22:00", "end": "07:00"}], "timezone": "Mars"}}, "quiet.timezone"),
        ({"per_hour": 0}, "per_hour"),
        ({"colour": "red"}, "colour"),
        ({"name": ""}, "name"),
    ],
)
async def test_mistakes_are_named(api: Api, fields: dict[str, Any], field: str):
    answer = await api.call("POST", "/channels", json={"name": "ops", "target": SLACK, **fields})
    assert answer.status_code == 422, answer.text
    assert answer.json()["field"] == field
    assert (await api.call("GET", "/channels")).json()["items"] == []


async def test_channels_of_the_installation_are_for_admins(api: Api):
    for method, path, body in (
        ("GET", "/channels", None),
        ("POST", "/channels", {"name": "all", "target": SLACK}),
        ("GET", "/channels/all", None),
        ("PATCH", "/channels/all", {"enabled": False}),
        ("POST", "/channels/all/test", None),
        ("GET", "/channels/all/deliveries", None),
        ("DELETE", "/channels/all", None),
    ):
        answer = await api.call(method, f"{path}?installation=true", role="owner", json=body)
        assert answer.status_code == 403, (method, path)
    made = (await api.call("POST", "/channels?installation=true", json={"name": "all", "target": SLACK})).json()
    assert made["project_id"] is None
    assert (await api.call("GET", "/channels")).json()["items"] == []
    assert (await api.call("GET", f"/channels/{made['id']}", role="owner")).status_code == 404
    assert len((await api.call("GET", "/channels?installation=true")).json()["items"]) == 1


async def test_a_user_of_another_project_finds_nothing(api: Api):
    made = await create(api)
    api.tokens["stranger"] = await add_key(api.store, "owner", await another_project(api))
    assert (await api.call("GET", "/channels", role="stranger")).json()["items"] == []
    for ref in ("ops", made["id"]):
        assert (await api.call("POST", f"/channels/{ref}/test", role="stranger")).status_code == 404
        assert (await api.call("PATCH", f"/channels/{ref}", role="stranger", json={})).status_code == 404
    body = {"name": "theirs", "target": {"kind": "http", "url": "https://example.org/"}, "notify": ["ops"]}
    refused = await api.call("POST", "/jobs", role="stranger", json=body)
    assert (refused.status_code, refused.json()["field"]) == (422, "notify[0]")


async def test_notify_of_a_job(api: Api):
    await create(api)
    await api.make("nightly", notify=["ops"])
    assert (await api.call("GET", "/jobs/nightly")).json()["notify"] == ["ops"]
    refused = await api.call("PATCH", "/jobs/nightly", json={"notify": ["ops", "nobody"]})
    assert (refused.status_code, refused.json()["field"]) == (422, "notify[1]")
    named = await api.call("DELETE", "/channels/ops")
    assert (named.status_code, "nightly" in named.json()["detail"]) == (409, True)
    assert (await api.call("DELETE", "/channels/ops?force=true")).status_code == 204
    assert (await api.call("PATCH", "/jobs/nightly", json={"notify": None})).json()["notify"] == []


async def test_a_test_is_a_delivery(api: Api):
    await create(api)
    sent = await api.call("POST", "/channels/ops/test", role="editor")
    assert (sent.status_code, sent.json()["kind"], sent.json()["state"]) == (202, "test", "pending")
    (listed,) = (await api.call("GET", "/channels/ops/deliveries", role="viewer")).json()["items"]
    assert listed["id"] == sent.json()["id"]
    await api.call("PATCH", "/channels/ops", json={"enabled": False})
    assert (await api.call("POST", "/channels/ops/test")).status_code == 409


async def test_repeated_requests_create_one(api: Api):
    body = {"name": "ops", "target": SLACK}
    headers = {"idempotency-key": "once"}
    first, second = [await api.call("POST", "/channels", json=body, headers=headers) for _ in range(2)]
    assert first.json() == second.json()
    assert (await api.call("POST", "/channels", json=body)).status_code == 409
