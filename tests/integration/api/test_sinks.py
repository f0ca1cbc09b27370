"""Sinks over the API: who may have which, what is never returned, and what is refused."""

from typing import Any

import pytest

from .conftest import Api, add_key
from .test_access import another_project

HOOK = {"kind": "webhook", "url": "https://hooks.example.org/very-secret-token"}


async def create(api: Api, name: str = "lake", role: str = "owner", query: str = "", **fields: Any) -> dict[str, Any]:
    answer = await api.call("POST", f"/sinks{query}", role=role, json={"name": name, "target": HOOK, **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_from_creation_to_deletion(api: Api):
    made = await create(api, types=["run.ended"], keep_for="2h", target={**HOOK, "batch": 50})
    assert made["signing_key"].startswith("whsec_")
    assert (made["address"], made["target"]) == ("https://hooks.example.org/…", {"kind": "webhook", "batch": 50})
    assert (made["waiting"], made["sent"], made["failing_since"]) == (0, 0, None)
    changed = await api.call("PATCH", "/sinks/lake", json={"types": None, "jobs": ["mail-*"], "name": "pond"})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["types"], changed.json()["jobs"]) == (["run.*", "job.*"], ["mail-*"])
    (listed,) = (await api.call("GET", "/sinks", role="viewer")).json()["items"]
    assert listed == changed.json() == (await api.call("GET", f"/sinks/{made['id']}", role="viewer")).json()
    tested = await api.call("POST", "/sinks/pond/test", role="owner")
    assert (tested.status_code, tested.json()["sink"]["waiting"]) == (202, 1)
    assert (await api.call("DELETE", "/sinks/pond", role="owner")).status_code == 204
    assert (await api.call("GET", "/sinks/pond")).status_code == 404


async def test_what_happens_is_written_for_it(api: Api):
    await create(api, types=["job.*"])
    body = {"name": "mail", "target": {"kind": "http", "url": "https://example.org/"}}
    assert (await api.call("POST", "/jobs", json=body)).status_code == 201
    assert (await api.call("GET", "/sinks/lake")).json()["waiting"] == 1


async def test_secrets_are_never_shown(api: Api):
    target = {"kind": "webhook", "url": "https://example.org/very-secret", "key": "very-secret-key"}
    answers = [await api.call("POST", "/sinks", json={"name": "a", "target": target})]
    answers.append(await api.call("PATCH", "/sinks/a", json={"target": {"key": "very-secret-2"}}))
    answers.append(await api.call("POST", "/sinks/a/test"))
    answers += [await api.call("GET", path) for path in ("/sinks", "/sinks/a", "/audit")]
    assert [answer.status_code for answer in answers] == [201, 200, 202, 200, 200, 200]
    assert [answer.text for answer in answers if "very-secret" in answer.text] == []


async def test_the_sinks_of_the_installation_are_for_admins(api: Api):
    await create(api, role="admin", query="?installation=true", target={"kind": "amqp"})
    for role in ("viewer", "owner"):
        for method, path in (("GET", "/sinks"), ("GET", "/sinks/lake"), ("DELETE", "/sinks/lake")):
            answer = await api.call(method, f"{path}?installation=true", role=role)
            assert answer.status_code == 403, (role, method)
    assert (await api.call("GET", "/sinks/lake", role="owner")).status_code == 404
    refused = await api.call("POST", "/sinks", role="owner", json={"name": "b", "target": {"kind": "redis"}})
    assert (refused.status_code, refused.json()["field"]) == (422, "target.kind")


async def test_another_project_sees_nothing_of_it(api: Api):
    made = await create(api)
    api.tokens["stranger"] = await add_key(api.store, "owner", await another_project(api))
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/test")):
        for ref in ("lake", made["id"]):
            body = {"json": {"enabled": False}} if method == "PATCH" else {}
            answer = await api.call(method, f"/sinks/{ref}{path}", role="stranger", **body)
            assert answer.status_code == 404, (method, ref)
    assert (await api.call("GET", "/sinks", role="stranger")).json()["items"] == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"target": {"kind": "webhook"}}, "target.url"),
        ({"target": {"kind": "webhook", "url": "ftp://example.org"}}, "target.url"),
        ({"target": {"kind": "webhook", "url": "http://169.254.169.254/latest"}}, "target.url"),
        ({"target": {"kind": "webhook", "url": "{{ secrets.URL }}"}}, "target.url"),
        ({"target": {"kind": "pigeon"}}, "target"),
        ({"target": {**HOOK, "batch": 0}}, "target.batch"),
        ({"types": ["run.dreamt"]}, "types[0]"),
        ({"types": []}, "types"),
        ({"keep_for": 1}, "keep_for"),
        ({"name": ""}, "name"),
        ({"brokers": []}, "brokers"),
    ],
)
async def test_bad_input_is_named(api: Api, fields: dict[str, Any], field: str):
    answer = await api.call("POST", "/sinks", json={"name": "lake", "target": HOOK, **fields})
    assert (answer.status_code, answer.json()["field"]) == (422, field), answer.text


async def test_conflicts_and_read_only_fields(api: Api):
    await create(api)
    assert (await api.call("POST", "/sinks", json={"name": "lake", "target": HOOK})).status_code == 409
    for name in ("sent", "last_error", "signing_key"):
        answer = await api.call("PATCH", "/sinks/lake", json={name: 1})
        assert (answer.status_code, answer.json()["field"]) == (422, name)
    assert (await api.call("PATCH", "/sinks/lake", json={"enabled": False})).json()["enabled"] is False
    assert (await api.call("POST", "/sinks/lake/test")).status_code == 409
